"""The declarations of an item: its symbols, and what is given about random quantities."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.core.model import Message, Text
from grader.core.tables import patterns, table
from grader.formulas.ast import ONE, FunctionCall, Name, Node, walk
from grader.formulas.errors import FormulaError
from grader.formulas.parse import parse
from grader.formulas.tokens import names, normalize
from grader.formulas.vocabulary import Kind, Vocabulary

Numbers: TypeAlias = Literal["integer", "positive integer", "index", "real", "positive real", "fraction"]

DECLARATION_FORMS = (
    "positive integer, integer, index(n), real, positive real, fraction, vector(d), weights(n), row(d), matrix(n, d), "
    "permutation(n), map(d, d), rotation, rotation(θ), or a formula followed by (definition)"
)
GIVEN_FORMS = Message(
    "`iid(mean=0, var=1, size=d)`, `random(mean=m, var=v)`, `normal(mean=0, var=1, size=d)`, "
    "or another name followed by `(the same variable)`"
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number chosen by the instance. ``sizes`` holds the upper bound of an index."""

    numbers: Numbers
    sizes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Tensor:
    """A vector or matrix of numbers chosen by the instance.

    ``row`` vectors lie, a ``permutation`` matrix has one 1 in each row and column, ``weights`` are positive with sum 1.
    """

    sizes: tuple[Node, ...]
    row: bool = False
    permutation: bool = False
    weights: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """An unknown differentiable function from vectors to vectors, with the sizes of both."""

    sizes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Rotation:
    """A family of rotations of the plane: R_t rotates by t · ``angle``."""

    angle: Node


@dataclass(frozen=True, slots=True)
class Definition:
    """A name for a formula; with ``parameter``, a function of it."""

    formula: Node
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class Random:
    """A random quantity with this mean and variance.

    ``independent`` says whether its components are; if not, nothing is known, and they are evaluated as equal.
    """

    mean: Node
    var: Node
    sizes: tuple[Node, ...] = ()
    independent: bool = True
    normal: bool = False


Declaration: TypeAlias = Scalar | Tensor | Map | Rotation | Definition | Random


@dataclass(frozen=True, slots=True)
class Declarations:
    """All declarations of an item."""

    declared: Mapping[str, Declaration]
    vocabulary: Vocabulary

    @property
    def random(self) -> dict[str, Random]:
        """The random quantities."""
        return {name: found for name, found in self.declared.items() if isinstance(found, Random)}

    @property
    def sizes(self) -> tuple[Node, ...]:
        """The sizes of all vectors and matrices."""
        shaped = [found for found in self.declared.values() if isinstance(found, (Tensor, Random))]
        return tuple(dict.fromkeys(size for found in shaped for size in found.sizes))

    @property
    def only_size(self) -> Node | None:
        """The size of all vectors and matrices, if they have but one."""
        return self.sizes[0] if len(self.sizes) == 1 else None

    def names_in(self, node: Node) -> set[str]:
        """The declared names that ``node`` depends on, also through definitions, sizes and moments."""
        needed: set[str] = set()
        todo = [node]
        while todo:
            for part in walk(todo.pop()):
                name = part.name if isinstance(part, Name) else part.function if isinstance(part, FunctionCall) else ""
                if name in self.declared and name not in needed:
                    needed.add(name)
                    todo += formulas_in(self.declared[name])
        return needed


def formulas_in(declared: Declaration) -> tuple[Node, ...]:
    """The formulas that a declaration contains."""
    match declared:
        case Scalar(_, sizes) | Tensor(sizes) | Map(sizes):
            return sizes
        case Rotation(angle):
            return (angle,)
        case Definition(formula):
            return (formula,)
        case Random(mean, var, sizes):
            return (mean, var, *sizes)


class DeclarationError(FormulaError):
    """A declaration that cannot be read; ``name`` is the declared name."""

    def __init__(self, name: str, text: Text) -> None:
        super().__init__(text)
        self.name = name


_form = patterns(__file__, "declarations.yaml")

_NOT_A_NAME = Message("“{name}” is not a name.")
_NOT_DECLARED = Message("“{text}” is not one of: {known}.")
_ROUND = Message("the definition of “${name}$” uses “${name}$” itself.")
_KEY = Message("“{text}”: write it as {known}.")


def read_declarations(
    symbols: Mapping[str, str],
    given: Mapping[str, str] | None = None,
    aliases: Mapping[str, Iterable[str]] | None = None,
) -> Declarations:
    """Reads the declarations of an item; ``given`` overrides ``symbols``. Raises DeclarationError.

    ``aliases`` are other names that learners may use.
    """
    heads = {name: _head(name) for name in [*symbols, *(given or {})]}
    texts = {heads[name][0]: text.strip() for name, text in symbols.items()}
    about = {heads[name][0]: text.strip() for name, text in (given or {}).items()}
    parameters = {base: parameter for base, parameter in heads.values()}
    kinds: dict[str, Kind] = {}
    for name, text in texts.items():
        kinds[name] = "function" if parameters[name] else _kind(text)
    for name, text in about.items():
        kinds[name] = _random_kind(text) if _form("given").fullmatch(text) else "definition"
    vocabulary = Vocabulary.of(kinds, aliases)
    declared: dict[str, Declaration] = {}
    for name, text in texts.items():
        if name not in about:
            with _naming(name):
                declared[name] = _symbol(name, text, parameters[name], vocabulary)
    for name, text in about.items():
        with _naming(name):
            declared[name] = _random(name, text, vocabulary, texts.get(name))
    found = Declarations(declared, vocabulary)
    _no_circles(found)
    return found


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Turns a FormulaError into a DeclarationError for ``name``."""
    try:
        yield
    except DeclarationError:
        raise
    except FormulaError as error:
        raise DeclarationError(name, error.text) from None


def _head(name: str) -> tuple[str, str | None]:
    """``PE(p)`` → PE and p."""
    found = _form("head").fullmatch(normalize(name).strip())
    if not found or (found[1] in names("functions") and len(found[1]) > 2):
        raise DeclarationError(name, _NOT_A_NAME.fill(name=name))
    return found[1], found[2]


def _kind(text: str) -> Kind:
    shaped = _form("shaped").fullmatch(text)
    word = shaped[1] if shaped else text
    if word in ("vector", "weights", "row", "row vector"):
        return "vector"
    if word in ("matrix", "permutation"):
        return "matrix"
    if word in ("map", "rotation"):
        return word  # type: ignore[return-value]
    return "definition" if _form("defined").fullmatch(text) else "scalar"


def _random_kind(text: str) -> Kind:
    found = _form("given").fullmatch(text)
    size = dict(_settings(found[2])).get("size", "") if found else ""
    return "matrix" if "," in size else "vector" if size else "scalar"


def _symbol(name: str, text: str, parameter: str | None, vocabulary: Vocabulary) -> Declaration:
    if found := _form("defined").fullmatch(text):
        if parameter:
            vocabulary = Vocabulary.of({**vocabulary.kinds, parameter: "scalar"})
        return Definition(parse(found[1], vocabulary), parameter)
    if shaped := _form("shaped").fullmatch(text):
        inner = tuple(parse(part, vocabulary) for part in shaped[2].split(","))
        if shaped[1] == "rotation" and len(inner) == 1:
            return Rotation(inner[0])
        if len(inner) == table(__file__, "declarations.yaml")["counts"].get(shaped[1]):
            match shaped[1]:
                case "map":
                    return Map(inner)
                case "index":
                    return Scalar("index", inner)
                case "permutation":
                    return Tensor(inner * 2, permutation=True)
            return Tensor(inner, row=shaped[1].startswith("row"), weights=shaped[1] == "weights")
    words = " ".join(text.split())
    match words:
        case "rotation":
            return Rotation(ONE)
        case "integer" | "positive integer" | "real" | "positive real" | "fraction":
            return Scalar(words)
    raise DeclarationError(name, _NOT_DECLARED.fill(text=text, known=DECLARATION_FORMS))


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """``mean=0, var=1, size=(n, d)`` → pairs; values without a key are mean, var and size, in this order."""
    order = iter(("mean", "var", "size", "size"))
    for part in re.findall(r"(?:[^,()]|\([^()]*\))+", normalize(text)):
        key, equals, value = part.partition("=")
        name = table(__file__, "declarations.yaml")["keys"].get(key.strip().lower(), "") if equals else next(order, "")
        yield name, (value if equals else key).strip()


def _random(name: str, text: str, vocabulary: Vocabulary, symbol: str | None) -> Declaration:
    found = _form("given").fullmatch(text)
    if not found:
        same = _form("same").fullmatch(text) or _form("defined").fullmatch(text)
        formula = (same[1] if same else text).strip()
        formula = formula.partition("=")[2] if formula.startswith(f"{name} ") and "=" in formula else formula
        return Definition(parse(formula, vocabulary))
    settings = dict(_settings(found[2]))
    if "" in settings or not settings.keys() & {"mean", "var"}:
        raise DeclarationError(name, _KEY.fill(text=text, known=GIVEN_FORMS))
    size = settings.get("size", "")
    sizes = tuple(parse(part, vocabulary) for part in size.strip("() ").split(",")) if size else ()
    if not sizes and symbol and (shaped := _form("shaped").fullmatch(symbol)):
        sizes = tuple(parse(part, vocabulary) for part in shaped[2].split(","))
    return Random(
        mean=parse(settings.get("mean", "0"), vocabulary),
        var=parse(settings.get("var", "1"), vocabulary),
        sizes=sizes,
        independent=found[1].lower() not in ("random", "随机"),
        normal=found[1].lower() in ("normal", "n", "正态"),
    )


def _no_circles(found: Declarations) -> None:
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise DeclarationError(name, _ROUND.fill(name=name))
        if name in done or name not in found.declared:
            return
        for formula in formulas_in(found.declared[name]):
            for part in walk(formula):
                below = part.name if isinstance(part, Name) else part.function if isinstance(part, FunctionCall) else ""
                visit(below, (*above, name))
        done.add(name)

    for name in found.declared:
        visit(name, ())
