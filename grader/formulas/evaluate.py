"""Evaluation of formulas at one instance of the declared symbols."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from grader.core.model import Message, Text
from grader.formulas import moments, scalars
from grader.formulas.ast import (
    IMAGINARY,
    Derivative,
    FunctionCall,
    ListNode,
    Name,
    Node,
    Number,
    Plus,
    Power,
    Sign,
    Subscript,
    Sum,
    Times,
    Transpose,
    children,
    free_names,
    walk,
    with_children,
)
from grader.formulas.declarations import Declaration, Declarations, Definition, Map, Random, Rotation, Tensor
from grader.formulas.errors import TOO_EXPENSIVE, ShapeError, TooExpensiveError, UndefinedError
from grader.formulas.exact import whole
from grader.formulas.printer import show
from grader.formulas.scalars import Dual, Meter, NotPolynomialError, Poly, Scalar, close
from grader.formulas.values import (
    IDENTITY,
    ONE,
    RANGE,
    UNIT,
    ZERO,
    FormulaValue,
    Mat,
    SizelessTensor,
    Vec,
    describe_shape,
    entries,
    flatten,
    format_value,
    map_entries,
    resize_like,
    unit_vector,
)
from grader.formulas.vocabulary import unknown_name

_STEPS = 60_000
_LONGEST_SUM = 2000
_LARGEST_SIZE = 60


_WHOLE = Message("${what}$ should be a whole number, but it is ${value}$")
_SIZE = Message("a size of {value} (expected 1 to {most})")
_NOT_INDEXED = Message("“${what}$” cannot be indexed with {count}.")
_ONE_INDEX = Message("“${what}$” as an entry of a matrix needs both indices, and there is no ${index}$ in it.")
_NORMAL = Message("there is no exact value for ${what}$: only polynomials of normal variables have one")
_NO_TERMS = Message("a sum without terms")
_SINGULAR = Message("a singular matrix")
#: A name that nobody can type.
_VARIABLE = " "
_DISTINCT = Message("different indices need different components")
_COUNT = Message("{count} indices")
_BEYOND = Message("The index ${index}$ of ${what}$ ends at ${label}$, but is {at} here for ${label} = {high}$.")
_NO_INDEX = Message("“${what}$” has the index ${index}$, which is not a number; in a product, write `·` before it.")
_NOT_SUMMED = Message("“${what}$” is a sum over ${index}$, and there is no ${index}$ in what is added.")
_TWO_RANGES = Message("In “{what}”, ${index}$ runs along axes of different lengths.")
_FROM_WHERE = Message("What is the range of ${index}$ in “${what}$”? Write, for example, `Σ_{{{index}=1}}^{{n}}`.")
_MISFIT = Message("Shapes do not fit in “${what}$”: ${left}$ is {left_shape}, ${right}$ is {right_shape}{remedy}.")
_TRANSPOSE = Message("; transpose one of them")
_TRANSPOSE_IT = Message("; transpose ${what}$")
_COMPONENT = Message("; to calculate with components, write a component, such as `x_i`")
_WHICH_PRODUCT = Message(
    "Which product of vectors is “${what}$”? Write `q·k` for the inner product, `q*k` for the elementwise product, "
    "`q kᵀ` for the outer product."
)
_NEEDS_NUMBER = Message("“${what}$” should be a number, but it is {shape}.")
_BLOCK = Message("Brackets hold numbers here, and “${what}$” is {shape}; blocks are not read.")
_NEEDS_VECTOR = Message("“${what}$” should be a vector, but it is {shape}.")
_PLANE = Message("Only a vector with two numbers has an angle, and “${what}$” is none.")
#: The highest power of a matrix that is computed.
_HIGHEST_POWER = 8
_POWER = Message("Power {count} of the matrix “${what}$” is not computed here, only powers 1 to {most}.")
_SQUARE = Message("“${what}$” is {shape}; only a square matrix has powers.")
_SQUARE_TRACE = Message("“${what}$” is {shape}; only a square matrix has a trace.")
_BELOW = Message("“${what}$” is {shape} and cannot be a divisor.")
_EXPONENTIAL = Message("“${what}$” would be the exponential of a matrix, which is not computed here.")
_NO_SIZE = Message("The size of {what} is not clear here: add it to or multiply it by something of known size.")
_ONES = Message("a vector of ones")
_MAP = Message("“${what}$” is a function: write `{what}(x)`.")
_NOT_A_MAP = Message("“${what}$” is not a function.")
_VARIANCE_OF = Message("“${what}$” is a vector. Name a component, such as `Var(q_i)`, or a sum.")
_GIVEN = Message("“${what}$” is not random: after `|` stand names of random quantities.")
_STILL_RANDOM = Message("What is left after $| {what}$ is still random: take its expectation or variance.")
_BY = Message("“${what}$” is not a variable that can be differentiated with respect to here.")
_DIFFERENTIAL = Message("“$d{what}$” is a differential, which has no value by itself.")
_ORDERS = Message("$O(…)$ has to be the whole answer, not a part of it.")
_NOTHING = Text("", "")

#: The two sides of an operation and the whole, for messages.
_Nodes: TypeAlias = tuple[Node, Node, Node]
_Join: TypeAlias = Callable[[Scalar, Scalar], Scalar]
_ELEMENTWISE = ("exp", "log", "log2", "sqrt", "sin", "cos", "sigmoid", "abs", "Re", "Im", "conj")


@dataclass(slots=True)
class Evaluator:
    """Evaluates formulas at one instance: ``numbers`` for the scalars, ``seed`` for vectors, matrices and maps, and the
    ``family`` of distributions (see ``moments``) for random quantities.
    """

    names: Declarations
    numbers: Mapping[str, Scalar]
    seed: int = 0
    family: int = 0
    meter: Meter = field(default_factory=lambda: Meter(_STEPS))
    #: Free indices (``q_i`` without a sum) with the values they got at their first use.
    free: dict[str, int] = field(default_factory=dict)
    #: Whether free indices get the same value where they can, so that δ_ij is not always 0.
    equal_indices: bool = False
    #: Moments beyond the variance that were used: (name of the quantity, order).
    higher_moments: set[tuple[str, int]] = field(default_factory=set)
    #: Values drawn for other symbols, to be shown in counterexamples.
    drawn: dict[str, FormulaValue] = field(default_factory=dict)
    #: The values of parts of formulas, by the id of the part, which is kept, whether it is in an expectation, and the
    #: values of its indices; None keeps nothing. A part that is known adds nothing to ``higher_moments``.
    memory: dict[tuple[int, bool, tuple[int | None, ...]], tuple[Node, FormulaValue]] | None = None
    _bound: dict[str, int] = field(default_factory=dict)
    _overlay: dict[str, FormulaValue] = field(default_factory=dict)
    _atoms: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    _state: dict[int, Fraction] | None = None
    _inside: bool = False
    _touched: set[int] | None = None
    _definitions: dict[tuple[str, bool], FormulaValue] = field(default_factory=dict)
    _sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _indices: dict[int, tuple[Node, list[str]]] = field(default_factory=dict)

    def refill(self) -> None:
        """Resets the meter and ``higher_moments`` for the next formula."""
        self.meter.left = _STEPS
        self.higher_moments.clear()
        self._definitions.clear()

    # ---------------------------------------------------------------------------------------- the walk

    def value(self, node: Node) -> FormulaValue:
        """The value of ``node`` at this instance. Raises FormulaError."""
        self.meter.spend()
        memory = self.memory
        if memory is None or self._overlay or self._state is not None or isinstance(node, (Number, Name)):
            return self._computed(node)
        key = (id(node), self._inside, self._indices_of(node))
        if key not in memory:
            memory[key] = node, self._computed(node)
        return memory[key][1]

    def _indices_of(self, node: Node) -> tuple[int | None, ...]:
        """The values of the indices around ``node`` that it depends on."""
        if not self._bound:
            return ()
        if id(node) not in self._indices:
            self._indices[id(node)] = node, sorted({*free_names(node)})
        return tuple(self._bound.get(name) for name in self._indices[id(node)][1])

    def _computed(self, node: Node) -> FormulaValue:
        found: FormulaValue
        match node:
            case Number(value):
                found = value
            case Name(name):
                found = self._name(name)
            case Plus(terms):
                found = self._plus(terms)
            case Times(first, rest):
                found = self._times(first, rest)
            case Power(base, exponent):
                found = self._power(base, exponent)
            case Transpose(of):
                found = self._transpose(of)
            case Subscript(of, at):
                found = self._subscript(of, at)
            case ListNode(items):
                found = self._list(items)
            case FunctionCall(function, args):
                found = self._call(function, args)
            case Sum():
                found = self._sum(node)
            case Derivative(of, by):
                found = self._derivative(of, by)
        return found

    def number(self, node: Node) -> Scalar:
        """The value of ``node``, which has to be a number. Raises ShapeError."""
        value = self.value(node)
        if isinstance(value, (Vec, Mat, SizelessTensor)):
            raise ShapeError(_NEEDS_NUMBER.fill(what=show(node), shape=describe_shape(value)))
        return value

    def at_indices(self, node: Node, places: Mapping[str, int]) -> FormulaValue:
        """The value of ``node`` where these free indices have these values. Raises FormulaError."""
        return self._value_where(node, bound={**self._bound, **places})

    def _value_where(
        self, node: Node, bound: dict[str, int] | None = None, overlay: dict[str, FormulaValue] | None = None
    ) -> FormulaValue:
        """The value of ``node`` where indices have other values, or symbols."""
        before = self._bound, self._overlay
        self._bound = before[0] if bound is None else bound
        self._overlay = before[1] if overlay is None else overlay
        try:
            return self.value(node)
        finally:
            self._bound, self._overlay = before

    def whole(self, node: Node) -> int:
        """The value of ``node``, which has to be a whole number. Raises ShapeError or UndefinedError."""
        value = self.number(node)
        if not isinstance(value, Fraction) or value.denominator != 1:
            raise UndefinedError(_WHOLE.fill(what=show(node), value=format_value(value)))
        return int(value)

    def _vector(self, node: Node) -> Vec:
        """The value of ``node``, which has to be a vector. Raises ShapeError."""
        value = self.value(node)
        if not isinstance(value, Vec):
            raise ShapeError(_NEEDS_VECTOR.fill(what=show(node), shape=describe_shape(value)))
        return value

    # ------------------------------------------------------------------------------------------- names

    def _name(self, name: str) -> FormulaValue:
        if name in self._bound:
            return whole(self._bound[name])
        if name in self._overlay:
            return self._overlay[name]
        if name in self.numbers:
            return self.numbers[name]
        declared = self.names.declared.get(name)
        match declared:
            case Tensor():
                return self._tensor(name, declared)
            case Random():
                return self._random(name, declared)
            case Definition(formula, None):
                return self._defined_value(name, formula)
            case Map() | Rotation() | Definition():
                raise ShapeError(_MAP.fill(what=name))
        if name in self.free:
            return whole(self.free[name])
        if name in _CONSTANTS:
            return _CONSTANTS[name]()
        raise UndefinedError(_FROM_WHERE.fill(index=name, what=name))

    def _defined_value(self, name: str, formula: Node) -> FormulaValue:
        """The value of a definition, computed once for a formula: sums use it for each term."""
        key = (name, self._inside)
        if self._overlay or self._state is not None:
            return self._value_where(formula, bound={})
        if key not in self._definitions:
            self._definitions[key] = self._value_where(formula, bound={})
        return self._definitions[key]

    def _size(self, name: str, sizes: tuple[Node, ...]) -> tuple[int, ...]:
        """The declared sizes of ``name`` as numbers."""
        if name not in self._sizes:
            self._sizes[name] = tuple(map(self._length_of, sizes))
        return self._sizes[name]

    def _tensor(self, name: str, declared: Tensor) -> FormulaValue:
        if name not in self.drawn:
            value = self._filled(name, declared.sizes, lambda *at: self._draw(name, *at))
            if isinstance(value, Vec):
                items = _shares(value.items) if declared.weights else value.items
                value = replace(value, items=items, row=declared.row, unoriented=not declared.row)
            elif isinstance(value, Mat) and declared.permutation:
                value = replace(value, rows=self._permutation(name, len(value.rows)))
            self.drawn[name] = value
        return self.drawn[name]

    def _permutation(self, name: str, size: int) -> tuple[tuple[Fraction, ...], ...]:
        """The rows of an identity matrix, in an order that depends only on the seed and the name."""
        order = random.Random(f"{self.seed} {name}").sample(range(size), size)
        return tuple(tuple(whole(column == place) for column in range(size)) for place in order)

    def _draw(self, name: str, *at: int) -> Fraction:
        """A small nonzero integer that depends only on the seed, the name and the position."""
        number = random.Random(f"{self.seed} {name} {at}").randint(-4, 3)
        return whole(number if number < 0 else number + 1)

    def _random(self, name: str, declared: Random) -> FormulaValue:
        return self._filled(name, declared.sizes, lambda *at: self._chance(name, declared, at))

    def _filled(self, name: str, sizes: tuple[Node, ...], entry: Callable[..., Scalar]) -> FormulaValue:
        """A number, a vector or a matrix of these sizes with ``entry`` of each place, counted from 0."""
        ranges, labels = tuple(map(range, self._size(name, sizes))), tuple(map(show, sizes))
        match ranges:
            case ():
                return entry()
            case (places,):
                return Vec(tuple(map(entry, places)), False, labels[0], True)
        rows = tuple(tuple(entry(i, j) for j in ranges[1]) for i in ranges[0])
        return Mat(rows, (labels[0], labels[1]))

    def _chance(self, name: str, declared: Random, at: tuple[int, ...]) -> Scalar:
        """A component of a random quantity: a number outside E[…], a random variable inside."""
        if not declared.independent:
            at = ()
        if not self._inside:
            value = self._draw(name, *at)
            self.drawn.setdefault(f"{name}_{','.join(str(i + 1) for i in at)}" if at else name, value)
            return value
        key = (name, at)
        atom = self._atoms.setdefault(key, len(self._atoms))
        standard: Scalar
        if self._state is None:
            standard = Poly({((atom, 1),): ONE}, self.meter)
        else:
            if declared.normal:
                raise UndefinedError(_NORMAL.fill(what=name))
            if self._touched is not None:
                self._touched.add(atom)
            standard = self._state.get(atom, ONE)
        deviation = scalars.square_root(self._plain(declared.var))
        return standard * deviation + self._plain(declared.mean)

    def _plain(self, node: Node) -> Scalar:
        """The value of a given mean or variance, which is not random."""
        if isinstance(node, Number):
            return node.value
        inside, self._inside = self._inside, False
        try:
            return self.number(node)
        finally:
            self._inside = inside

    # ---------------------------------------------------------------------------------------- + and −

    def _plus(self, terms: tuple[tuple[bool, Node], ...], spread: bool = False) -> FormulaValue:
        found: FormulaValue | None = None
        # 0 is also a vector or matrix of zeros.
        terms = tuple(term for term in terms if term[1] != Number(ZERO)) or terms
        for place, (minus, term) in enumerate(terms):
            value = self.value(term)
            value = map_entries(value, operator.neg) if minus else value
            if found is None:
                found = value
            else:
                before = Plus(terms[:place]) if place > 1 else terms[0][1]
                if spread:
                    found, value = _widened(found, value), _widened(value, found)
                found = self._pair(found, value, operator.add, (before, term, Plus(terms[: place + 1])))
        return found

    def _pair(self, left: FormulaValue, right: FormulaValue, join: _Join, nodes: _Nodes) -> FormulaValue:
        """``join`` of two values, entry by entry."""
        left, right = resize_like(left, right), resize_like(right, left)
        match left, right:
            case Vec(items, row, label, unoriented), Vec(others, other_row, other_label, other_loose) if len(
                items
            ) == len(others):
                self.meter.spend(len(items))
                return Vec(
                    tuple(map(join, items, others)), row and other_row, label or other_label, unoriented and other_loose
                )
            case Mat(rows, labels), Mat(others, other_labels) if left.shape == right.shape:
                self.meter.spend(len(rows) * left.shape[1])
                both = (labels[0] or other_labels[0], labels[1] or other_labels[1])
                return Mat(tuple(tuple(map(join, a, b)) for a, b in zip(rows, others, strict=True)), both)
            case SizelessTensor(a, at), SizelessTensor(b, other_at) if at == other_at:
                return SizelessTensor(join(a, b), at)
        if any(isinstance(side, (Vec, Mat, SizelessTensor)) for side in (left, right)):
            raise self._misfit(left, right, nodes, product=False)
        return join(left, right)

    def _misfit(self, left: FormulaValue, right: FormulaValue, nodes: _Nodes, product: bool) -> ShapeError:
        remedy: Text = _NOTHING
        if isinstance(left, Mat) and isinstance(right, Mat):
            first, second = map(operator.eq, left.shape, right.shape)
            if left.shape == right.shape[::-1] if not product else isinstance(nodes[0], Name) and first and second:
                remedy = _TRANSPOSE
            elif product and isinstance(nodes[0], Name) and (first or second) and left.shape[0] != right.shape[1]:
                remedy = _TRANSPOSE_IT.fill(what=show(nodes[0] if first else nodes[1]))
        elif (
            not product
            and isinstance(left, Vec) != isinstance(right, Vec)
            and not {Mat, SizelessTensor} & {type(left), type(right)}
        ):
            remedy = _COMPONENT
        return ShapeError(
            _MISFIT.fill(
                what=show(nodes[2]),
                left=show(nodes[0]),
                right=show(nodes[1]),
                left_shape=describe_shape(left),
                right_shape=describe_shape(right),
                remedy=remedy,
            )
        )

    # ---------------------------------------------------------------------------------------- products

    def _times(self, first: Node, rest: tuple[tuple[Sign, Node], ...]) -> FormulaValue:
        found = self.value(first)
        for place, (sign, factor) in enumerate(rest):
            if sign == "·" and not isinstance(found, (Vec, Mat, SizelessTensor)):
                sign = " "
            right = self.value(factor)
            before = Times(first, rest[:place]) if place else first
            nodes = (before, factor, Times(first, rest[: place + 1]))
            found = self._divided(found, right, nodes) if sign == "/" else self._product(found, right, sign, nodes)
        return found

    def _divided(self, left: FormulaValue, right: FormulaValue, nodes: _Nodes) -> FormulaValue:
        if isinstance(right, Vec) and isinstance(left, Vec):
            return self._pair(left, right, scalars.divide, nodes)
        if isinstance(right, (Vec, Mat, SizelessTensor)):
            raise ShapeError(_BELOW.fill(what=show(nodes[1]), shape=describe_shape(right)))
        return map_entries(left, lambda x: scalars.divide(x, right))

    def _product(self, left: FormulaValue, right: FormulaValue, sign: Sign, nodes: _Nodes) -> FormulaValue:
        if not isinstance(left, (Vec, Mat, SizelessTensor)):
            return map_entries(right, lambda x: left * x)
        if not isinstance(right, (Vec, Mat, SizelessTensor)):
            return map_entries(left, lambda x: x * right)
        alike = isinstance(left, Vec) and isinstance(right, Vec) and left.row == right.row
        gradient = alike and isinstance(nodes[1], Derivative) and isinstance(self.value(nodes[1].by), Vec)
        if sign == "⊙" or (sign == "*" and alike and not gradient):
            return self._pair(left, right, operator.mul, nodes)
        if isinstance(left, SizelessTensor) and left.at is None:
            factor = left.factor
            return map_entries(right, lambda x: factor * x)
        if isinstance(right, SizelessTensor) and right.at is None:
            other_factor = right.factor
            return map_entries(left, lambda x: x * other_factor)
        if sign == " " and isinstance(left, SizelessTensor) and isinstance(nodes[0], Transpose):
            sign = "·"  # onehot(t)ᵀ z
        left, right = self._sized(left, right), self._sized(right, left, before=True)
        match left, right:
            case Vec(), Vec():
                return self._vectors(left, right, sign, nodes)
            case Mat(rows, labels), Mat(others, other_labels) if left.shape[1] == right.shape[0]:
                columns = tuple(zip(*others, strict=True))
                made = tuple(tuple(self._inner(row, column) for column in columns) for row in rows)
                return Mat(made, (labels[0], other_labels[1]))
            case Mat(rows, labels), Vec(items, row, _, unoriented) if left.shape[1] == len(items) and (
                unoriented or not row
            ):
                return Vec(tuple(self._inner(row, items) for row in rows), False, labels[0])
            case Vec(items, row, _, unoriented), Mat(rows, labels) if right.shape[0] == len(items) and (
                unoriented or row
            ):
                return Vec(tuple(self._inner(items, column) for column in zip(*rows, strict=True)), True, labels[1])
        raise self._misfit(left, right, nodes, product=True)

    def _sized(self, value: FormulaValue, other: FormulaValue, before: bool = False) -> FormulaValue:
        """A unit vector in the size that its product with ``other`` needs; other values unchanged."""
        if not isinstance(value, SizelessTensor):
            return value
        match other:
            case Mat():
                return unit_vector(value, other.shape[1 if before else 0])
            case Vec(items):
                return unit_vector(value, len(items))
        raise ShapeError(_NO_SIZE.fill(what=UNIT))

    def _vectors(self, left: Vec, right: Vec, sign: Sign, nodes: _Nodes) -> FormulaValue:
        listed = isinstance(nodes[1], Sum) and nodes[1].indices[:1] and nodes[1].indices[0].endswith("…")
        if sign in (" ", "*") and not left.row and not right.row and (listed or isinstance(nodes[1], Derivative)):
            sign = "⊗"  # u ∂Z/∂s or u [v_1, …, v_n]: in a product, a gradient is a row, and so is a list
        # p @ p.T
        own = sign == "@" and nodes[1] == Transpose(nodes[0].rest[-1][1] if isinstance(nodes[0], Times) else nodes[0])
        if sign == "⊗" or ((sign in (" ", "*") or own) and not left.row and right.row):
            self.meter.spend(len(left.items) * len(right.items))
            rows = tuple(tuple(x * y for y in right.items) for x in left.items)
            return Mat(rows, (left.label, right.label))
        if sign == " " and left.row == right.row:
            raise ShapeError(_WHICH_PRODUCT.fill(what=show(nodes[2])))
        if len(left.items) != len(right.items):
            raise self._misfit(left, right, nodes, product=True)
        return self._inner(left.items, right.items)

    def _inner(self, left: Iterable[Scalar], right: Iterable[Scalar]) -> Scalar:
        return self._added(map(operator.mul, left, right))

    def _power(self, base: Node, exponent: Node) -> FormulaValue:
        left, right = self.value(base), self.number(exponent)
        if isinstance(left, SizelessTensor):
            raise ShapeError(_NO_SIZE.fill(what=IDENTITY if left.at is None else UNIT))
        if isinstance(left, Mat):
            count = self.whole(exponent)
            if left.shape[0] != left.shape[1]:
                raise ShapeError(_SQUARE.fill(what=show(base), shape=describe_shape(left)))
            if not 1 <= abs(count) <= _HIGHEST_POWER:
                raise UndefinedError(_POWER.fill(what=show(base), count=count, most=_HIGHEST_POWER))
            left = self._inverse(left) if count < 0 else left
            found: FormulaValue = left
            for _ in range(abs(count) - 1):
                found = self._product(found, left, " ", (base, base, base))
            return found
        self.meter.spend(5)
        return map_entries(left, lambda x: scalars.power(x, right))

    def _inverse(self, of: Mat) -> Mat:
        """The inverse, by Gauss–Jordan elimination. Raises UndefinedError."""
        size = len(of.rows)
        rows = [[*row, *(whole(i == j) for j in range(size))] for i, row in enumerate(of.rows)]
        for i in range(size):
            pivot = next((row for row in rows[i:] if not close(row[i], ZERO)), None)
            if pivot is None:
                raise UndefinedError(_SINGULAR)
            rows.remove(pivot)
            rows.insert(i, [scalars.divide(x, pivot[i]) for x in pivot])
            self.meter.spend(2 * size * size)
            for j in range(size):
                if j != i:
                    rows[j] = [x + -(rows[j][i] * y) for x, y in zip(rows[j], rows[i], strict=True)]
        return Mat(tuple(tuple(row[size:]) for row in rows), of.labels)

    def _transpose(self, of: Node) -> FormulaValue:
        match value := self.value(of):
            case Mat(rows, labels):
                return Mat(tuple(zip(*rows, strict=True)), (labels[1], labels[0]))
            case Vec(items, row, label):
                return Vec(items, not row, label, isinstance(of, ListNode))  # [a, b] may be a row or a column
        return value

    # ------------------------------------------------------------------------------------------- parts

    def _subscript(self, of: Node, at: tuple[Node, ...]) -> FormulaValue:
        kinds = self.names.vocabulary.kinds
        if no_index := next((index for index in at if kinds.get(show(index)) in ("vector", "matrix")), None):
            raise ShapeError(_NO_INDEX.fill(what=show(Subscript(of, at)), index=show(no_index)))
        declared = self.names.declared.get(of.name) if isinstance(of, Name) and of.name not in self._overlay else None
        if isinstance(of, Name) and isinstance(declared, Random) and len(at) == len(declared.sizes):
            size = self._size(of.name, declared.sizes)
            places = zip(at, size, map(show, declared.sizes), strict=True)
            return self._chance(of.name, declared, tuple(self._index(of, *place) for place in places))
        if isinstance(declared, Rotation) and len(at) == 1:
            if unknown := {*free_names(at[0])} - {*self.names.declared, *self._bound}:
                raise unknown_name(min(unknown), self.names.vocabulary)
            # R_m turns by mθ, and so does R(mθ).
            whole = bool(self.names.names_in(declared.angle) & self.names.names_in(at[0]))
            return self._rotation(self.number(at[0]) * (ONE if whole else self.number(declared.angle)))
        value = self.value(of)
        if (
            isinstance(value, Mat)
            and len(at) == 1
            and isinstance(at[0], Number)
            and len(value.rows) < at[0].value < 100
        ):
            # Q_{12}: a row and a column
            at = tuple(Number(Fraction(int(digit))) for digit in f"{at[0].value}")
        match value:
            case Vec(items) if len(at) == 1:
                return items[self._index(of, at[0], len(items), value.label)]
            case Mat(rows, labels) if len(at) == 2:
                row = rows[self._index(of, at[0], len(rows), labels[0])]
                return row[self._index(of, at[1], len(row), labels[1])]
            case Mat(rows, labels) if len(at) == 1:
                return Vec(rows[self._index(of, at[0], len(rows), labels[0])], True, labels[1], True)
            case SizelessTensor(factor, None) if len(at) == 2:
                return factor if self._place(at[0]) == self._place(at[1]) else ZERO
            case SizelessTensor(factor, int(one)) if len(at) == 1:
                return factor if self._place(at[0]) == one else ZERO
        absent = [index for index in at if not {*free_names(index)} & {*free_names(of)}]
        if len(at) == 2 and len(absent) == 1:  # [δ_jj]_ij
            raise ShapeError(_ONE_INDEX.fill(what=show(of), index=show(absent[0])))
        raise ShapeError(_NOT_INDEXED.fill(what=show(of), count=_COUNT.fill(count=len(at))))

    def _index(self, of: Node, node: Node, size: int, label: str = "") -> int:
        """An index as a position in a tuple, counted from 0. A free index gets its value at its first use."""
        self._choose(node, size)
        at = self.whole(node)
        if not 1 <= at <= size:
            if isinstance(node, Number) or at < 1 or not label.isidentifier():
                raise UndefinedError(RANGE.fill(what=show(of), low=1, high=label or size, at=at))
            raise UndefinedError(_BEYOND.fill(what=show(of), index=show(node), label=label, high=size, at=at))
        return at - 1

    def _choose(self, node: Node, size: int) -> None:
        """Gives free indices in ``node`` values from 1 to ``size``: distinct ones, unless ``equal_indices``."""
        for name in free_names(node):
            known = name in self._bound or name in self.names.declared
            if not known and name not in self.free and name not in ("I", "π", "e"):
                if self.equal_indices:
                    shared = next((place for place in self.free.values() if place <= size), 1 + self.seed % size)
                    self.free[name] = shared
                    continue
                taken = set(self.free.values())
                choices = [i for i in range(size, 0, -1) if i not in taken]
                if not choices:
                    raise UndefinedError(_DISTINCT)
                self.free[name] = choices[self.seed % len(choices)]

    def _place(self, node: Node) -> int:
        """The value of an index whose range is unknown, unless there is only one size."""
        if self.names.only_size:
            self._choose(node, self._length_of(self.names.only_size))
        else:
            self._choose(node, max(2, *self.free.values()) if self.equal_indices and self.free else 2)
        return self.whole(node)

    def _list(self, items: tuple[Node, ...]) -> FormulaValue:
        values = [self.value(item) for item in items]
        rows = [value.items for value in values if isinstance(value, Vec)]
        if len(rows) == len(values) and len({len(row) for row in rows}) == 1:
            return Mat(tuple(rows))
        for item, value in zip(items, values, strict=True):
            if isinstance(value, (Vec, Mat, SizelessTensor)):
                raise ShapeError(_BLOCK.fill(what=show(item), shape=describe_shape(value)))
        return Vec(tuple(values), unoriented=True)

    # -------------------------------------------------------------------------------------------- sums

    def _sum(self, node: Sum) -> FormulaValue:
        if not node.indices:
            return self._total(node.body)
        found: FormulaValue | None = None
        for place in self._places(node, 0, {}):
            value = self.at_indices(node.body, place)
            found = value if found is None else self._pair(found, value, operator.add, (node.body, node.body, node))
        return ZERO if found is None else found

    def _places(self, node: Sum, at: int, chosen: dict[str, int]) -> Iterable[dict[str, int]]:
        """Every assignment of the indices of a sum, from the index at position ``at``."""
        if at == len(node.indices):
            values = list(chosen.values())
            if node.relation == "≠" and len(set(values)) < len(values):
                return
            if node.relation == "<" and any(a >= b for a, b in itertools.pairwise(values)):
                return
            yield chosen
            return
        bound, self._bound = self._bound, {**self._bound, **chosen}
        try:
            low, high = self._bounds(node, node.indices[at])
        finally:
            self._bound = bound
        if high - low > _LONGEST_SUM:
            raise TooExpensiveError(TOO_EXPENSIVE)
        without = None if node.without is None else self.whole(node.without)
        for value in range(low, high + 1):
            self.meter.spend()
            if value == without:
                continue
            yield from self._places(node, at + 1, {**chosen, node.indices[at]: value})

    def _bounds(self, node: Sum, index: str) -> tuple[int, int]:
        """The range of an index, both ends included; without an upper bound, the length of what it indexes."""
        low = self.whole(node.low) if node.low is not None else 1
        if node.high is not None:
            high = self.whole(node.high)
            if high < low and (low > 1 or index[1:] == "…"):  # x_2 + … + x_n for n = 1: no vector, for example
                raise UndefinedError(_NO_TERMS)
            return low, high
        sizes = set(self._counted(node.body, index, frozenset(node.indices)))
        if not sizes:
            only = self.names.only_size
            sizes = {self.whole(only)} if only else set()
        if not sizes and index not in free_names(node.body):
            raise ShapeError(_NOT_SUMMED.fill(index=index, what=show(node)))
        if len(sizes) != 1:
            raise ShapeError((_TWO_RANGES if sizes else _FROM_WHERE).fill(index=index, what=show(node)))
        return low, sizes.pop()

    def _counted(self, node: Node, index: str, hidden: frozenset[str]) -> Iterable[int]:
        """The lengths of all axes below ``node`` that ``index`` runs along."""
        if isinstance(node, Subscript):
            for axis, at in enumerate(node.at):
                if at == Name(index):
                    length = self._length(node.of, axis, len(node.at), hidden)
                    if length is not None:
                        yield length
        if isinstance(node, Times):
            unit = FunctionCall("onehot", (Name(index),))
            for matrix, factor in itertools.pairwise([node.first, *(factor for _, factor in node.rest)]):
                length = self._length(matrix, 1, 2, hidden) if factor == unit else None
                if length is not None:
                    yield length
        for child in children(node):
            yield from self._counted(child, index, hidden)

    def _length(self, of: Node, axis: int, axes: int, hidden: frozenset[str]) -> int | None:
        if isinstance(of, Name):
            declared = self.names.declared.get(of.name)
            if isinstance(declared, (Tensor, Random)) and axis < len(declared.sizes):
                return self._size(of.name, declared.sizes)[axis]
        if any(isinstance(part, Name) and part.name in hidden for part in walk(of)):
            return None
        value = self.value(of)
        if isinstance(value, Vec):
            return len(value.items)
        return value.shape[axis] if isinstance(value, Mat) and axis < len(value.shape) else None

    def _total(self, body: Node) -> FormulaValue:
        """sum(x): the sum of the components of a vector or the entries of a matrix; a number is its own sum."""
        value = self.value(body)
        if isinstance(value, SizelessTensor):
            if value.at is not None:
                return value.factor
            raise ShapeError(_NO_SIZE.fill(what=IDENTITY))
        if not isinstance(value, (Vec, Mat)):
            shaped = (Tensor, Random)
            only = self.names.only_size
            inside = [part for part in walk(body) if isinstance(part, Name)]
            if only and not any(isinstance(self.names.declared.get(part.name), shaped) for part in inside):
                return self.whole(only) * value  # Σ 1 and Σ v_q v_k: over the only thing there is
            raise ShapeError(_FROM_WHERE.fill(index="i", what=f"Σ {show(body)}"))
        return self._added(entries(value))

    def _added(self, numbers: Iterable[Scalar]) -> Scalar:
        found: Scalar = ZERO
        for number in numbers:
            self.meter.spend()
            found = found + number
        return found

    # --------------------------------------------------------------------------------------- functions

    def _call(self, function: str, args: tuple[Node, ...]) -> FormulaValue:
        declared = self.names.declared.get(function)
        if declared is not None:
            return self._declared_call(function, declared, args)
        if function in _ELEMENTWISE:
            return self._elementwise(function, args[0])
        return _FUNCTIONS[function](self, *args)

    def _spread(self, node: Node) -> FormulaValue:
        """The value of an argument of exp or softmax: there, a number may be added to every component of a vector."""
        return self._plus(node.terms, spread=True) if isinstance(node, Plus) else self.value(node)

    def _elementwise(self, function: str, body: Node) -> FormulaValue:
        value = self._spread(body) if function == "exp" else self.value(body)
        if isinstance(value, SizelessTensor):
            raise ShapeError(_NO_SIZE.fill(what=IDENTITY if value.at is None else UNIT))
        if isinstance(value, Vec) and function == "abs":
            return self._norm(value)
        if isinstance(value, Mat) and function == "exp" and "matrix" not in self.names.vocabulary.kinds.values():
            raise ShapeError(_EXPONENTIAL.fill(what=show(FunctionCall("exp", (body,)))))
        self.meter.spend(10)
        return map_entries(value, lambda x: scalars.apply(function, x))

    def _mean(self, body: Node) -> FormulaValue:
        value = self.value(body)
        if not isinstance(value, (Vec, Mat)):
            return value
        return scalars.divide(self._total(body), Fraction(len(list(entries(value)))))

    def _onehot(self, at: Node, size: Node | None = None) -> FormulaValue:
        size = size or self.names.only_size
        if size is None:
            return SizelessTensor(ONE, self._place(at))
        place = self._index(FunctionCall("onehot", (at,)), at, self._length_of(size))
        return replace(unit_vector(SizelessTensor(ONE, place + 1), self._length_of(size)), label=show(size))

    def _ones(self, size: Node | None = None, *width: Node) -> FormulaValue:
        if size is None:
            raise ShapeError(_NO_SIZE.fill(what=_ONES))
        if width:
            return self.value(Times(FunctionCall("ones", (size,)), (("⊗", FunctionCall("ones", width)),)))
        return Vec((ONE,) * self._length_of(size), False, show(size), True)

    def _diagonal(self, body: Node) -> FormulaValue:
        value = self._vector(body)
        size = range(len(value.items))
        rows = tuple(tuple(x if i == j else ZERO for j in size) for i, x in enumerate(value.items))
        return Mat(rows, (value.label, value.label))

    def _trace(self, body: Node) -> FormulaValue:
        value, size = self.value(body), self.names.only_size
        if isinstance(value, SizelessTensor) and value.at is None:
            if size is None:
                raise ShapeError(_NO_SIZE.fill(what=IDENTITY))
            return value.factor * self._length_of(size)
        if not isinstance(value, Mat) or value.shape[0] != value.shape[1]:
            raise ShapeError(_SQUARE_TRACE.fill(what=show(body), shape=describe_shape(value)))
        return self._added(row[at] for at, row in enumerate(value.rows))

    def _order(self, body: Node) -> FormulaValue:
        raise UndefinedError(_ORDERS)

    def _differential(self, of: Node) -> FormulaValue:
        raise ShapeError(_DIFFERENTIAL.fill(what=show(of)))

    def _length_of(self, node: Node) -> int:
        size = self.whole(node)
        if not 1 <= size <= _LARGEST_SIZE:
            raise UndefinedError(_SIZE.fill(value=size, most=_LARGEST_SIZE))
        return size

    def _declared_call(self, name: str, declared: Declaration, args: tuple[Node, ...]) -> FormulaValue:
        match declared:
            case Definition(formula, str(parameter)) if len(args) == 1:
                value = self.value(args[0])
                return self._value_where(formula, overlay={**self._overlay, parameter: value})
            case Map() if len(args) == 1:
                value = self.value(args[0])
                if isinstance(value, Mat):
                    done = [self._mapped(name, declared, Vec(row), args[0]) for row in value.rows]
                    return Mat(tuple(row.items for row in done), (value.labels[0], done[0].label))
                if isinstance(value, Vec):
                    return self._mapped(name, declared, value, args[0])
                raise ShapeError(_NEEDS_VECTOR.fill(what=show(args[0]), shape=describe_shape(value)))
        raise ShapeError(_NOT_A_MAP.fill(what=name))

    def _mapped(self, name: str, declared: Map, value: Vec, node: Node) -> Vec:
        """The value of a map at a vector: in each component a polynomial of degree 2 with random coefficients."""
        size_in, size_out = self._size(name, declared.sizes)
        if len(value.items) != size_in:
            taken = Vec((), label=show(declared.sizes[0]))
            raise self._misfit(taken, value, (Name(name), node, FunctionCall(name, (node,))), product=True)
        made: list[Scalar] = []
        for i in range(size_out):
            found: Scalar = self._draw(name, i)
            for j, x in enumerate(value.items):
                after = value.items[(j + 1) % size_in]
                self.meter.spend(3)
                found = found + x * self._draw(name, i, j) + x * after * self._draw(name, i, j, 0)
            made.append(found)
        return Vec(tuple(made), value.row, show(declared.sizes[1]))

    def _rotation(self, angle: Scalar) -> Mat:
        self.meter.spend(20)
        cos, sin = scalars.apply("cos", angle), scalars.apply("sin", angle)
        return Mat(((cos, -sin), (sin, cos)), ("2", "2"))

    def _softmax(self, body: Node) -> FormulaValue:
        match value := self._spread(body):
            case Vec(items, row, label):
                return Vec(self._weights(items), row, label)
            case Mat(rows, labels):
                return Mat(tuple(self._weights(row) for row in rows), labels)
        raise ShapeError(_NEEDS_VECTOR.fill(what=show(body), shape=describe_shape(value)))

    def _weights(self, items: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        self.meter.spend(20 * len(items))
        powers = [scalars.apply("exp", x) for x in items]
        total = self._added(powers)
        return tuple(scalars.divide(x, total) for x in powers)

    def _extreme(self, function: Callable[..., Scalar], args: tuple[Node, ...]) -> Scalar:
        values = [self.value(arg) for arg in args]
        found = [entry for value in values for entry in (entries(value) if isinstance(value, (Vec, Mat)) else (value,))]
        if any(isinstance(value, Poly) for value in found):
            raise NotPolynomialError
        if any(isinstance(value, SizelessTensor) or scalars.is_complex(value) for value in found):
            raise UndefinedError(_BY.fill(what=show(args[0])))
        plain = [scalars.to_mpf(scalars.plain(value)) for value in found]
        best = function(plain)
        if plain.count(best) > 1 and any(isinstance(value, Dual) for value in found):
            raise UndefinedError(_BY.fill(what=show(args[0])))  # no derivative there
        return found[plain.index(best)]

    def _angle(self, body: Node, other: Node | None = None) -> Scalar:
        """The angle of a vector with two components, or from one to another. Raises ShapeError for other vectors.

        Two numbers are the components of a vector, the second one first: atan2(y, x).
        """
        if other is not None and isinstance(self.value(body), Vec):
            return self._angle(other) - self._angle(body)
        items = self._vector(body if other is None else ListNode((other, body))).items
        if len(items) != 2 or any(isinstance(item, (Poly, Dual)) or scalars.is_complex(item) for item in items):
            raise ShapeError(_PLANE.fill(what=show(body)))
        return +scalars.mp_context().atan2(scalars.to_mpf(items[1]), scalars.to_mpf(items[0]))

    def _norm(self, value: Vec) -> Scalar:
        return scalars.apply("sqrt", self._inner(value.items, value.items))

    # ------------------------------------------------------------------------------------------ chance

    def _variance(self, body: Node, *given: Node) -> FormulaValue:
        value = self._expectation(body, *given, squared=True)
        mean = self._expectation(body, *given)
        if isinstance(value, Vec) and isinstance(mean, Vec):
            found = [x + -(m * m) for x, m in zip(value.items, mean.items, strict=True)]
            if any(not close(x, found[0]) for x in found):
                raise ShapeError(_VARIANCE_OF.fill(what=show(body)))
            return found[0]
        if isinstance(value, (Vec, Mat, SizelessTensor)) or isinstance(mean, (Vec, Mat, SizelessTensor)):
            raise ShapeError(_VARIANCE_OF.fill(what=show(body)))
        return value + -(mean * mean)

    def _covariance(self, *nodes: Node) -> Scalar:
        means: list[Scalar] = [self._expectation(node) for node in nodes]
        for node, mean in zip(nodes, means, strict=True):
            if isinstance(mean, (Vec, Mat, SizelessTensor)):
                raise ShapeError(_VARIANCE_OF.fill(what=show(node)))
        return self._expectation(Times(nodes[0], ((" ", nodes[1]),))) + -(means[0] * means[1])

    def _expectation(self, body: Node, *given: Node, squared: bool = False) -> FormulaValue:
        """E of ``body`` or of its squares: by moments if it is a polynomial in random variables, else state by state.

        It is a polynomial in the quantities that are ``given``.
        """
        inside, state = self._inside, self._state
        if given:
            self._check_given(given)
        self._inside, self._state = True, None
        try:
            value = self._squared(body, squared)
        except NotPolynomialError:
            if given:
                raise TooExpensiveError(TOO_EXPENSIVE) from None
            return self._by_states(body, squared)
        finally:
            self._inside, self._state = inside, state
        chances = self.names.random
        normal = frozenset(atom for (name, _), atom in self._atoms.items() if name in chances and chances[name].normal)
        fixed = frozenset(atom for (name, _), atom in self._atoms.items() if Name(name) in given)
        higher_moments: set[tuple[int, int]] = set()
        found = map_entries(value, lambda x: moments.mean(x, self.family, normal, higher_moments, fixed))
        if higher_moments:
            whose = {atom: name for (name, _), atom in self._atoms.items()}
            self.higher_moments |= {(whose[atom], order) for atom, order in higher_moments}
        return found

    def _check_given(self, given: tuple[Node, ...]) -> None:
        for node in given:
            if not isinstance(node, Name) or node.name not in self.names.random:
                raise ShapeError(_GIVEN.fill(what=show(node)))
        if not self._inside:
            raise ShapeError(_STILL_RANDOM.fill(what=", ".join(map(show, given))))
        if self._state is not None:
            raise TooExpensiveError(TOO_EXPENSIVE)

    def _squared(self, body: Node, squared: bool) -> FormulaValue:
        return map_entries(self.value(body), (lambda x: x * x) if squared else (lambda x: x))

    def _by_states(self, body: Node, squared: bool) -> FormulaValue:
        inside, state, touched = self._inside, self._state, self._touched
        self._inside, self._state, self._touched = True, {}, set()
        try:
            # A first evaluation only finds out which variables occur.
            self._touch(body)
            atoms = sorted(self._touched)
            self._touched = None
            if len(moments.FAMILIES[self.family]) ** len(atoms) > moments.MOST_STATES:
                raise TooExpensiveError(TOO_EXPENSIVE)
            self.higher_moments |= {(name, 0) for (name, _), atom in self._atoms.items() if atom in atoms}
            found: FormulaValue | None = None
            for probability, drawn in moments.states(atoms, self.family):
                self._state = drawn
                value = map_entries(self._squared(body, squared), lambda x, p=probability: x * p)  # type: ignore[misc]
                found = value if found is None else self._pair(found, value, operator.add, (body,) * 3)
            return found
        finally:
            self._inside, self._state, self._touched = inside, state, touched

    def _touch(self, body: Node) -> None:
        try:
            self.value(body)
        except (UndefinedError, ZeroDivisionError):
            # No value there: take every variable that is named.
            for name in self.names.names_in(body):
                declared = self.names.declared[name]
                if isinstance(declared, Random):
                    self._random(name, declared)

    # ------------------------------------------------------------------------------------- derivatives

    def _derivative(self, of: Node, by: Node) -> FormulaValue:
        base = by.of if isinstance(by, Subscript) else by
        name = base.name if isinstance(base, Name) else _VARIABLE
        declared = self.names.declared.get(name)
        if name == _VARIABLE or isinstance(declared, Definition):
            name, of = _VARIABLE, self._with_variable(of, base)
        elif isinstance(declared, (Map, Rotation, type(None))):
            raise ShapeError(_BY.fill(what=show(by)))
        at = self.value(base)
        if isinstance(of, Name) and isinstance(self.names.declared.get(of.name), Map):
            of = FunctionCall(of.name, (Name(name),))
        if isinstance(by, Subscript):
            if not isinstance(at, Vec) or len(by.at) != 1:
                raise ShapeError(_BY.fill(what=show(by)))
            return self._partial_derivative(of, name, at, self._index(by.of, by.at[0], len(at.items)))
        return self._gradient(of, name, at, show(by))

    def _with_variable(self, of: Node, base: Node) -> Node:
        """``of`` with a variable in place of the formula ``base``, if it depends on nothing in it otherwise."""

        def changed(node: Node) -> Node:
            if node == base:
                return Name(_VARIABLE)
            declared = self.names.declared.get(node.name) if isinstance(node, Name) else None
            if isinstance(declared, Definition) and declared.parameter is None:
                return changed(declared.formula)
            return with_children(node, [changed(child) for child in children(node)])

        found = changed(of)
        for name in self.names.names_in(found) & self.names.names_in(base):
            if "integer" not in getattr(self.names.declared[name], "numbers", ""):  # which may be a size of both
                raise ShapeError(_BY.fill(what=show(base)))
        return found

    def _gradient(self, of: Node, name: str, at: FormulaValue, shown: str) -> FormulaValue:
        """The derivative with respect to ``name``: a gradient, or a Jacobian with one column per component."""
        if not isinstance(at, Vec):
            if isinstance(at, (Mat, SizelessTensor)):
                raise ShapeError(_BY.fill(what=shown))
            return self._partial_derivative(of, name, at, 0)
        columns = [self._partial_derivative(of, name, at, place) for place in range(len(at.items))]
        standing = [column for column in columns if isinstance(column, Vec)]
        if len(standing) == len(columns):
            rows = tuple(zip(*(column.items for column in standing), strict=True))
            return Mat(rows, (standing[0].label, at.label))
        if any(isinstance(column, (Vec, Mat, SizelessTensor)) for column in columns):
            raise ShapeError(_BY.fill(what=shown))
        return Vec(tuple(columns), False, at.label, unoriented=True)  # authors lay it out either way

    def _partial_derivative(self, of: Node, name: str, at: FormulaValue, place: int) -> FormulaValue:
        """The derivative of ``of`` with respect to the component of ``name`` at ``place``."""
        levels = [x.level for old in self._overlay.values() for x in flatten(old) if isinstance(x, Dual)]
        level = 1 + max(levels, default=0)
        made: FormulaValue = Dual(at, ONE, level)
        if isinstance(at, Vec):
            made = replace(at, items=tuple(Dual(x, whole(i == place), level) for i, x in enumerate(at.items)))
        found = self._value_where(of, overlay={**self._overlay, name: made})
        if isinstance(found, SizelessTensor):
            raise ShapeError(_NO_SIZE.fill(what=IDENTITY if found.at is None else UNIT))
        return map_entries(found, lambda x: x.derivative if isinstance(x, Dual) and x.level == level else ZERO)

    def _jacobian(self, of: Node, *args: Node) -> FormulaValue:
        if len(args) != 1:
            raise ShapeError(_MAP.fill(what=f"{show(of)}'"))
        self._vector(args[0])
        if not isinstance(of, Name) or not isinstance(self.names.declared.get(of.name), Map):
            raise ShapeError(_NOT_A_MAP.fill(what=show(of)))
        return self._derivative(FunctionCall(of.name, args), args[0])


_CONSTANTS: Mapping[str, Callable[[], FormulaValue]] = {
    "I": lambda: SizelessTensor(ONE),
    "π": lambda: +scalars.mp_context().pi,
    "e": lambda: scalars.apply("exp", ONE),
    IMAGINARY.name: lambda: scalars.mp_context().mpc(0, 1),
}
#: Function → its method, which gets the arguments as nodes. Functions of one number are in ``_ELEMENTWISE``.
_FUNCTIONS: Mapping[str, Callable[..., FormulaValue]] = {
    "E": Evaluator._expectation,
    "Var": Evaluator._variance,
    "Cov": Evaluator._covariance,
    "softmax": Evaluator._softmax,
    "mean": Evaluator._mean,
    "max": lambda self, *args: self._extreme(max, args),
    "min": lambda self, *args: self._extreme(min, args),
    "norm": lambda self, body: self._norm(self._vector(body)),
    "angle": Evaluator._angle,
    "rot": lambda self, angle: self._rotation(self.number(angle)),
    "jacobian": Evaluator._jacobian,
    "onehot": Evaluator._onehot,
    "delta": lambda self, one, two: Fraction(self._place(one) == self._place(two)),
    "ones": Evaluator._ones,
    "diag": Evaluator._diagonal,
    "tr": Evaluator._trace,
    "O": Evaluator._order,
    "d": Evaluator._differential,
}


def _widened(value: FormulaValue, other: FormulaValue) -> FormulaValue:
    """A number as a vector that is as long as ``other``; other values unchanged."""
    number = not isinstance(value, (Vec, Mat, SizelessTensor))
    return replace(other, items=(value,) * len(other.items)) if number and isinstance(other, Vec) else value


def _shares(items: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """What each item contributes to the sum of all, without signs: positive, with sum 1."""
    total = sum(abs(item) for item in items)
    return tuple(abs(item) / total for item in items)
