"""Colours that people with colour blindness can distinguish, the same for files and for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from grader.report.figures.figure import AxisScale

Colour: TypeAlias = tuple[int, int, int]

#: For lines, by hue: blue, vermilion, green, purple, orange, sky (Okabe and Ito).
HUES: tuple[Colour, ...] = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233))
#: For cells without a number.
MISSING: Colour = (160, 160, 160)

#: Evenly spaced from the low end to the high end; brightness alone shows the order.
_STOPS: dict[AxisScale, tuple[Colour, ...]] = {
    "sequential": ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)),
    "diverging": ((5, 68, 130), (78, 148, 196), (244, 244, 240), (235, 150, 80), (150, 62, 4)),
    "boolean": ((225, 225, 225), (0, 114, 178)),
}


def colour(scale: AxisScale, share: float) -> Colour:
    """The colour at ``share`` of the way from the low end (0) to the high one (1)."""
    return between(_STOPS[scale], share)


def between(colours: tuple[Colour, ...], share: float) -> Colour:
    """The colour at ``share`` of the way along ``colours``."""
    at = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    low = min(int(at), len(colours) - 2)
    part = at - low
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(colours[low], colours[low + 1], strict=True))
    return red, green, blue


def hexadecimal(rgb: Colour) -> str:
    """As ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*rgb)


def ink(rgb: Colour) -> Colour:
    """Black or white, whichever is more readable on ``rgb``."""
    return max((contrast(one, rgb), one) for one in ((0, 0, 0), (255, 255, 255)))[1]


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, from 1 to 21, as defined by WCAG 2."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb: Colour) -> float:
    shares = (value / 255 for value in rgb)
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
