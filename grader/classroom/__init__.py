"""A class: what was submitted, whose it is, grading all of it, the gradebook and its marks."""
