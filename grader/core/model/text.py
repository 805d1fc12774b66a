"""Text in both languages, and literal types that several modules share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
