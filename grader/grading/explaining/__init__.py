"""Explains why a result is wrong. Several explainers look at the same evidence; ``explain.explain`` runs them."""
