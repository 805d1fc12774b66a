"""Tags of cases: properties of the inputs, each with phrases to use if it decides whether code is correct.

``{name}`` in a phrase is the argument that the tag is about. ``TAGS`` are tried in this order, the most informative
ones first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from grader.core.model import Message, Text


@dataclass(frozen=True, slots=True)
class CaseTag:
    """Phrases for cases ``having`` the tag and cases ``lacking`` it, to complete "every case where …"."""

    having: Text
    lacking: Text


_TAGS = {
    "second-call": CaseTag(Message("there are several calls"), Message("there is only one call")),
    "given": CaseTag(Message("`{name}` is given"), Message("`{name}` is not given")),
    "true": CaseTag(Message("`{name}` is True"), Message("`{name}` is False")),
    "empty-rows": CaseTag(
        Message("some query may attend to no key at all"),
        Message("every query may attend to at least one key"),
    ),
    "different-per-sample": CaseTag(
        Message("`{name}` differs from sample to sample"),
        Message("`{name}` is the same for all samples"),
    ),
    "unequal-lengths": CaseTag(
        Message("`{name}` have different lengths"),
        Message("`{name}` have the same length"),
    ),
    "first-longer": CaseTag(
        Message("the first of `{name}` is longer"),
        Message("the first of `{name}` is not longer"),
    ),
    "first-shorter": CaseTag(
        Message("the first of `{name}` is shorter"),
        Message("the first of `{name}` is not shorter"),
    ),
    "unequal-widths": CaseTag(
        Message("`{name}` have different widths"),
        Message("`{name}` have the same width"),
    ),
    "zero": CaseTag(Message("`{name}` is 0"), Message("`{name}` is not 0")),
    "negative": CaseTag(Message("`{name}` is negative"), Message("`{name}` is not negative")),
    "one": CaseTag(Message("`{name}` is 1"), Message("`{name}` is not 1")),
    "odd": CaseTag(Message("`{name}` is odd"), Message("`{name}` is not odd")),
    "holds-negative": CaseTag(
        Message("`{name}` has negative entries"),
        Message("`{name}` has no negative entries"),
    ),
    "holds-zero": CaseTag(Message("`{name}` contains 0"), Message("`{name}` does not contain 0")),
    "repeated": CaseTag(
        Message("`{name}` contains the same entry twice"),
        Message("the entries of `{name}` are all different"),
    ),
    "large": CaseTag(
        Message("`{name}` has very large numbers"),
        Message("`{name}` has no very large numbers"),
    ),
    "offset": CaseTag(
        Message("the mean of `{name}` is far from 0"),
        Message("the mean of `{name}` is not far from 0"),
    ),
    "constant": CaseTag(
        Message("all numbers in `{name}` are equal"),
        Message("the numbers in `{name}` are not all equal"),
    ),
    "several-samples": CaseTag(
        Message("`{name}` has several samples"),
        Message("`{name}` has only one sample"),
    ),
    "no-samples": CaseTag(
        Message("`{name}` has no batch axis"),
        Message("`{name}` has a batch axis"),
    ),
    "many-axes": CaseTag(
        Message("`{name}` has four or more axes"),
        Message("`{name}` has at most three axes"),
    ),
    "asymmetric": CaseTag(
        Message("`{name}` is square, but not symmetric"),
        Message("`{name}` is symmetric or not square"),
    ),
    "square": CaseTag(
        Message("the last two axes of `{name}` have the same length"),
        Message("the last two axes of `{name}` differ in length"),
    ),
    "empty": CaseTag(Message("`{name}` is empty"), Message("`{name}` is not empty")),
    "one-row": CaseTag(Message("`{name}` has only one row"), Message("`{name}` has several rows")),
    "odd-width": CaseTag(
        Message("`{name}` has an odd width"),
        Message("the width of `{name}` is even"),
    ),
    "odd-rows": CaseTag(
        Message("`{name}` has an odd number of rows"),
        Message("the number of rows of `{name}` is even"),
    ),
    "fraction": CaseTag(
        Message("`{name}` is not a whole number"),
        Message("`{name}` is a whole number"),
    ),
    "many": CaseTag(Message("`{name}` is larger than 8"), Message("`{name}` is at most 8")),
    "long": CaseTag(
        Message("`{name}` has more than 16 rows"),
        Message("`{name}` has at most 16 rows"),
    ),
}
#: Every tag by name.
TAGS: Mapping[str, CaseTag] = MappingProxyType(_TAGS)
