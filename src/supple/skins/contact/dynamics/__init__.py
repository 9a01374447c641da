"""How a soft character moves by itself: one implicit step of links and flesh."""
