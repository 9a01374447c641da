"""What touches what: broad and narrow phase, against obstacles and itself."""
