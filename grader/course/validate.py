"""What in a bank must fit together beyond the shape of each file: names, references, sizes."""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Protocol, TypeAlias

from grader.core import sizes
from grader.core.faults import Fault, Path, unexpected, unknown
from grader.core.model import (
    Case,
    Causal,
    CheckSpec,
    Exercise,
    Integers,
    Item,
    Literal_,
    Made,
    Normal,
    Own,
    Parameter,
    Permutation,
    Question,
    RandomMask,
    Recipe,
    Same,
    Size,
    SourceFile,
    Symbol,
)
from grader.course import edits, items

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_HELPERS = FilePath(__file__).parents[1] / "sandbox" / "inside" / "helpers.py"

Draws: TypeAlias = Mapping[str, Sequence[int]]

#: What a contract may ask a submission to raise.
_EXCEPTIONS = ("ValueError", "TypeError", "IndexError", "KeyError", "RuntimeError", "NotImplementedError")

_SEALED = "stands in a learners' edition only, which `attncheck bank publish` writes; take it out"

#: Combinations of drawn symbols that are tried for one size.
_MOST_DRAWS = 1000


class CheckKind(Protocol):
    """What the bank may say of a kind of check.

    ``Options`` is a dataclass: its fields are the YAML keys (``is_`` for ``is``), its annotations decide what values
    are accepted. ``WEIGHT`` is the default weight; with ``EVERY_CASE`` a check that names no cases is judged on all.
    """

    Options: type[Any]
    WEIGHT: float
    EVERY_CASE: bool


#: The kinds of check by name.
CheckKinds: TypeAlias = Mapping[str, CheckKind]


@dataclass(frozen=True, slots=True)
class Known:
    """What questions may name. ``None`` where it could not be read: then nothing is said about it."""

    groups: Sequence[str] | None
    sources: Sequence[str] | None
    references: Mapping[str, Sequence[str]] | None
    reference_files: tuple[SourceFile, ...] | None
    item_ids: Sequence[str] | None
    checks: CheckKinds
    edition: bool = False


@functools.cache
def helpers() -> tuple[str, ...]:
    """The names in ``HELPERS`` of the sandbox, which is not imported for it (that would take torch)."""
    tree = ast.parse(_HELPERS.read_text("utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    relative = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]
    functions |= {alias.name for node in relative for alias in node.names}
    listed = [node for node in tree.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "HELPERS"]
    named = {node.id for each in listed for node in ast.walk(each) if isinstance(node, ast.Name)}
    return tuple(sorted(functions & named))


def faults(question: Question, raw: Mapping[str, Any], known: Known) -> Iterator[Fault]:
    """Everything in ``question`` that does not fit; ``raw`` is its file as plain values."""
    number = int(question.id.removeprefix("Q"))
    file = FilePath(question.file).name
    if not file.startswith((f"q{number:02}_", f"q{number:02}.")):
        yield unexpected(("id",), question.id, f"the number in the file's name ({file}), or a file q{number:02}_….yaml")
    if known.groups is not None and question.group not in known.groups:
        yield unknown(("group",), question.group, "a group of course.yaml", known.groups)
    yield from _sources((), question.sources, known)
    for misconception in question.misconceptions:
        asked = misconception.ask_next
        if asked and known.item_ids is not None and asked not in known.item_ids:
            yield unknown(("misconceptions", misconception.id, "ask_next"), asked, "the id of an item", known.item_ids)
    names = [misconception.id for misconception in question.misconceptions]
    yield from _misconceptions(("items",), raw.get("items"), names)
    yield from _misconceptions(("exercises",), raw.get("exercises"), names)
    for index, item in enumerate(question.items):
        path = ("items", index)
        if not item.id.startswith(f"{question.id}."):
            yield unexpected((*path, "id"), item.id, f"an id that begins with {question.id}.")
        yield from _sources(path, item.sources, known)
        if item.sealed and not known.edition:
            yield Fault((*path, "sealed"), _SEALED)
        of_kind = () if item.sealed else items.kinds()[item.kind].validate(item.spec)
        for fault in itertools.chain(of_kind, _placeholders(item)):
            yield fault.inside(*path)
    for index, exercise in enumerate(question.exercises):
        mistakes = raw["exercises"][index].get("mistakes", [])
        for fault in itertools.chain(_exercise(exercise, known), _mistakes(exercise, mistakes, known)):
            yield fault.inside("exercises", index)


def twice(questions: Sequence[Question]) -> Iterator[tuple[str, Fault]]:
    """Names that must be unique in the whole bank and are not, with the file of the later one."""
    first: dict[tuple[str, str], str] = {}
    for question in questions:
        named: list[tuple[str, str, Path]] = [("question", question.id, ("id",))]
        named += [("item", item.id, ("items", i, "id")) for i, item in enumerate(question.items)]
        named += [("exercise", e.name, ("exercises", i, e.kind)) for i, e in enumerate(question.exercises)]
        for kind, name, path in named:
            if (kind, name) in first:
                yield question.file, unexpected(path, name, f"a name of its own, but {first[kind, name]} has it, too")
            first.setdefault((kind, name), question.file)


def _placeholders(item: Item) -> Iterator[Fault]:
    """What an item draws is asked about in both languages, and nothing else is left to be filled in."""
    names = items.drawn(item.spec)
    for key, text in (("ask", item.ask), ("explain", item.explain)) if names else ():
        for lang, words in (("en", text.en), ("zh", text.zh)) if text else ():
            found = _PLACEHOLDER.findall(words)
            for name in found:
                if name not in names:
                    yield unknown((key, lang), name, "a symbol that the item draws", names)
            missing = [name for name in names if name not in found]
            if key == "ask" and missing:
                yield Fault((key, lang), f"expected {', '.join(f'{{{name}}}' for name in missing)} in the text")


def _sources(path: Path, named: Sequence[str], known: Known) -> Iterator[Fault]:
    for index, source in enumerate(named):
        if known.sources is not None and source not in known.sources:
            yield unknown((*path, "sources", index), source, "an id of sources.yaml", known.sources)


def _misconceptions(path: Path, value: Any, known: Sequence[str]) -> Iterator[Fault]:
    """Wherever an item of whatever kind says ``misconception: name``."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _misconceptions((*path, index), part, known)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key == "misconception" and isinstance(part, str) and part not in known:
                yield unknown((*path, key), part, "a misconception of this question", known)
            yield from _misconceptions((*path, key), part, known)


# ------------------------------------------------------------------------------------------- exercises


def _exercise(exercise: Exercise, known: Known) -> Iterator[Fault]:
    if known.references is not None:
        yield from _reference(exercise.reference, known.references)
    names = [case.name for case in exercise.cases]
    kinds = [check.kind for check in exercise.checks]
    for index, case in enumerate(exercise.cases):
        if case.name in names[:index]:
            path: Path = ("cases", index, "name")
            yield unexpected(path, case.name, "a name that no other case of the exercise has")
        if case.sealed and not known.edition:
            yield Fault(("cases", index, "sealed"), _SEALED)
        for place, kind in enumerate(case.only):
            if kind not in kinds:
                yield unknown(("cases", index, "only", place), kind, "a check of this exercise", kinds)
        for fault in () if case.sealed else _case(case, exercise):
            yield fault.inside("cases", index)
    for index, check in enumerate(exercise.checks):
        if check.kind not in known.checks:
            yield unknown(("checks", index), check.kind, "a check of grader/grading/checks", known.checks)
        if not check.on and not any(_serves(case, check.kind) for case in exercise.cases):
            wanted = "with `raises`" if check.kind == "raises" else "that `only` and `raises` leave to it"
            yield Fault(("checks", index), f"{check.kind} has no case; expected one {wanted}")
        for place, name in enumerate(check.on):
            if name not in names:
                yield unknown(("checks", index, check.kind, "on", place), name, "a case of this exercise", names)
    if exercise.through is not None and exercise.through not in helpers():
        yield unknown(("through",), exercise.through, "a helper in grader/sandbox/inside/helpers.py", helpers())
    taken = [parameter.name for parameter in exercise.takes]
    for index, variant in enumerate(exercise.variants):
        for name, _ in variant.give:
            if name not in taken:
                yield unknown(("variants", index, "give", name), name, "an argument of this exercise", taken)
        for mask, lengths in variant.expand:
            path = ("variants", index, "expand", mask)
            for where, name in ((path, mask), ((*path, 0), lengths[0]), ((*path, 1), lengths[1])):
                if name not in taken:
                    yield unknown(where, name, "an argument of this exercise", taken)


def _mistakes(exercise: Exercise, raw: Sequence[Mapping[str, Any]], known: Known) -> Iterator[Fault]:
    """That every mistake can be made, has a name of its own, and fails what there is to fail."""
    judged = {(check.kind, name) for check in exercise.checks for name in _cases(check, exercise, known.checks)}
    possible = [*sorted({kind for kind, _ in judged}), *sorted(f"{kind}/{name}" for kind, name in judged)]
    module = f"reference.{exercise.reference.rpartition('.')[0]}"
    files = known.reference_files or ()
    readable = any(file.module == module for file in files)
    named: set[str] = set()
    if len(exercise.mistakes) > len(raw) and not known.edition:
        yield Fault(("recognised",), _SEALED)
    for index, mistake in enumerate(exercise.mistakes[: len(raw)]):
        path = ("mistakes", index)
        if mistake.misconception in named:
            what = "a misconception that no other mistake of the exercise has"
            yield unexpected((*path, "misconception"), mistake.misconception, what)
        named.add(mistake.misconception)
        for place, failed in enumerate(mistake.fails):
            if failed not in possible:
                what = "a check of this exercise, or check/case"
                yield unknown((*path, "fails", place), failed, what, possible)
        for fault in edits.faults(files, mistake.edits, module) if readable else ():
            inside = ("edits", *fault.path) if "edits" in raw[index] else fault.path[1:]
            yield Fault((*path, *inside), fault.text)


def _cases(check: CheckSpec, exercise: Exercise, kinds: CheckKinds) -> list[str]:
    """The names of the cases that ``check`` is judged on, as ``grader.grading.checks`` will choose them."""
    if check.on:
        return list(check.on)
    served = [case.name for case in exercise.cases if _serves(case, check.kind)]
    if check.kind == "raises" or (check.kind in kinds and kinds[check.kind].EVERY_CASE):
        return served
    return [case.name for case in exercise.cases if check.kind in case.only] or served[:1]


def _serves(case: Case, kind: str) -> bool:
    """Whether a check that names no cases can use this one."""
    if kind == "raises":
        return case.raises is not None
    return kind in case.only or not (case.only or case.raises)


def _reference(name: str, references: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    module, _, attribute = name.partition(".")
    if module not in references:
        yield unknown(("reference",), module, "a module in reference/", list(references))
    elif attribute not in references[module]:
        yield unknown(
            ("reference",), name, f"a name of reference/{module}.py", [f"{module}.{n}" for n in references[module]]
        )


def _case(case: Case, exercise: Exercise) -> Iterator[Fault]:
    if exercise.through:
        yield from _arguments("args", case.args, exercise.forward, exercise.through, case)
    elif exercise.kind == "class":
        yield from _arguments("construct", case.construct, exercise.parameters, exercise.signature, case)
        if exercise.forward_signature:
            yield from _arguments("args", case.args, exercise.forward, exercise.forward_signature, case)
        elif case.args:
            yield Fault(("args",), "the exercise has no `forward`; expected one, such as (query, mask=None)")
        if case.parameters and not exercise.adapter:
            yield Fault(("parameters",), "there is no `adapter` in the exercise; expected one that puts them in place")
    else:
        yield from _arguments("args", case.args, exercise.parameters, exercise.signature, case)
    if exercise.kind == "function" or exercise.through:
        for key, found in (("construct", case.construct), ("parameters", case.parameters)):
            if found:
                yield Fault((key,), f"nothing is constructed; expected `{key}` for a class without `through` only")
    draws = dict(case.draw)
    for key, recipes in (("construct", case.construct), ("parameters", case.parameters), ("args", case.args)):
        for name, recipe in recipes:
            for fault in _recipe(recipe, draws, dict(recipes), name):
                yield fault.inside(key, name)
    if case.raises and case.raises not in _EXCEPTIONS:
        yield unknown(("raises",), case.raises, "one of", _EXCEPTIONS)


def _arguments(
    key: str, given: Sequence[tuple[str, Recipe]], parameters: Sequence[Parameter], called: str, case: Case
) -> Iterator[Fault]:
    """``given`` are arguments of ``called``; none that it requires is missing, unless the call has to fail."""
    for name, _ in given:
        if all(name != parameter.name for parameter in parameters):
            yield unknown((key, name), name, f"an argument of {called}", [parameter.name for parameter in parameters])
    missing = [p.name for p in parameters if p.required and all(p.name != name for name, _ in given)]
    if missing and case.raises is None:
        yield Fault((key,), f"missing: {', '.join(missing)}; expected all that {called} requires, or `raises`")


# --------------------------------------------------------------------------------------------- recipes


def _recipe(recipe: Recipe, draws: Draws, around: Mapping[str, Recipe], own: str) -> Iterator[Fault]:
    """``around`` are the recipes that ``recipe`` stands among, under the name ``own``."""
    match recipe:
        case Same(name=name):
            others = [other for other, found in around.items() if other != own and not isinstance(found, Same)]
            if name not in others:
                yield unknown(("same_as",), name, "another argument here with a recipe of its own", others)
        case Made(helper=helper, parts=parts):
            if helper not in helpers():
                yield unknown(("make",), helper, "a helper in grader/sandbox/inside/helpers.py", helpers())
            for name, part in parts:
                if isinstance(part, Same):
                    yield unexpected(("with", name), "same_as", "a recipe of its own inside `make`")
                else:
                    for fault in _recipe(part, draws, {}, name):
                        yield fault.inside("with", name)
        case Own(otherwise=str(otherwise)) if otherwise not in helpers():
            yield unknown(("else",), otherwise, "a helper in grader/sandbox/inside/helpers.py", helpers())
        case Literal_(value=value) if _holds_mapping(value):
            yield unexpected(("value",), value, "a number, text, true, false, null or a list of these")
    for path, size, least in _sizes(recipe):
        yield from _size(path, size, least, draws)
    if isinstance(recipe, Integers):
        for symbols in _drawn(sizes.names(recipe.low) | sizes.names(recipe.high), draws):
            low, high = sizes.evaluate(recipe.low, symbols), sizes.evaluate(recipe.high, symbols)
            if low >= high:
                yield Fault((), f"saw low {low} and high {high}; expected low below high")
                break


def _sizes(recipe: Recipe) -> Iterator[tuple[Path, Size, int | None]]:
    """Where sizes stand in the recipe, and the least that each may be."""
    shapes = {"normal": Normal, "integers": Integers, "mask": RandomMask}
    match recipe:
        case Normal(shape=shape) | Integers(shape=shape) | RandomMask(shape=shape):
            key = next(key for key, kind in shapes.items() if isinstance(recipe, kind))
            yield from (((key, index), size, 0) for index, size in enumerate(shape))
        case Causal(n_q=n_q, n_k=n_k):
            yield from ((("causal", 0), n_q, 0), (("causal", 1), n_k, 0))
        case Permutation(size=size):
            yield ("permutation",), size, 2  # one thing alone can only stand at its own place
        case Symbol(size=size):
            yield (), size, None
    if isinstance(recipe, Integers):
        yield from ((("low",), recipe.low, None), (("high",), recipe.high, None))


def _size(path: Path, size: Size, least: int | None, draws: Draws) -> Iterator[Fault]:
    strange = sorted(sizes.names(size) - set(draws))
    for name in strange:
        text = "" if path else " (a text is written {value: …})"
        fault = unknown(path, name, "a symbol that the case draws", list(draws))
        yield Fault(path, fault.text + text)
    for symbols in _drawn(sizes.names(size), draws) if not strange else ():
        at = f" with {', '.join(f'{name} = {value}' for name, value in symbols.items())}" if symbols else ""
        try:
            value = sizes.evaluate(size, symbols)
        except ValueError as fault:
            yield unexpected(path, size, f"arithmetic that always has a value, but {fault}{at}")
            return
        if least is not None and value < least:
            yield unexpected(path, size, f"a size of {least} or more, but it is {value}{at}")
            return


def _drawn(names: frozenset[str], draws: Draws) -> Iterator[dict[str, int]]:
    """The combinations of draws of ``names``; none if one of them is not drawn."""
    used = sorted(names)
    if set(used) <= set(draws):
        for values in itertools.islice(itertools.product(*(draws[name] for name in used)), _MOST_DRAWS):
            yield dict(zip(used, values, strict=True))


def _holds_mapping(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_mapping, value)))
