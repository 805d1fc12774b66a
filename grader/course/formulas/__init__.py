"""The language of formulas: what learners type, read into a tree of our own and decided by evaluation.

Nothing of it is ever run as Python. ``docs/formulas.md`` describes it.
"""
