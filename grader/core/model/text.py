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

    @property
    def on_page(self) -> Text:
        """The text without advice on what to type, which only a terminal understands."""
        return self

    def with_advice(self, advice: Text, after: Text | None = None) -> Text:
        """The text, then ``advice`` on what to type in a terminal, which pages leave out, then ``after``."""
        if after is None:
            return Sentences((self, advice), self)
        return Sentences((self, advice, after), Sentences((self, after)))

    def fill(self, **values: object) -> Text:
        """Both texts with each ``{name}`` replaced by the value ``name``; a ``Text`` is filled in by language."""
        filled = self._filled(values)
        if not any(isinstance(value, Sentences) for value in values.values()):
            return filled
        on_page = {name: value.on_page if isinstance(value, Text) else value for name, value in values.items()}
        return Sentences((filled,), self._filled(on_page))

    def _filled(self, values: dict[str, object]) -> Text:
        def filled(lang: Lang) -> str:
            shown = {name: value.of(lang) if isinstance(value, Text) else value for name, value in values.items()}
            return self.of(lang).format(**shown)

        return Text(filled("en"), filled("zh"))

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


class Sentences(Text):
    """Texts one after another. Pages show the text ``on_page`` instead, if there is one."""

    __slots__ = ("_on_page", "_parts")

    _parts: tuple[Text, ...]
    _on_page: Text | None

    def __init__(self, parts: tuple[Text, ...], on_page: Text | None = None) -> None:
        object.__setattr__(self, "en", " ".join(part.en for part in parts))
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "_on_page", on_page)

    @property
    def zh(self) -> str:
        """The Chinese, looked up when it is needed; there is no space between its sentences."""
        return "".join(part.zh for part in self._parts)

    @property
    def on_page(self) -> Text:
        """See ``Text``."""
        return self if self._on_page is None else self._on_page

    def fill(self, **values: object) -> Text:
        """See ``Text``. Advice stays apart from the rest."""
        on_page = None if self._on_page is None else self._on_page.fill(**values).on_page
        return Sentences(tuple(part.fill(**values) for part in self._parts), on_page)

    def __reduce__(self) -> tuple[Callable[..., Text], tuple[tuple[Text, ...], Text | None]]:
        """Travels to other processes with its parts."""
        return Sentences, (self._parts, self._on_page)

    def __repr__(self) -> str:
        """As every text."""
        return f"Text(en={self.en!r}, zh={self.zh!r})"
