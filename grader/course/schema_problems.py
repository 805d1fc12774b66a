"""Pydantic's errors about a file of the bank, in words for its authors: what was found, and what was expected.

The JSON Schema of the model says what was expected, so that nothing has to be written twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from grader.core.constraints import describe_pattern, first_keys
from grader.core.model import LANGUAGES, Lang, Recipe
from grader.core.tables import table
from grader.core.text import Path
from grader.course import items
from grader.course.problems import ValueProblem, show, unexpected, unknown

Model = TypeVar("Model", bound=BaseModel)
Node = dict[str, Any]
Definitions = Mapping[str, Node]


def copied(value: Any, languages: Sequence[Lang]) -> Any:
    """``value``; if a course has one language, each of its texts is the text in the other one, too."""
    if isinstance(value, list):
        return [copied(part, languages) for part in value]
    if not isinstance(value, dict) or len(languages) > 1:
        return value
    below = {key: copied(part, languages) for key, part in value.items()}
    is_text = languages[0] in below and "name" not in below  # cases have a Chinese name, too
    return below | dict.fromkeys(LANGUAGES, below[languages[0]]) if is_text else below


def in_languages(schema: Node, languages: Sequence[Lang]) -> Node:
    """The JSON Schema, whose texts have no keys for other languages."""
    texts = [node for node in schema.get("$defs", {}).values() if {*LANGUAGES} <= node.get("properties", {}).keys()]
    for node in texts if len(languages) == 1 else ():
        copies = {*LANGUAGES} - {*languages}
        node["properties"] = {key: of for key, of in node["properties"].items() if key not in copies}
        node["required"] = [key for key in node["required"] if key in node["properties"]]
    return schema


def validate(model: type[Model], value: Any, languages: Sequence[Lang] = LANGUAGES) -> Model | list[ValueProblem]:
    """``value`` as an instance of ``model``, or everything that is wrong with it, for a course in these languages."""
    try:
        return model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        schema = in_languages(model.model_json_schema(), languages)
        details = [detail for detail in error.errors(include_url=False) if not _echo(detail)]
        problems = [(detail["type"], _fault(detail, schema, value)) for detail in details]
        # A union reports an error for each of its members; the one that is meant has errors further inside.
        deeper = {problem.path[:length] for _, problem in problems for length in range(len(problem.path))}
        meant = (problem for kind, problem in problems if not (kind.endswith("_type") and problem.path in deeper))
        return list(dict.fromkeys(meant))


_ENGLISH_WORD = re.compile(r"[A-Za-z]{3,}")
#: Characters and punctuation; a formula with two words, such as “sin or cos”, needs neither.
_CHINESE_SIGN = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_WORDS = 3


def _echo(detail: ErrorDetails) -> bool:
    """Whether a list is called too short only because something in it was refused."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def blanks(value: Any, path: Path = ()) -> Iterator[ValueProblem]:
    """The texts in ``value`` that are empty in one of the languages, or whose Chinese is still a placeholder."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from blanks(part, (*path, index))
    if isinstance(value, dict):
        for key, part in value.items():
            yield from blanks(part, (*path, key))
        for lang in ("en", "zh"):
            text = value.get(lang)
            if isinstance(text, str) and not text.strip():
                yield unexpected((*path, lang), text, "a text in every language of the course", "empty-text")
        if _has_no_chinese(value.get("en"), value.get("zh")):
            yield unexpected((*path, "zh"), value["zh"], "a text in Chinese, since the English has words", "empty-text")


def _has_no_chinese(english: Any, chinese: Any) -> bool:
    """Whether a text with words in English has not one Chinese sign; code is the same in both languages."""
    if not isinstance(english, str) or not isinstance(chinese, str) or english == chinese or not chinese.strip():
        return False
    return len(_ENGLISH_WORD.findall(english)) >= _WORDS and not _CHINESE_SIGN.search(chinese)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an error is: its path, the value there, the schema of that value, and the schema of what holds it."""

    path: Path
    seen: Any
    node: Node
    around: Node
    definitions: Definitions
    detail: ErrorDetails

    def bound(self, name: str) -> Any:
        """The limit that the value is beyond."""
        return self.detail["ctx"][name]


def _fault(detail: ErrorDetails, schema: Node, value: Any) -> ValueProblem:
    """Pydantic's error about ``value``."""
    place, kind = _place(detail, schema, value), detail["type"]
    if limit := table(__file__, "limits.yaml").get(kind):
        words, bound, of = limit
        return unexpected(place.path, place.seen, words.format(place.bound(bound)), of)
    if kind in _ERRORS:
        return _ERRORS[kind](place)
    if kind.endswith("_type"):
        expected = _describe(place.node, place.definitions)
        quoted = f': write "{place.seen}", in quotes' if isinstance(place.seen, (int, float)) else ""
        expected += quoted if expected == "a text" else ""
        return unexpected(place.path, place.seen, expected, "wrong-type")
    return unexpected(place.path, place.seen, detail["msg"].removeprefix("Input should be "), "out-of-range")


def _place(detail: ErrorDetails, schema: Node, value: Any) -> _Place:
    """Follows pydantic's path through the file and the schema. Parts that are not in the file are left out."""
    definitions: Node = schema.get("$defs", {})
    path: list[str | int] = []
    node, around = schema, schema
    for number, part in enumerate(detail["loc"], 1):
        last = number == len(detail["loc"])
        there = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if there or (detail["type"] == "missing" and last):
            path.append(part)
            node, around = _below(node, part, definitions), node
            value = value[part] if there else None
        elif part in definitions and not (detail["type"].endswith("_type") and last):
            node = definitions[str(part)]  # a member of a union
    return _Place(tuple(path), detail["input"], node, around, definitions, detail)


def _missing(place: _Place) -> ValueProblem:
    is_text = place.path[-1] in LANGUAGES and {*LANGUAGES} <= {*_keys(place)}
    both = "; every text is written in English and in Chinese" if is_text else ""
    text = f"missing; expected {_describe(place.node, place.definitions)}{both}"
    return ValueProblem(place.path, text, "missing-key")


def _extra(place: _Place) -> ValueProblem:
    keys = _keys(place)
    fault = unknown(place.path, str(place.path[-1]), "one of the keys", keys, "unknown-key")
    if place.seen is None and {*keys} <= {*LANGUAGES}:
        return ValueProblem(place.path, f"{fault.text} (a text with a comma needs quotes inside {{ }})", "unknown-key")
    return fault


def _keys(place: _Place) -> list[str]:
    """The keys of what holds the value."""
    return [key for option in _options(place.around, place.definitions) for key in option.get("properties", {})]


def _literal(place: _Place) -> ValueProblem:
    options = _options(place.node, place.definitions)
    return _one_of(place.path, place.seen, [str(constant) for option in options for constant in _constants(option)])


def _item_kind(place: _Place) -> ValueProblem:
    names = list(items.kinds())
    if not isinstance(place.seen, dict):
        return unexpected(place.path, place.seen, f"a mapping with `kind`: {', '.join(names)}", "wrong-type")
    path = (*place.path, "kind")
    if "kind" not in place.seen:
        return ValueProblem(path, f"missing; expected one of: {', '.join(names)}", "missing-key")
    return _one_of(path, place.seen["kind"], names)


def _recipe(place: _Place) -> ValueProblem:
    names, seen = list(first_keys(Recipe)), place.seen
    if isinstance(seen, dict):
        first = next(iter(seen), "")
        return unknown((*place.path, first) if first else place.path, first, "a recipe", names, "recipe")
    hint = " (a list is written {value: […]})" if isinstance(seen, list) else ""
    what = f"a number, true, false, null, or a mapping with a recipe: {', '.join(names)}{hint}"
    return unexpected(place.path, seen, what, "recipe")


def _check(place: _Place) -> ValueProblem:
    seen = place.seen
    if isinstance(seen, dict) and len(seen) == 1:
        names = [name for option in _options(place.node, place.definitions) for name in option.get("enum", ())]
        return unknown(place.path, str(*seen), "a check of grader/grading/checks", names, "unknown-check")
    what = "the name of a check, or one name with its options: {name: {on: […]}}"
    return unexpected(place.path, seen, what, "wrong-type")


def _one_of(path: Path, seen: object, names: Sequence[str]) -> ValueProblem:
    if isinstance(seen, str):
        return unknown(path, seen, "one of", names, "unknown-choice")
    return unexpected(path, seen, f"one of: {', '.join(names)}", "unknown-choice")


#: Other errors by pydantic's name, or by the one that a union of ours gives them.
_ERRORS: Mapping[str, Callable[[_Place], ValueProblem]] = {
    "missing": _missing,
    "extra_forbidden": _extra,
    "unexpected_keyword_argument": _extra,
    "literal_error": _literal,
    "string_pattern_mismatch": lambda place: unexpected(
        place.path, place.seen, describe_pattern(place.bound("pattern")), "wrong-form"
    ),
    "value_error": lambda place: unexpected(place.path, place.seen, str(place.bound("error")), "wrong-form"),
    "kind": _item_kind,
    "recipe": _recipe,
    "check": _check,
}


def _options(node: Node, definitions: Definitions) -> list[Node]:
    """What a schema node admits, but for null: itself, or the members of a union; references are followed."""
    if "$ref" in node:
        return [definitions[node["$ref"].rsplit("/", 1)[1]]]
    union = node.get("anyOf") or node.get("oneOf")
    if union is None:
        return [node]
    return [option for member in union if member.get("type") != "null" for option in _options(member, definitions)]


def _below(node: Node, part: str | int, definitions: Definitions) -> Node:
    """The schema of what is at ``part``; an empty one where the schema says nothing."""
    for option in _options(node, definitions):
        if isinstance(part, int):
            prefix = option.get("prefixItems", [])
            node_below = prefix[part] if part < len(prefix) else option.get("items")
        else:
            others = [*option.get("patternProperties", {}).values(), option.get("additionalProperties")]
            node_below = option.get("properties", {}).get(part, others[0])
        if isinstance(node_below, dict):
            return node_below
    return {}


def _constants(node: Node) -> list[Any]:
    """The values that a schema node lists."""
    constants: list[Any] = node.get("enum", [node.get("const")])
    return constants


def _describe(node: Node, definitions: Definitions) -> str:
    """What a schema node wants, in words."""
    return " or ".join(dict.fromkeys(map(_describe_one, _options(node, definitions))))


def _describe_one(node: Node) -> str:
    if "enum" in node or "const" in node:
        return f"one of: {', '.join(map(show, _constants(node)))}"
    if "pattern" in node:
        return describe_pattern(node["pattern"])
    kind = node.get("type", "")
    if kind == "object" and "properties" in node:
        needed = node.get("required", [])
        keys = [f"{key}: …" for key in node["properties"] if key in needed or not needed]
        return f"a mapping {{{', '.join(keys)}}}"
    types = table(__file__, "types.yaml")
    return types.get(kind, "a value") if isinstance(kind, str) else " or ".join(types[name] for name in kind)
