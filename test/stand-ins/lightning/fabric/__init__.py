"""What Lightning has for loops of one's own, and uses itself."""
