"""Colours that people who see fewer of them can still tell apart, the same on paper and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from grader.figures import Scale

Colour: TypeAlias = tuple[int, int, int]

#: For lines, by hue: blue, vermilion, green, purple, orange, sky (Okabe and Ito).
HUES: tuple[Colour, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
)
#: Formulas, and cells without a number.
THEORY: Colour = (130, 130, 130)
MISSING: Colour = (160, 160, 160)

#: From the low end to the high one, evenly spaced; brightness alone tells the order.
_STOPS: dict[Scale, tuple[Colour, ...]] = {
    "sequential": ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)),
    "diverging": ((5, 68, 130), (78, 148, 196), (244, 244, 240), (235, 150, 80), (150, 62, 4)),
    "boolean": ((225, 225, 225), (0, 114, 178)),
}


def stops(scale: Scale) -> tuple[Colour, ...]:
    """The colours of a scale, to be joined evenly."""
    return _STOPS[scale]


def colour(scale: Scale, share: float) -> Colour:
    """The colour at ``share`` of the way from the low end (0) to the high one (1)."""
    known = _STOPS[scale]
    at = min(max(share, 0.0), 1.0) * (len(known) - 1)
    low = min(int(at), len(known) - 2)
    part = at - low
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(known[low], known[low + 1], strict=True))
    return red, green, blue


def hexadecimal(rgb: Colour) -> str:
    """As ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def ink(rgb: Colour) -> Colour:
    """Black or white, whichever reads better on ``rgb``."""
    red, green, blue = rgb
    return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else (255, 255, 255)
