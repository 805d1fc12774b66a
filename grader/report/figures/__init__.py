"""Computes the pictures of the course and draws them in the terminal or to a file."""
