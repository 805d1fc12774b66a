"""The edge of the bank: YAML in, frozen types of ``grader.core.model`` out, faults in the words of authors.

Loaded only when a course is not in the cache, because it needs pydantic. The models follow the files
key by key; documents are validated as JSON, since pydantic's strict mode takes lists for tuples and
mappings for dataclasses only there.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import json
import operator
import typing
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    RootModel,
    StringConstraints,
    Tag,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from grader.core import sizes
from grader.core.faults import Fault, Path, show, unexpected, unknown
from grader.core.model import (
    ArrayType,
    Case,
    Causal,
    CheckSpec,
    Edit,
    Edition,
    Equivalent,
    Exercise,
    Integers,
    Item,
    Literal_,
    Made,
    Misconception,
    Mistake,
    Normal,
    Own,
    Parameter,
    Permutation,
    Question,
    RandomMask,
    Recipe,
    Rules,
    Same,
    Size,
    Source,
    Symbol,
    Text,
    Variant,
)
from grader.course import items
from grader.course.validate import CheckKind, CheckKinds

Model = TypeVar("Model", bound=BaseModel)


class Edge(BaseModel):
    """A mapping of the bank: unknown keys are refused, and nothing is converted on the quiet."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# ------------------------------------------------------------------------------------ names and sizes

_IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
_SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_QUESTION = r"^Q[1-9][0-9]*$"
_ITEM = r"^Q[1-9][0-9]*\.[a-z0-9]+(-[a-z0-9]+)*$"
_REFERENCE = r"^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$"
_FUNCTION = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$"
_DIGEST = r"^[0-9a-f]{64}$"
_CASE = r"^[^/\s]([^/\n]*[^/\s])?$"
_LIBRARY_NAME = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$"
_PACKAGE = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
_IN_WORDS = {
    _PACKAGE: "the name of an installed package, such as einops",
    r"\S": "a text with something in it",
    _IDENTIFIER: "a Python name",
    _SLUG: "lower-case words joined by -, such as no-scaling",
    _QUESTION: "an id such as Q5",
    _ITEM: "an id such as Q5.output-shape",
    _REFERENCE: "module.name, such as attention.softmax for softmax in reference/attention.py",
    _FUNCTION: "a function of a reference, or Class.method",
    _DIGEST: "a digest of 64 hexadecimal digits",
    _CASE: "a name without / and without spaces around it",
    _LIBRARY_NAME: "a name with the library in front, such as torch.softmax",
}

Name = Annotated[str, StringConstraints(pattern=_IDENTIFIER)]
Slug = Annotated[str, StringConstraints(pattern=_SLUG)]
QuestionId = Annotated[str, StringConstraints(pattern=_QUESTION)]
ItemId = Annotated[str, StringConstraints(pattern=_ITEM)]
FunctionName = Annotated[str, StringConstraints(pattern=_FUNCTION)]
CaseName = Annotated[str, StringConstraints(pattern=_CASE)]
LibraryName = Annotated[str, StringConstraints(pattern=_LIBRARY_NAME)]
Filled = Annotated[str, StringConstraints(pattern=r"\S")]
Points = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _expected(what: str) -> PydanticCustomError:
    return PydanticCustomError("expected", "{what}", {"what": what})


_OURS = {"attncheck", "grader", "reference", "questions", "tests"}
_TOOLS = {"pytest", "hypothesis", "coverage", "pip", "setuptools", "pyseccomp", "seccomp"}


def _for_learners(name: str) -> str:
    """The name of a package that submissions may be allowed to import."""
    plain = name.lower().replace("_", "-").strip("-")
    if plain in _OURS:
        raise _expected(f"a package for learners; {name} holds the keys and references, or grades by them")
    if plain in _TOOLS:
        raise _expected(f"a package for learners; {name} is a tool that tests, loads or confines code")
    return name


PackageName = Annotated[str, StringConstraints(pattern=_PACKAGE), AfterValidator(_for_learners)]


def _size(value: object) -> Size:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            sizes.names(value)
        except ValueError as fault:
            raise _expected(f"{sizes.GRAMMAR}, but {fault}") from None
        return value
    raise _expected(sizes.GRAMMAR)


def _signature(text: str) -> str:
    parameters(text)
    return text


def parameters(signature: str) -> tuple[Parameter, ...]:
    """The parameters of ``(q, k, mask=None)``, by syntax alone."""
    expected = "plain Python parameters in parentheses, such as (q, k, v, mask=None)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(f"def f{signature}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        said = fault.msg if isinstance(fault, SyntaxError) else str(fault) or "it is nested too deeply"
        raise _expected(f"{expected} (Python says: {said})") from None
    match tree:
        case [ast.FunctionDef(args=found, returns=None, body=[ast.Pass()])]:
            unusual = found.posonlyargs or found.kwonlyargs or found.vararg or found.kwarg
            names = [arg.arg for arg in found.args]
            if not unusual and not any(arg.annotation for arg in found.args) and len(set(names)) == len(names):
                required = len(found.args) - len(found.defaults)
                return tuple(Parameter(name, index < required) for index, name in enumerate(names))
    raise _expected(f"{expected}; no *, /, **, no annotations, no name twice")


def _called(text: str) -> str:
    name = text.partition("(")[0]
    if not name.isidentifier():
        raise _expected("a name with its parameters, such as append(k, v)")
    parameters(text.removeprefix(name))
    return text


SizeField = Annotated[Any, PlainValidator(_size), WithJsonSchema({"type": ["integer", "string"]})]
Shape = tuple[SizeField, ...]
Signature = Annotated[str, AfterValidator(_signature)]
Called = Annotated[str, AfterValidator(_called)]

# --------------------------------------------------------------------------------------------- recipes


class NormalRecipe(Edge):
    """Normal numbers of this shape, times ``scale``, plus ``shift``."""

    normal: Shape
    scale: float = 1.0
    shift: float = 0.0

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Normal(self.normal, self.scale, self.shift)


class IntegersRecipe(Edge):
    """Integers of this shape, from ``low`` to ``high - 1``."""

    integers: Shape
    low: SizeField = 0
    high: SizeField = 10

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Integers(self.integers, self.low, self.high)


class MaskRecipe(Edge):
    """A random mask (..., n_q, n_k); the rows ``empty`` of every second sample allow nothing."""

    mask: Annotated[Shape, Field(min_length=2)]
    keep: Annotated[float, Field(gt=0, lt=1)] = 0.6
    empty: tuple[int, ...] = ()

    def build(self) -> Recipe:
        """The frozen recipe."""
        return RandomMask(self.mask, self.keep, self.empty)


class CausalRecipe(Edge):
    """The causal mask (n_q, n_k)."""

    causal: Annotated[Shape, Field(min_length=2, max_length=2)]

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Causal(*self.causal)


class ValueRecipe(Edge):
    """The value itself; with ``dtype`` an array."""

    value: Any
    dtype: Literal["float32", "float64", "int64", "bool"] | None = None

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Literal_(self.value, self.dtype)


class SameRecipe(Edge):
    """The very array that another argument of the case has."""

    same_as: Name

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Same(self.same_as)


class PermutationRecipe(Edge):
    """The integers below this number in random order, none at its own place."""

    permutation: SizeField

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Permutation(self.permutation)


class MadeRecipe(Edge):
    """Something that a helper of the sandbox makes, ``with`` these parts: a function to call, say."""

    make: Name
    with_: dict[Name, RecipeField] = Field({}, alias="with")

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Made(self.make, _recipes(self.with_))


class OwnRecipe(Edge):
    """The submission's own function or class of this name, the helper ``else`` where it has none."""

    own: Name
    else_: Name | None = Field(None, alias="else")

    def build(self) -> Recipe:
        """The frozen recipe."""
        return Own(self.own, self.else_)


def _constant(value: object) -> object:
    return _size(value) if isinstance(value, str) else value


_RECIPES = {
    next(iter(recipe.model_fields)): recipe.__name__
    for recipe in (
        NormalRecipe,
        IntegersRecipe,
        MaskRecipe,
        CausalRecipe,
        ValueRecipe,
        SameRecipe,
        PermutationRecipe,
        MadeRecipe,
        OwnRecipe,
    )
}
_CONSTANT = "Constant"


def _recipe_tag(value: object) -> str | None:
    if isinstance(value, dict):
        return next((tag for key, tag in _RECIPES.items() if key in value), None)
    return None if isinstance(value, list) else _CONSTANT


RecipeField = Annotated[
    Annotated[NormalRecipe, Tag("NormalRecipe")]
    | Annotated[IntegersRecipe, Tag("IntegersRecipe")]
    | Annotated[MaskRecipe, Tag("MaskRecipe")]
    | Annotated[CausalRecipe, Tag("CausalRecipe")]
    | Annotated[ValueRecipe, Tag("ValueRecipe")]
    | Annotated[SameRecipe, Tag("SameRecipe")]
    | Annotated[PermutationRecipe, Tag("PermutationRecipe")]
    | Annotated[MadeRecipe, Tag("MadeRecipe")]
    | Annotated[OwnRecipe, Tag("OwnRecipe")]
    | Annotated[
        Any,
        PlainValidator(_constant),
        WithJsonSchema({"type": ["number", "boolean", "null", "string"]}),
        Tag(_CONSTANT),
    ],
    Discriminator(_recipe_tag, custom_error_type="recipe", custom_error_message="recipe"),
]


def _recipe(value: Any) -> Recipe:
    if isinstance(value, Edge):
        build: Recipe = operator.methodcaller("build")(value)
        return build
    return Symbol(value) if isinstance(value, str) else Literal_(value)


def _recipes(fields: Mapping[str, Any]) -> tuple[tuple[str, Recipe], ...]:
    return tuple((name, _recipe(value)) for name, value in fields.items())


# ------------------------------------------------------------------------------------------- exercises


class CaseEdge(Edge):
    """One set of inputs; hidden unless ``public``. ``only`` keeps it to the checks named there.

    ``sealed`` cases are those of a learners' edition, which has the place of a hidden case without its inputs.
    """

    name: CaseName
    public: bool = False
    draw: dict[Name, Annotated[tuple[int, ...], Field(min_length=1)]] = {}
    construct_: dict[Name, RecipeField] = Field({}, alias="construct")
    parameters: dict[Name, RecipeField] = {}
    args: dict[Name, RecipeField] = {}
    only: tuple[str, ...] = ()
    raises: Name | None = None
    sealed: bool = False

    def build(self) -> Case:
        """The frozen case."""
        return Case(
            name=self.name,
            public=self.public,
            args=_recipes(self.args),
            construct=_recipes(self.construct_),
            parameters=_recipes(self.parameters),
            draw=tuple(self.draw.items()),
            only=self.only,
            raises=self.raises,
            sealed=self.sealed,
        )


class CheckOptions(Edge):
    """Where a check is made (``on``: names of cases) and its weight; the rest of its keys belongs to its kind."""

    on: tuple[str, ...] = ()
    weight: Points | None = None


class CheckEdge(Edge):
    """One check with its options: ``{name: {on: […]}}``. Each kind has a model of its own, with its name for key."""

    options: CheckOptions


def _check_model(kind: str, declared: CheckKind) -> type[CheckEdge]:
    """The mapping of a check of this kind: the keys of every check, with those of its ``Options``."""
    where = f"grader/grading/checks/{kind}.py: Options"
    options = create_model(
        f"{_camel(kind)}Options", __base__=CheckOptions, **_fields(declared.Options, CheckOptions, where)
    )
    options.__doc__ = _summary(declared.__doc__)
    model = create_model(f"{_camel(kind)}Check", __base__=CheckEdge, options=(options, Field(alias=kind)))
    model.__doc__ = CheckEdge.__doc__
    return model


def _summary(docstring: str | None) -> str:
    """The first line of a docstring, for the description in the JSON Schema."""
    return (docstring or "").partition("\n")[0]


def _camel(kind: str) -> str:
    return "".join(map(str.capitalize, kind.split("_")))


def _check_field(kinds: CheckKinds) -> Any:
    """The type of a check in the bank: the name of a kind, or one name with its options."""

    def tag(value: object) -> str | None:
        if isinstance(value, str):
            return "CheckName"
        name = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else None
        return f"{_camel(name)}Check" if isinstance(name, str) and name in kinds else None

    models = [_check_model(kind, declared) for kind, declared in kinds.items()]
    name: Any = Annotated[str, Field(json_schema_extra={"enum": list(kinds)}), Tag("CheckName")]
    union: Any = functools.reduce(operator.or_, (Annotated[model, Tag(model.__name__)] for model in models), name)
    return Annotated[union, Discriminator(tag, custom_error_type="check", custom_error_message="check")]


class VariantEdge(Edge):
    """Another form of the arguments that the contract lets a submission take."""

    name: CaseName
    expand: dict[Name, tuple[Name, Name]] = {}
    give: dict[Name, str | int | float | bool | None] = {}

    @model_validator(mode="after")
    def _something(self) -> VariantEdge:
        if not self.expand and not self.give:
            raise _expected("`expand: {mask: [query, key]}` or `give: {argument: value}`")
        return self

    def build(self) -> Variant:
        """The frozen variant."""
        return Variant(self.name, tuple(self.expand.items()), tuple(self.give.items()))


_BY_TEXT: dict[str, Any] = {"required": ["replace", "with"]}
_BY_BODY: dict[str, Any] = {"required": ["body"]}
_NO_EDIT = "either `replace: …` and `with: …`, or `body: …`"


class EditEdge(Edge):
    """A change of the function ``in`` (default: the reference itself): ``replace`` ``with``, or a new ``body``."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_BY_TEXT, _BY_BODY]})

    in_: FunctionName | None = Field(None, alias="in")
    replace: Filled | None = None
    with_: str | None = Field(None, alias="with")
    body: Filled | None = None

    @model_validator(mode="after")
    def _one_change(self) -> EditEdge:
        self.check()
        return self

    def check(self) -> None:
        """Refuses half an edit, and two at once."""
        if (self.replace is None) != (self.with_ is None) or (self.replace is None) == (self.body is None):
            raise _expected(_NO_EDIT)

    def edit(self, reference: str) -> Edit:
        """The frozen edit; ``reference`` is the function that it is inside of when it does not say."""
        return Edit(self.in_ or reference, self.replace, (self.with_ if self.body is None else self.body) or "")


class MistakeEdge(EditEdge):
    """A typical wrong solution: one edit of the reference right here, or ``edits``; and what it ``fails``."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_BY_TEXT, _BY_BODY, {"required": ["edits"]}]})

    misconception: Slug
    edits: Annotated[tuple[EditEdge, ...], Field(min_length=1)] | None = None
    fails: Annotated[tuple[str, ...], Field(min_length=1)]

    def check(self) -> None:
        """Refuses edits in both places, too."""
        if self.edits is None:
            EditEdge.check(self)
        elif any(value is not None for value in (self.in_, self.replace, self.with_, self.body)):
            raise _expected(f"{_NO_EDIT}, or a list of these under `edits`, not both")

    def build(self, reference: str) -> Mistake:
        """The frozen mistake."""
        edits = (self,) if self.edits is None else self.edits
        return Mistake(self.misconception, tuple(each.edit(reference) for each in edits), self.fails)


class ExerciseEdge(Edge):
    """What a learner writes: a ``function``, or a ``class`` with ``forward``.

    ``recognised`` stands for ``mistakes`` in a learners' edition: misconceptions whose results are stored.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["function"]}, {"required": ["class"]}]})

    function: Name | None = None
    class_: Name | None = Field(None, alias="class")
    signature: Signature
    forward: Signature | None = None
    adapter: Name | None = None
    through: Called | None = None
    methods: tuple[Called, ...] = ()
    summary: Text
    result: Text
    returns: Literal["value", "attention"] = "value"
    reference: Annotated[str, StringConstraints(pattern=_REFERENCE)]
    points: Points = 4.0
    array_types: Annotated[tuple[ArrayType, ...], Field(min_length=1, max_length=2)] = ("torch", "numpy")
    hints: tuple[Text, ...] = ()
    cases: Annotated[tuple[CaseEdge, ...], Field(min_length=1)]
    checks: tuple[str | CheckEdge, ...]
    variants: tuple[VariantEdge, ...] = ()
    mistakes: tuple[MistakeEdge, ...] = ()
    recognised: tuple[Slug, ...] = ()
    forbids: tuple[LibraryName, ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> ExerciseEdge:
        if (self.function is None) == (self.class_ is None):
            raise _expected("either `function: name` or `class: Name`")
        if self.class_ is None and (self.forward or self.adapter):
            raise _expected("`forward` and `adapter` with a `class` only")
        if self.methods and self.class_ is None:
            raise _expected("`methods` with a `class` only")
        if self.through and (self.forward or self.adapter):
            raise _expected("either `through`, or `forward` and `adapter`")
        return self

    def build(self, kinds: CheckKinds) -> Exercise:
        """The frozen exercise; ``kinds`` give the weights of checks that have none here."""
        name = self.function or self.class_ or ""
        through = (self.through or "").partition("(")[0]
        taken = self.forward or (self.through or "").removeprefix(through)
        return Exercise(
            name=name,
            kind="class" if self.class_ else "function",
            signature=name + self.signature,
            parameters=parameters(self.signature),
            summary=self.summary,
            result=self.result,
            reference=self.reference,
            points=self.points,
            cases=tuple(case.build() for case in self.cases),
            checks=tuple(_check(check, kinds) for check in self.checks),
            hints=self.hints,
            forward_signature=f"forward{self.forward}" if self.forward else None,
            forward=parameters(taken) if taken else (),
            adapter=self.adapter,
            through=through or None,
            methods=self.methods,
            returns=self.returns,
            array_types=self.array_types,
            variants=tuple(variant.build() for variant in self.variants),
            mistakes=(
                *(mistake.build(self.reference.rpartition(".")[2]) for mistake in self.mistakes),
                *(Mistake(name, (), ()) for name in self.recognised),
            ),
            forbids=self.forbids,
        )


def _check(value: str | CheckEdge, kinds: CheckKinds) -> CheckSpec:
    if isinstance(value, str):
        return CheckSpec(value, kinds[value].WEIGHT if value in kinds else 1.0)
    kind, given = type(value).model_fields["options"].alias or "", value.options
    fields = [field.name for field in dataclasses.fields(kinds[kind].Options) if field.name in given.model_fields_set]
    options = tuple((name.removesuffix("_"), getattr(given, name)) for name in fields)
    return CheckSpec(kind, given.weight or kinds[kind].WEIGHT, given.on, options)


# ------------------------------------------------------------------------------------------- questions


class ItemEdge(Edge):
    """What every quiz item has; the rest of its keys belongs to its ``kind``."""

    id: ItemId
    kind: str
    use: Literal["graded", "practice"] = "graded"
    points: Points = 1.0
    ask: Text
    explain: Text | None = None
    sources: tuple[str, ...] = ()
    sealed: bool = False

    def build(self) -> Item:
        """The frozen item, with the spec of its kind."""
        spec = items.kinds()[self.kind].Spec
        return Item(
            id=self.id,
            kind=self.kind,
            ask=self.ask,
            points=self.points,
            use=self.use,
            spec=spec(**{field.name: getattr(self, field.name) for field in dataclasses.fields(spec)}),
            explain=self.explain,
            sources=self.sources,
            sealed=self.sealed,
        )


class MisconceptionEdge(Edge):
    """A wrong belief: what is true instead, and the question that leads there."""

    truth: Text
    ask: Text | None = None
    ask_next: ItemId | None = None

    def build(self, name: str) -> Misconception:
        """The frozen misconception."""
        return Misconception(name, self.truth, self.ask, self.ask_next)


class EquivalentEdge(Edge):
    """A mutant, named as ``bank mutate`` prints it, that no correct test could catch, and why."""

    mutant: Filled
    why: Filled

    def build(self) -> Equivalent:
        """The frozen remark."""
        return Equivalent(self.mutant, self.why)


class QuestionEdge(Edge):
    """One question of the course: its prompt, misconceptions, quiz items and exercises."""

    id: QuestionId
    title: Text
    group: Slug
    prompt: Text
    sources: tuple[str, ...] = ()
    misconceptions: dict[Slug, MisconceptionEdge] = {}
    items: tuple[ItemEdge, ...] = ()
    exercises: tuple[ExerciseEdge, ...] = ()
    equivalent: tuple[EquivalentEdge, ...] = ()

    def build(self, file: str, kinds: CheckKinds) -> Question:
        """The frozen question, as read from ``file``; ``kinds`` are those of checks."""
        return Question(
            id=self.id,
            title=self.title,
            group=self.group,
            prompt=self.prompt,
            file=file,
            sources=self.sources,
            misconceptions=tuple(found.build(name) for name, found in self.misconceptions.items()),
            items=tuple(item.build() for item in self.items),
            exercises=tuple(exercise.build(kinds) for exercise in self.exercises),
            equivalent=tuple(remark.build() for remark in self.equivalent),
        )


def _item_model(kind: str) -> type[ItemEdge]:
    """The keys of every item with those of the kind; a field such as ``from_`` is the key ``from``."""
    spec = items.kinds()[kind].Spec
    fields: dict[str, Any] = {"kind": (Literal[kind], ...)}
    fields |= _fields(spec, ItemEdge, f"grader/course/items/{kind}.py: Spec")
    model = create_model(_item_tag({"kind": kind}) or "", __base__=ItemEdge, **fields)
    model.__doc__ = _summary(items.kinds()[kind].__doc__)
    return model


def _fields(declared: type[Any], base: type[Edge], where: str) -> dict[str, Any]:
    """The fields of a kind's dataclass for ``create_model``. Raises TypeError for one that ``base`` has already."""
    hints = typing.get_type_hints(declared, include_extras=True)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(declared):
        if field.name in base.model_fields:
            raise TypeError(f"{where}.{field.name} is a key that every {_EVERY[base]} has")
        settings: dict[str, Any] = {"alias": field.name.removesuffix("_")}
        if field.default is not dataclasses.MISSING:
            settings["default"] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            settings["default_factory"] = field.default_factory
        fields[field.name] = (hints[field.name], Field(**settings))
    return fields


_EVERY: dict[type[Edge], str] = {ItemEdge: "item", CheckOptions: "check"}


def _item_tag(value: object) -> str | None:
    kind = value.get("kind") if isinstance(value, dict) else None
    return f"{kind.capitalize()}Item" if isinstance(kind, str) and kind in items.kinds() else None


def question_file(checks: CheckKinds) -> type[QuestionEdge]:
    """The model of a question file, with the item kinds there are and these kinds of ``checks``."""
    models = [_item_model(kind) for kind in items.kinds()]
    union: Any = functools.reduce(operator.or_, (Annotated[model, Tag(model.__name__)] for model in models))
    by_kind = Discriminator(_item_tag, custom_error_type="kind", custom_error_message="kind")
    check = _check_field(checks)
    several: Any = Annotated[tuple[check, ...], Field(min_length=1)]  # type: ignore[valid-type]
    exercise = create_model("ExerciseEdge", __base__=ExerciseEdge, checks=(several, ...))
    exercise.__doc__ = ExerciseEdge.__doc__
    fields: dict[str, Any] = {
        "items": (tuple[Annotated[union, by_kind], ...], ()),
        "exercises": (tuple[exercise, ...], ()),  # type: ignore[valid-type]
    }
    file = create_model("QuestionFile", __base__=QuestionEdge, **fields)
    file.__doc__ = QuestionEdge.__doc__
    return file


# ----------------------------------------------------------------------------------------- other files


class SourceEdge(Edge):
    """A paper or manual: ``where`` is an address, or what else is needed to find it."""

    title: str
    authors: str
    year: int
    where: str


class SourcesFile(RootModel[dict[Slug, SourceEdge]]):
    """``sources.yaml``: what the bank cites, by id."""

    model_config = ConfigDict(strict=True, frozen=True)

    def build(self) -> tuple[Source, ...]:
        """The frozen sources."""
        return tuple(
            Source(name, source.title, source.authors, source.year, source.where) for name, source in self.root.items()
        )


def _time(text: str) -> str:
    try:
        zoned = datetime.fromisoformat(text).utcoffset() is not None
    except ValueError:
        zoned = False
    if not zoned:
        raise _expected('a time with its zone in quotes, such as "2026-11-30T23:59:00+08:00"')
    return text


Percent = Annotated[float, Field(ge=0, le=100)]


class LateEdge(Edge):
    """What being late costs: ``percent`` for each day, nothing within the grace, everything after some days."""

    percent: Percent = 0.0
    grace_hours: Annotated[float, Field(ge=0)] | None = None
    grace_days: Annotated[float, Field(ge=0)] | None = None
    cut_off_days: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one_grace(self) -> LateEdge:
        if self.grace_hours is not None and self.grace_days is not None:
            raise _expected("either `grace_hours: …` or `grace_days: …`")
        if self.cut_off_days is not None and self.grace > 24 * self.cut_off_days:
            most = f"a grace of at most {self.cut_off_days:g} days ({24 * self.cut_off_days:g} hours)"
            raise _expected(f"{most}, because nothing counts after `cut_off_days`")
        return self

    @property
    def grace(self) -> float:
        """The hours that cost nothing."""
        return self.grace_hours or 24 * (self.grace_days or 0.0)


class AttemptsEdge(Edge):
    """Which of several attempts counts, and what each further one costs."""

    count: Literal["best", "last", "each"] = "last"
    percent: Percent = 0.0


Digest = Annotated[str, StringConstraints(pattern=_DIGEST)]


class EditionEdge(Edge):
    """What ``bank publish`` writes: what a learners' edition was made from, and the digests of what it stores."""

    format: Literal[1]
    of: Digest
    attncheck: str
    stored: dict[Name, Digest] = {}

    def build(self) -> Edition:
        """The frozen mark of an edition."""
        return Edition(self.of, self.attncheck, tuple(self.stored.items()))


class CourseFile(Edge):
    """``course.yaml``: what is not there is taken from the bundled course."""

    title: Text | None = None
    public_id: Annotated[str, Field(min_length=1)] | None = None
    groups: Annotated[dict[Slug, Text], Field(min_length=1)] | None = None
    questions: tuple[QuestionId, ...] | None = None
    due: Annotated[str, AfterValidator(_time)] | None = None
    late: LateEdge = LateEdge()
    attempts: AttemptsEdge = AttemptsEdge()
    hidden_results: Literal["always", "after-due", "never"] = "always"
    points: dict[QuestionId, Points] = {}
    roster: Filled | None = None
    seed_file: Filled | None = None
    edition: EditionEdge | None = None
    forbids: dict[Name, tuple[LibraryName, ...]] = {}
    packages: tuple[PackageName, ...] = ()

    def rules(self) -> Rules:
        """What is said about handing in."""
        return Rules(
            due=self.due,
            late_percent=self.late.percent,
            grace_hours=self.late.grace,
            cut_off_days=self.late.cut_off_days,
            attempts=self.attempts.count,
            attempt_percent=self.attempts.percent,
            hidden_results=self.hidden_results,
        )


# -------------------------------------------------------------------------------- validation and faults


def validate(model: type[Model], value: Any) -> Model | list[Fault]:
    """``value`` as ``model``, or everything that is wrong with it."""
    try:
        return model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        schema = model.model_json_schema()
        details = [detail for detail in error.errors(include_url=False) if not _echo(detail)]
        found = [(detail["type"], _fault(detail, schema, value)) for detail in details]
        # Of what may be one of several things, the one that it is meant to be has faults further inside.
        deeper = {fault.path[:length] for _, fault in found for length in range(len(fault.path))}
        return list(dict.fromkeys(f for kind, f in found if not (kind.endswith("_type") and f.path in deeper)))


def _echo(detail: ErrorDetails) -> bool:
    """Whether a list is called too short only because something in it was refused."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def blanks(value: Any, path: Path = ()) -> list[Fault]:
    """The texts in ``value`` that are there in name only."""
    if isinstance(value, list):
        return [fault for index, part in enumerate(value) for fault in blanks(part, (*path, index))]
    if not isinstance(value, dict):
        return []
    found = [fault for key, part in value.items() for fault in blanks(part, (*path, key))]
    empty = [lang for lang in ("en", "zh") if isinstance(text := value.get(lang), str) and not text.strip()]
    return found + [unexpected((*path, lang), value[lang], "a text in English and in Chinese") for lang in empty]


def _fault(detail: ErrorDetails, schema: dict[str, Any], value: Any) -> Fault:
    """Pydantic's error about ``value`` in words that know the bank; the schema says what was expected."""
    definitions: dict[str, Any] = schema.get("$defs", {})
    path: list[str | int] = []
    node, around = schema, schema
    for place, part in enumerate(detail["loc"], 1):
        there = part in value if isinstance(value, dict) else isinstance(value, list) and part in range(len(value))
        if there or (detail["type"] == "missing" and place == len(detail["loc"])):
            path.append(part)
            node, around = _below(node, part, definitions), node
            value = value[part] if there else None
        elif part in definitions and not (detail["type"].endswith("_type") and place == len(detail["loc"])):
            # The member of a union that it is; other words that pydantic adds are not in the file either.
            node = definitions[str(part)]
    where, seen = tuple(path), detail["input"]
    match detail["type"]:
        case "missing":
            both = "; every text stands here in English and in Chinese" if path[-1] in ("en", "zh") else ""
            return Fault(where, f"missing; expected {_describe(node, definitions)}{both}")
        case "extra_forbidden" | "unexpected_keyword_argument":
            keys = [key for option in _options(around, definitions) for key in option.get("properties", {})]
            fault = unknown(where, str(path[-1]), "one of the keys", keys)
            if seen is None and keys == ["en", "zh"]:
                return Fault(where, f"{fault.text} (a text with a comma needs quotes inside {{ }})")
            return fault
        case "literal_error":
            options = _options(node, definitions)
            return _one_of(
                where, seen, [str(one) for option in options for one in option.get("enum", [option.get("const")])]
            )
        case "string_pattern_mismatch":
            return unexpected(where, seen, _in_words(detail["ctx"]["pattern"]))
        case "expected":
            return unexpected(where, seen, detail["ctx"]["what"])
        case "kind":
            return _choice(where, seen, "kind", items.kinds())
        case "recipe":
            return _choice(where, seen, "", _RECIPES)
        case "check":
            if isinstance(seen, dict) and len(seen) == 1:
                names = [name for option in _options(node, definitions) for name in option.get("enum", ())]
                return unknown(where, str(*seen), "a check of grader/grading/checks", names)
            return unexpected(where, seen, "the name of a check, or one name with its options: {name: {on: […]}}")
        case "too_short" | "string_too_short":
            return unexpected(where, seen, f"a length of {detail['ctx']['min_length']} or more")
        case "too_long":
            return unexpected(where, seen, f"a length of {detail['ctx']['max_length']} or less")
        case "greater_than":
            return unexpected(where, seen, f"a number above {detail['ctx']['gt']:g}")
        case "greater_than_equal":
            return unexpected(where, seen, f"a number from {detail['ctx']['ge']:g}")
        case "less_than_equal":
            return unexpected(where, seen, f"a number up to {detail['ctx']['le']:g}")
        case "less_than":
            return unexpected(where, seen, f"a number below {detail['ctx']['lt']:g}")
        case kind if kind.endswith("_type"):
            return unexpected(where, seen, _describe(node, definitions))
    return unexpected(where, seen, detail["msg"].removeprefix("Input should be "))


def _choice(path: Path, seen: object, key: str, known: Mapping[str, object]) -> Fault:
    """A fault of what is told apart by a key (recipes) or by the value of ``key`` (items)."""
    names = list(known)
    if not isinstance(seen, dict):
        what = f"a mapping with `{key}`" if key else "a number, true, false, null, or a mapping with a recipe"
        hint = " (a list is written {value: […]})" if isinstance(seen, list) and not key else ""
        return unexpected(path, seen, f"{what}: {', '.join(names)}{hint}")
    if key:
        if key not in seen:
            return Fault((*path, key), f"missing; expected one of: {', '.join(names)}")
        return _one_of((*path, key), seen[key], names)
    first = next(iter(seen), "")
    return unknown((*path, first) if first else path, first, "a recipe", names)


def _one_of(path: Path, seen: object, names: Sequence[str]) -> Fault:
    if isinstance(seen, str):
        return unknown(path, seen, "one of", names)
    return unexpected(path, seen, f"one of: {', '.join(names)}")


def _options(node: dict[str, Any], definitions: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a schema node admits, but for null: itself, or the members of a union; references are followed."""
    if "$ref" in node:
        return [definitions[node["$ref"].rsplit("/", 1)[1]]]
    union = node.get("anyOf") or node.get("oneOf")
    if union is None:
        return [node]
    return [option for member in union if member.get("type") != "null" for option in _options(member, definitions)]


def _below(node: dict[str, Any], part: str | int, definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what stands at ``part``; an empty one where the schema says nothing."""
    for option in _options(node, definitions):
        if isinstance(part, int):
            prefix = option.get("prefixItems", [])
            found = prefix[part] if part < len(prefix) else option.get("items")
        else:
            others = [*option.get("patternProperties", {}).values(), option.get("additionalProperties")]
            found = option.get("properties", {}).get(part, others[0])
        if isinstance(found, dict):
            return found
    return {}


def _in_words(pattern: str) -> str:
    return _IN_WORDS.get(pattern, f"a text that matches {pattern}")


_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


def _describe(node: dict[str, Any], definitions: Mapping[str, Any]) -> str:
    """What a schema node wants, in words."""
    return " or ".join(dict.fromkeys(map(_describe_one, _options(node, definitions))))


def _describe_one(node: dict[str, Any]) -> str:
    if "enum" in node or "const" in node:
        return f"one of: {', '.join(map(show, node.get('enum', [node.get('const')])))}"
    if "pattern" in node:
        return _in_words(node["pattern"])
    kind = node.get("type", "")
    if kind == "object" and "properties" in node:
        needed = node.get("required", [])
        keys = [f"{key}: …" for key in node["properties"] if key in needed or not needed]
        return f"a mapping {{{', '.join(keys)}}}"
    return _TYPES.get(kind, "a value") if isinstance(kind, str) else " or ".join(_TYPES[one] for one in kind)
