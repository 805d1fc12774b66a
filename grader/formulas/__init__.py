"""Formulas: parses what learners type into trees, and compares them by evaluation.

Nothing is ever executed as Python. ``docs/formulas.md`` describes the notation.
"""
