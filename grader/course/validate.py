"""Checks what the shape of a file cannot show: that names exist, references fit, and sizes have values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, Protocol, TypeAlias

from grader.core import arithmetic
from grader.core.arithmetic import SIZES, Size, evaluate_size
from grader.core.constraints import first_keys
from grader.core.model import (
    Case,
    Causal,
    CheckSpec,
    Edit,
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
    SourceFile,
    Symbol,
    Text,
)
from grader.core.tables import table
from grader.core.text import Path
from grader.course import conditions, edits, items, misconceptions
from grader.course.problems import ValueProblem, check_known, drawn_as, inside, unexpected, unknown

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")

Draws: TypeAlias = Mapping[str, Sequence[int]]

#: What a contract may ask a submission to raise.
_EXCEPTIONS = ("ValueError", "TypeError", "IndexError", "KeyError", "RuntimeError", "NotImplementedError")

_SEALED = "belongs in a learners' edition only, which `attncheck bank publish` writes; remove it"

#: Combinations of drawn symbols that are tried for one size.
_MOST_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a check that has none."""


@dataclass(frozen=True, slots=True)
class CheckKind:
    """What a kind of check says of itself.

    ``about`` is its name for people. ``options`` is a dataclass of what the bank may set: its fields are the YAML keys
    (``is_`` for ``is``), its annotations decide what values are accepted. ``alone`` is what is said if every result is
    correct and nothing but this check fails. Does it compare with the ``reference``? ``weight`` is the default weight;
    with ``every_case``, a check that names no cases is judged on all, else on one. With ``failures``, it also judges
    programs that did not return.
    """

    about: Text
    options: type[Any] = NoOptions
    alone: Text | None = None
    reference: bool = False
    weight: float = 1.0
    every_case: bool = False
    failures: bool = False


class CheckModule(Protocol):
    """The module of a kind of check, as far as the bank knows it."""

    KIND: CheckKind


#: The kinds of check by name.
CheckKinds: TypeAlias = Mapping[str, CheckModule]


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that questions may use. ``None`` for those that could not be read; they are not checked."""

    groups: Sequence[str] | None
    sources: Sequence[str] | None
    references: tuple[SourceFile, ...] | None
    item_ids: Sequence[str] | None
    checks: CheckKinds
    edition: bool = False


def check_question(question: Question, raw: Mapping[str, Any], vocabulary: KnownNames) -> Iterator[ValueProblem]:
    """The problems of ``question``. ``raw`` is its file as plain values."""
    number = int(question.id.removeprefix("Q"))
    file = FilePath(question.file).name
    if not file.startswith((f"q{number:02}_", f"q{number:02}.")):
        what = f"the number in the file's name ({file}), or a file q{number:02}_….yaml"
        yield unexpected(("id",), question.id, what, "file-name")
    yield from check_known(("group",), question.group, "a group of course.yaml", vocabulary.groups, "unknown-group")
    yield from _sources(question.sources, vocabulary.sources)
    for misconception in question.misconceptions:
        asked = misconception.ask_next
        if asked:
            path = ("misconceptions", misconception.id, "ask_next")
            yield from check_known(path, asked, "the id of an item", vocabulary.item_ids, "unknown-item")
    for index, item in enumerate(question.items):
        yield from inside(_item(item, question, vocabulary), "items", index)
    for index, exercise in enumerate(question.exercises):
        mistakes = raw["exercises"][index].get("mistakes", [])
        declared = [misconception.id for misconception in question.misconceptions]
        for number, mistake in enumerate(exercise.mistakes[: len(mistakes)]):
            place = ("exercises", index, "mistakes", number, "misconception")
            yield from _misconception(place, mistake.misconception, declared)
        yield from inside(_exercise(exercise, vocabulary), "exercises", index)
        yield from inside(_mistakes(exercise, mistakes, vocabulary), "exercises", index)


def _item(item: Item, question: Question, vocabulary: KnownNames) -> Iterator[ValueProblem]:
    if not item.id.startswith(f"{question.id}."):
        yield unexpected(("id",), item.id, f"an id that begins with {question.id}.", "item-id")
    yield from _sources(item.sources, vocabulary.sources)
    declared = [misconception.id for misconception in question.misconceptions]
    for place, name in misconceptions.mentioned(item.spec):
        yield from _misconception(place, name, declared)
    if item.sealed and not vocabulary.edition:
        yield ValueProblem(("sealed",), _SEALED, "sealed")
    if not item.sealed:
        yield from items.kinds()[item.kind].validate(item.spec)
    yield from _placeholders(item)


def duplicate_names(questions: Sequence[Question]) -> Iterator[tuple[str, ValueProblem]]:
    """Names that are used twice in the bank, with the file of the second use."""
    first: dict[tuple[str, str], str] = {}
    for question in questions:
        named: list[tuple[str, str, Path]] = [("question", question.id, ("id",))]
        named += [("item", item.id, ("items", i, "id")) for i, item in enumerate(question.items)]
        named += [("exercise", e.name, ("exercises", i, e.kind)) for i, e in enumerate(question.exercises)]
        for kind, name, path in named:
            if (kind, name) in first:
                what = f"a name of its own, but {first[kind, name]} has it, too"
                yield question.file, unexpected(path, name, what, "duplicate-name")
            first.setdefault((kind, name), question.file)


def repeated_aliases(raw: Mapping[str, Any], aliases: Mapping[str, Sequence[str]]) -> Iterator[ValueProblem]:
    """Aliases of items that the whole course has anyway. ``raw`` is the file of a question as plain values."""
    for index, item in enumerate(raw.get("items") or ()):
        for name, others in (item.get("aliases") or {}).items():
            repeated = [other for other in others if other in aliases.get(name, ())]
            if repeated:
                path: Path = ("items", index, "aliases", name)
                text = f"found {', '.join(repeated)}; expected only names that course.yaml does not list for {name}"
                yield ValueProblem(path, text, "repeated-alias")


def _placeholders(item: Item) -> Iterator[ValueProblem]:
    """An item asks about every number it draws, in both languages, and has no other placeholders."""
    names = items.draw_choices(item.spec)
    for key, text in (("ask", item.ask), ("explain", item.explain)) if names else ():
        for lang, words in (("en", text.en), ("zh", text.zh)) if text else ():
            placeholders = _PLACEHOLDER.findall(words)
            for name in placeholders:
                yield from check_known((key, lang), name, "a symbol that the item draws", names, "unknown-symbol")
            missing = [name for name in names if name not in placeholders]
            if key == "ask" and missing:
                listed = ", ".join(f"{{{name}}}" for name in missing)
                yield ValueProblem((key, lang), f"expected {listed} in the text", "placeholder")


def _sources(named: Sequence[str], known: Sequence[str] | None) -> Iterator[ValueProblem]:
    for index, source in enumerate(named):
        yield from check_known(("sources", index), source, "an id of sources.yaml", known, "unknown-source")


def _misconception(path: Path, name: str, declared: Sequence[str]) -> Iterator[ValueProblem]:
    yield from check_known(path, name, "a misconception of this question", declared, "unknown-misconception")


# ------------------------------------------------------------------------------------------- exercises


def _exercise(exercise: Exercise, vocabulary: KnownNames) -> Iterator[ValueProblem]:
    if vocabulary.references is not None:
        yield from _reference(("reference",), exercise.reference, vocabulary.references)
        for index, alternative in enumerate(exercise.alternatives):
            yield from _reference(("alternatives", index, "code"), alternative.code, vocabulary.references)
    yield from _cases_of(exercise, vocabulary)
    yield from _checks(exercise, vocabulary)
    for name, _ in exercise.not_applicable:
        yield from _condition(("not_applicable", name), name, exercise)
    if exercise.through is not None:
        yield from _helper(("through",), exercise.through)
    yield from _variants(exercise)


def _cases_of(exercise: Exercise, vocabulary: KnownNames) -> Iterator[ValueProblem]:
    names = [case.name for case in exercise.cases]
    kinds = [check.kind for check in exercise.checks]
    for index, case in enumerate(exercise.cases):
        if case.name in names[:index]:
            what = "a name that no other case of the exercise has"
            yield unexpected(("cases", index, "name"), case.name, what, "duplicate-name")
        for place, kind in enumerate(case.only):
            path: Path = ("cases", index, "only", place)
            yield from check_known(path, kind, "a check of this exercise", kinds, "unknown-check")
        if case.sealed and not vocabulary.edition:
            yield ValueProblem(("cases", index, "sealed"), _SEALED, "sealed")
        if not case.sealed:
            yield from inside(_case(case, exercise), "cases", index)


def _checks(exercise: Exercise, vocabulary: KnownNames) -> Iterator[ValueProblem]:
    names = [case.name for case in exercise.cases]
    for index, check in enumerate(exercise.checks):
        path: Path = ("checks", index)
        what = "a check of grader/grading/checks"
        yield from check_known(path, check.kind, what, vocabulary.checks, "unknown-check")
        if not check.on and not any(_serves(case, check.kind) for case in exercise.cases):
            wanted = "with `raises`" if check.kind == "raises" else "that `only` and `raises` leave to it"
            yield ValueProblem(path, f"{check.kind} has no case; expected one {wanted}", "check-without-case")
        for place, name in enumerate(check.on):
            where = (*path, check.kind, "on", place)
            yield from check_known(where, name, "a case of this exercise", names, "unknown-case")


def _variants(exercise: Exercise) -> Iterator[ValueProblem]:
    taken = [parameter.name for parameter in exercise.takes]
    for index, variant in enumerate(exercise.variants):
        path: Path = ("variants", index)
        if not variant.expand and not variant.give:
            what = "`expand: {mask: [query, key]}` or `give: {argument: value}`"
            yield ValueProblem(path, f"it changes nothing; expected {what}", "empty-variant")
        named: list[tuple[Path, str]] = [((*path, "give", name), name) for name, _ in variant.give]
        for mask, lengths in variant.expand:
            place = (*path, "expand", mask)
            named += [(place, mask), ((*place, 0), lengths[0]), ((*place, 1), lengths[1])]
        for where, name in named:
            yield from check_known(where, name, "an argument of this exercise", taken, "unknown-argument")


def helpers() -> Sequence[str]:
    """The helpers that a bank may name. Their module is not imported, because it needs torch; a test compares both."""
    names: Sequence[str] = table(__file__, "helpers.yaml")
    return names


def _helper(path: Path, name: str) -> Iterator[ValueProblem]:
    yield from check_known(path, name, "a helper in grader/sandbox/inside/helpers.py", helpers(), "unknown-helper")


def _mistakes(exercise: Exercise, raw: Sequence[Mapping[str, Any]], vocabulary: KnownNames) -> Iterator[ValueProblem]:
    """Mistakes whose edits cannot be made, that repeat another one, or that declare checks there are not."""
    judged: set[tuple[str, str]] = set()
    for check in exercise.checks:
        names = check.on or [case.name for case in cases_for(check, exercise, vocabulary.checks)]
        judged |= {(check.kind, name) for name in names}
    possible = [*sorted({kind for kind, _ in judged}), *sorted(f"{kind}/{name}" for kind, name in judged)]
    module = f"reference.{exercise.reference.rpartition('.')[0]}"
    files = vocabulary.references or ()
    readable = any(file.module == module for file in files)
    made: list[tuple[Edit, ...]] = []
    if len(exercise.mistakes) > len(raw) and not vocabulary.edition:
        yield ValueProblem(("recognised",), _SEALED, "sealed")
    for index, mistake in enumerate(exercise.mistakes[: len(raw)]):
        path = ("mistakes", index)
        if mistake.edits in made:
            what = "edits that no other mistake of the exercise has"
            yield unexpected(path, mistake.misconception, what, "mistakes-alike")
        made.append(mistake.edits)
        for place, failed in enumerate(mistake.fails):
            what = "a check of this exercise, or check/case"
            yield from check_known((*path, "fails", place), failed, what, possible, "unknown-check")
        for fault in edits.problems(files, mistake.edits, module) if readable else ():
            below = ("edits", *fault.path) if "edits" in raw[index] else fault.path[1:]
            yield replace(fault, path=(*path, *below))


def cases_for(check: CheckSpec, exercise: Exercise, kinds: CheckKinds) -> tuple[Case, ...]:
    """The cases that ``check`` is judged on: those that it names, those that name it, else the default of its kind."""
    if check.on:
        return tuple(case for case in exercise.cases if case.name in check.on)
    served = tuple(case for case in exercise.cases if _serves(case, check.kind))
    if check.kind == "raises" or (check.kind in kinds and kinds[check.kind].KIND.every_case):
        return served
    return tuple(case for case in exercise.cases if check.kind in case.only) or served[:1]


def _serves(case: Case, kind: str) -> bool:
    """Whether a check of this kind that names no cases can use this one."""
    if kind == "raises":
        return case.raises is not None
    return kind in case.only or not (case.only or case.raises)


def _reference(path: Path, name: str, references: Sequence[SourceFile]) -> Iterator[ValueProblem]:
    module, _, attribute = name.partition(".")
    names = {file.module.rpartition(".")[2]: dict(file.defines) for file in references}
    if module not in names:
        yield unknown(path, module, "a module in reference/", names, "unknown-reference")
    elif attribute not in names[module]:
        defined = [f"{module}.{other}" for other in names[module]]
        yield unknown(path, name, f"a name of reference/{module}.py", defined, "unknown-reference")


def _case(case: Case, exercise: Exercise) -> Iterator[ValueProblem]:
    constructed = exercise.kind == "class" and not exercise.through
    if constructed:
        yield from _arguments("construct", case.construct, exercise.parameters, exercise.signature, case)
    if constructed and case.args and not exercise.forward_signature:
        text = "the exercise has no `forward`; expected one, such as (query, mask=None)"
        yield ValueProblem(("args",), text, "unused-key")
    else:
        yield from _arguments("args", case.args, exercise.takes, _called(exercise), case)
    if constructed and case.parameters and not exercise.adapter:
        text = "there is no `adapter` in the exercise; expected one that puts them in place"
        yield ValueProblem(("parameters",), text, "unused-key")
    for key, recipes in (("construct", case.construct), ("parameters", case.parameters)):
        if recipes and not constructed:
            text = f"nothing is constructed; expected `{key}` for a class without `through` only"
            yield ValueProblem((key,), text, "unused-key")
    yield from _recipes(case, exercise)
    for number, name in enumerate(case.conditions):
        yield from _condition(("conditions", number), name, exercise)
    if case.raises:
        yield from check_known(("raises",), case.raises, "one of", _EXCEPTIONS, "unknown-exception")


def _called(exercise: Exercise) -> str:
    """What takes the ``args`` of a case."""
    return exercise.through or exercise.forward_signature or exercise.signature


def _recipes(case: Case, exercise: Exercise) -> Iterator[ValueProblem]:
    """The problems of what a case gives, for its own call and for those under ``then``."""
    draws = dict(case.draw)
    for key, recipes in (("construct", case.construct), ("parameters", case.parameters), ("args", case.args)):
        for name, recipe in recipes:
            yield from inside(_recipe(recipe, draws, dict(recipes), name), key, name)
    for number, later in enumerate(case.then):
        around = dict(case.args) | dict(later)
        for name, recipe in later:
            taken = [parameter.name for parameter in exercise.takes]
            what = f"an argument of {_called(exercise)}"
            yield from check_known(("then", number, name), name, what, taken, "unknown-argument")
            yield from inside(_recipe(recipe, draws, around, name), "then", number, name)


def _condition(path: Path, name: str, exercise: Exercise) -> Iterator[ValueProblem]:
    """A condition must be one of the table, of an argument that the exercise has."""
    argument, _, condition = name.rpartition(".")
    if condition not in conditions.CONDITIONS:
        yield unknown(path, name, "a condition", list(conditions.CONDITIONS), "unknown-condition")
    elif argument:
        arguments = conditions.names_of(exercise)
        yield from check_known(path, argument, "an argument of the exercise", arguments, "unknown-argument")


def _arguments(
    key: str, given: Sequence[tuple[str, Recipe]], parameters: Sequence[Parameter], called: str, case: Case
) -> Iterator[ValueProblem]:
    """Arguments that ``called`` does not take, and required ones that are missing, unless the call has to raise."""
    taken = [parameter.name for parameter in parameters]
    for name, _ in given:
        yield from check_known((key, name), name, f"an argument of {called}", taken, "unknown-argument")
    missing = [p.name for p in parameters if p.required and all(p.name != name for name, _ in given)]
    if missing and case.raises is None:
        text = f"missing: {', '.join(missing)}; expected all that {called} requires, or `raises`"
        yield ValueProblem((key,), text, "missing-argument")


# --------------------------------------------------------------------------------------------- recipes


def _recipe(recipe: Recipe, draws: Draws, around: Mapping[str, Recipe], own: str) -> Iterator[ValueProblem]:
    """The problems of the recipe named ``own`` among the recipes ``around`` it."""
    match recipe:
        case Same(name=name):
            others = [other for other, made in around.items() if other != own and not isinstance(made, Same)]
            what = "another argument here with a recipe of its own"
            yield from check_known(("same_as",), name, what, others, "unknown-argument")
        case Made(helper=helper, parts=parts):
            yield from _helper(("make",), helper)
            for name, part in parts:
                if isinstance(part, Same):
                    yield unexpected(("with", name), "same_as", "a recipe of its own inside `make`", "recipe")
                else:
                    yield from inside(_recipe(part, draws, {}, name), "with", name)
        case Own(otherwise=str(otherwise)):
            yield from _helper(("else",), otherwise)
        case Literal_(value=value) if _holds_mapping(value):
            yield unexpected(("value",), value, "a number, text, true, false, null or a list of these", "recipe")
    for path, size, least in _sizes(recipe):
        yield from _size(path, size, least, draws)
    if isinstance(recipe, Integers):
        for symbols in _drawn(arithmetic.names(recipe.low, SIZES) | arithmetic.names(recipe.high, SIZES), draws):
            low, high = evaluate_size(recipe.low, symbols), evaluate_size(recipe.high, symbols)
            if low >= high:
                yield ValueProblem((), f"found low {low} and high {high}; expected low below high", "size")
                break


def _sizes(recipe: Recipe) -> Iterator[tuple[Path, Size, int | None]]:
    """The sizes in the recipe: the path, the size, and the least value allowed, if any."""
    match recipe:
        case Normal(shape) | Integers(shape) | RandomMask(shape) | Causal(shape):
            key = next(key for key, kind in first_keys(Recipe).items() if isinstance(recipe, kind))
            yield from (((key, index), size, 0) for index, size in enumerate(shape))
        case Permutation(size=size):
            yield ("permutation",), size, 2  # a single element cannot change its place
        case Symbol(size=size):
            yield (), size, None
    if isinstance(recipe, Integers):
        yield from ((("low",), recipe.low, None), (("high",), recipe.high, None))


def _size(path: Path, size: Size, least: int | None, draws: Draws) -> Iterator[ValueProblem]:
    strange = sorted(arithmetic.names(size, SIZES) - set(draws))
    for name in strange:
        text = "" if path else " (a text is written {value: …})"
        fault = unknown(path, name, "a symbol that the case draws", list(draws), "unknown-symbol")
        yield replace(fault, text=fault.text + text)
    for symbols in _drawn(arithmetic.names(size, SIZES), draws) if not strange else ():
        try:
            value = evaluate_size(size, symbols)
        except ValueError as error:
            yield unexpected(path, size, f"arithmetic that always has a value, but {error}{drawn_as(symbols)}", "size")
            return
        if least is not None and value < least:
            yield unexpected(path, size, f"a size of {least} or more, but it is {value}{drawn_as(symbols)}", "size")
            return


def _drawn(names: frozenset[str], draws: Draws) -> Iterator[dict[str, int]]:
    """The combinations of draws of ``names``; none if one of them is not drawn."""
    if names <= draws.keys():
        yield from items.draws({name: draws[name] for name in sorted(names)}, _MOST_DRAWS)


def _holds_mapping(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_mapping, value)))
