"""Elements of a page, in the names of a module's attributes and parameters.

tries: attributes with handlers and control characters in their names, where the report lists what a class has
observe: no-credit
"""

import torch


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        for name in (
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "\x1b]0;owned\x07",
            "\u202eksam",
            "=HYPERLINK(1)",
        ):
            vars(self)[name] = torch.zeros(d_model, d_model)
            self._parameters[name] = torch.nn.Parameter(torch.zeros(d_model, d_model))

    def forward(self, query, key, value, mask=None):
        return query
