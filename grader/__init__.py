"""attncheck: a course on attention that grades answers and code.

Imports nothing, so that whatever is needed first can be imported first.
"""

__version__ = "0.1.0"
