"""The course's pictures: computed, then drawn in the terminal or to a file."""
