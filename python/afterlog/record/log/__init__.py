"""What a run writes down: its records, the places in the source, logged tensors."""
