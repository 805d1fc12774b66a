"""Text in both languages, and literal types that several modules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.core import catalogue

Lang: TypeAlias = Literal["en", "zh"]
ArrayType: TypeAlias = Literal["numpy", "torch"]
Visibility: TypeAlias = Literal["public", "hidden"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text for people, in both languages."""

    en: str
    zh: str

    def of(self, lang: Lang) -> str:
        """The text in ``lang``."""
        return self.zh if lang == "zh" else self.en

    def fill(self, **values: object) -> Text:
        """Both texts with each ``{name}`` replaced by the value ``name``; a ``Text`` is filled in by language."""

        def one(lang: Lang) -> str:
            said = {key: value.of(lang) if isinstance(value, Text) else value for key, value in values.items()}
            return self.of(lang).format(**said)

        return Text(one("en"), one("zh"))

    def __eq__(self, other: object) -> bool:
        """Equal to every text that says the same, wherever its Chinese comes from."""
        return isinstance(other, Text) and (self.en, self.zh) == (other.en, other.zh)

    def __hash__(self) -> int:
        """Of the English alone, so that no catalogue is read for it."""
        return hash(self.en)


class Message(Text):
    """A text of the program, whose Chinese is in the catalogue: ``Message("saved")``.

    ``context`` tells messages apart that only English has in common. Both arguments are literals, because
    ``make messages`` reads them from the source.
    """

    __slots__ = ("_context",)

    _context: str

    def __init__(self, en: str, context: str = "") -> None:
        object.__setattr__(self, "en", en)
        object.__setattr__(self, "_context", context)

    @property
    def zh(self) -> str:
        """The Chinese, looked up when it is needed, not when a module is imported."""
        return catalogue.chinese(self.en, self._context)

    def __reduce__(self) -> tuple[Callable[..., Text], tuple[str, str]]:
        """Travels to other processes as a plain text."""
        return Text, (self.en, self.zh)

    def __repr__(self) -> str:
        """As every text."""
        return f"Text(en={self.en!r}, zh={self.zh!r})"
