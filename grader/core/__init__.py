"""Types, errors, files, cache, and text and layout helpers that every other room may use."""
