"""Constraints on values of the bank, as annotations on the fields of ``grader.core.model``.

A type checker sees plain types (``Slug`` is ``str``). When a course is read, pydantic validates the dataclasses
themselves with these constraints; pydantic is not imported before that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from grader.core.marks import marked

T = TypeVar("T")


class SchemaBounds:
    """Bounds under pydantic's names (``gt``, ``min_length``, ``pattern``, …), added to the schema of a type."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """The schema of the type with the bounds."""
        return {**handler(source), **self.settings}


class Parsed:
    """A value that ``parse`` makes from any JSON value; ``types`` are the accepted JSON types, for editors."""

    def __init__(self, parse: Callable[[Any], object], types: list[str]) -> None:
        self.parse, self.types = parse, types

    def __get_pydantic_core_schema__(self, source: Any, handler: object) -> Any:
        """A schema that only calls the function."""
        from pydantic_core import core_schema  # slow to import, and needed only where a course is read

        return core_schema.no_info_plain_validator_function(self.parse)

    def __get_pydantic_json_schema__(self, schema: Any, handler: object) -> dict[str, Any]:
        """The JSON types."""
        return {"type": self.types}


class AsMapping:
    """A tuple of pairs that is written as a mapping in the bank."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the mapping, followed by the conversion."""
        from pydantic_core import core_schema  # slow to import, and needed only where a course is read

        pair: Any = get_args(get_args(source)[0])
        mapping: Any = dict.__class_getitem__(pair)
        schema = handler.generate_schema(mapping)
        return core_schema.no_info_after_validator_function(lambda written: tuple(written.items()), schema)


class MarkedText:
    """A text with marks (see ``grader.core.marks``), which are read."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """The schema of the text, followed by the reading of its marks."""
        from pydantic_core import core_schema  # slow to import, and needed only where a course is read

        return core_schema.no_info_after_validator_function(marked, handler(source))


#: The name of a union's constant member in pydantic's error locations.
_CONSTANT = "Constant"


class ByFirstKey:
    """A union of dataclasses, distinguished by their first keys; ``constant`` parses values that are not mappings.

    pydantic reports any other value as an error of type ``kind``.
    """

    def __init__(self, kind: str, constant: Parsed) -> None:
        self.kind, self.constant = kind, constant

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """A union with a tag for each member."""
        from pydantic_core import core_schema  # slow to import, and needed only where a course is read

        found = first_keys(source)

        def tag(value: object) -> str | None:
            if isinstance(value, dict):
                return next((found[key].__name__ for key in found if key in value), None)
            return None if isinstance(value, list) else _CONSTANT

        choices = {member.__name__: handler.generate_schema(member) for member in found.values()}
        choices[_CONSTANT] = handler.generate_schema(Annotated[Any, self.constant])
        return core_schema.tagged_union_schema(
            choices, discriminator=tag, custom_error_type=self.kind, custom_error_message=self.kind
        )


def first_keys(union: Any) -> dict[str, type]:
    """The members of a union that are mappings in the bank, by the key of their first field.

    The key is the ``alias`` of that field; a member whose first field has none is not a mapping.
    """
    if get_origin(union) is Annotated:
        union = get_args(union)[0]
    aliases = {member: next(iter(fields(member))).metadata.get("alias") for member in get_args(union)}
    return {alias: member for member, alias in aliases.items() if alias is not None}


# ------------------------------------------------------------------------------------------- named types

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_WORDS = r"[a-z0-9]+(-[a-z0-9]+)*"

#: What the patterns of strings stand for, in error messages.
_DESCRIPTIONS: dict[str, str] = {}


def _matching(pattern: str, description: str) -> SchemaBounds:
    _DESCRIPTIONS[pattern] = description
    return SchemaBounds(pattern=pattern)


def describe_pattern(pattern: str) -> str:
    """The description of a pattern, for error messages."""
    return _DESCRIPTIONS.get(pattern, f"a text that matches {pattern}")


Identifier: TypeAlias = Annotated[str, _matching(rf"^{_NAME}$", "a Python name")]
Slug: TypeAlias = Annotated[str, _matching(rf"^{_WORDS}$", "lower-case words joined by -, such as no-scaling")]
QuestionId: TypeAlias = Annotated[str, _matching(r"^Q[1-9][0-9]*$", "an id such as Q5")]
ItemId: TypeAlias = Annotated[str, _matching(rf"^Q[1-9][0-9]*\.{_WORDS}$", "an id such as Q5.output-shape")]
ReferenceName: TypeAlias = Annotated[
    str,
    _matching(rf"^{_NAME}\.{_NAME}$", "module.name, such as attention.softmax for softmax in reference/attention.py"),
]
FunctionName: TypeAlias = Annotated[
    str, _matching(rf"^{_NAME}(\.{_NAME})?$", "a function of a reference, or Class.method")
]
Digest: TypeAlias = Annotated[str, _matching(r"^[0-9a-f]{64}$", "a digest of 64 hexadecimal digits")]
CaseName: TypeAlias = Annotated[
    str, _matching(r"^[^/\s]([^/\n]*[^/\s])?$", "a name without / and without spaces around it")
]
LibraryName: TypeAlias = Annotated[
    str, _matching(rf"^{_NAME}(\.{_NAME})+$", "a name with the library in front, such as torch.softmax")
]
PackageName: TypeAlias = Annotated[
    str, _matching(r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", "the name of an installed package, such as einops")
]
NonBlank: TypeAlias = Annotated[str, _matching(r"\S", "non-empty text")]
#: The id of a misconception that a wrong answer reveals; the second part only tells it from other strings.
MisconceptionId: TypeAlias = Annotated[str, "misconception"]
Points: TypeAlias = Annotated[float, SchemaBounds(gt=0, allow_inf_nan=False)]
Pairs: TypeAlias = Annotated[tuple[tuple[Identifier, T], ...], AsMapping()]


def check_size(value: object) -> int | str:
    """``value`` if it is a size (see ``grader.core.arithmetic``). Raises ValueError for any other value."""
    from grader.core.arithmetic import SIZES, names  # needs ast, and only where a course is read

    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            names(value, SIZES)
        except ValueError as problem:
            raise ValueError(f"{SIZES.description}, but {problem}") from None
        return value
    raise ValueError(SIZES.description)


#: A size in a recipe: a number, or integer arithmetic over drawn symbols (``"h * d_k + 1"``).
RecipeSize: TypeAlias = Annotated[int | str, Parsed(check_size, ["integer", "string"])]
