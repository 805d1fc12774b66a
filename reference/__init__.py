"""Readable implementations of what the course asks for: the equation, then the lines that are the equation."""
