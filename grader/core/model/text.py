"""Text in both languages, and names of choices that several types share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]
ArrayType: TypeAlias = Literal["numpy", "torch"]
Visibility: TypeAlias = Literal["public", "hidden"]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence for learners, in both languages of the course."""

    en: str
    zh: str

    def of(self, lang: Lang) -> str:
        """The sentence in ``lang``."""
        return self.zh if lang == "zh" else self.en

    def fill(self, **values: object) -> Text:
        """Both sentences with ``{name}`` replaced by ``values``. A ``Text`` among them gives the matching language."""

        def one(lang: Lang) -> str:
            said = {key: value.of(lang) if isinstance(value, Text) else value for key, value in values.items()}
            return self.of(lang).format(**said)

        return Text(one("en"), one("zh"))
