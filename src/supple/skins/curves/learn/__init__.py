"""What curves learn from another skin: examples, where they lie among poses, and the model that keeps them."""
