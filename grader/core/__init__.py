"""Types, errors, files, cache, and helpers for text and layout, for use in every other room."""
