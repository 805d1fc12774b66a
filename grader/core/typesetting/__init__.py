"""Formulas and marked text, set in HTML, MathML and LaTeX."""
