"""What any skin may carry on top: offsets by hands that hold it, and jumps that fade."""
