"""The examples in the docstrings of intakes, as trees."""

from __future__ import annotations

from grader.classroom.intake import Tree, detect_layout, kinds
from tests import documentation


def people(kind: str) -> dict[str, tuple[str, list[str]]]:
    """Key → who, and the files as they will be read, for the example of ``kind``, which must be recognised as such."""
    example = documentation.read(kinds()[kind].__doc__)["Example"]
    (names,) = documentation.blocks(example, "text")
    metadata = "".join(documentation.blocks(example, "yaml"))
    found = detect_layout(Tree(tuple(names.splitlines()), lambda name: metadata.encode(), lambda name: None))
    assert found is not None and found[0] == kind
    return {
        placed.key: (", ".join(who.name for who in placed.people), [inner for _, inner in placed.files])
        for placed in found[1].submissions
    }
