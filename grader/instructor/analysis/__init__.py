"""Analysis of a class: item statistics, and similar submissions."""
