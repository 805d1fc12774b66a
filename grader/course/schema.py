"""What the YAML of the bank may say, and what is wrong with it, in the words of authors.

Loaded only when a course is not in the cache, because it needs pydantic. Most types of ``grader.core.model`` are
validated as they are. The models here are those whose keys differ from the fields: an edit or an exercise can be
written in several ways, a check is written under its name, an item has the keys of its kind besides its own, a
misconception is known by the key of its mapping, and ``course.yaml`` becomes fields of several types. Documents are
validated as JSON, since pydantic's strict mode takes lists for tuples and mappings for dataclasses only there.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
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
    RootModel,
    Tag,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from grader.core.constraints import (
    CaseName,
    FunctionName,
    Identifier,
    LibraryName,
    NonBlank,
    PackageName,
    Points,
    QuestionId,
    ReferenceName,
    Slug,
)
from grader.core.model import (
    LANGUAGES,
    Alternative,
    ArrayType,
    Case,
    CheckSpec,
    Edit,
    Edition,
    Exercise,
    Item,
    Landmark,
    Lang,
    Misconception,
    Mistake,
    Pace,
    Parameter,
    Question,
    Rules,
    Source,
    Text,
    Variant,
)
from grader.course import items
from grader.course.validate import CheckKinds, CheckModule

Model = TypeVar("Model", bound=BaseModel)


def _key(name: str) -> str:
    """The key of a field: names that are keywords of Python end in ``_``."""
    return name.removesuffix("_")


class Strict(BaseModel):
    """A mapping of the bank: unknown keys are refused, and values are not converted.

    So it is in the dataclasses within it.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=_key)


def keys_of(declared: type[Any], without: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass for ``create_model``, with their defaults. A field ``from_`` is the key ``from``."""
    hints = typing.get_type_hints(declared, include_extras=True)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(declared):
        if field.name in without:
            continue
        settings: dict[str, Any] = {"alias": field.metadata.get("alias")}
        if field.default is not dataclasses.MISSING:
            settings["default"] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            settings["default_factory"] = field.default_factory
        fields[field.name] = (hints[field.name], Field(**settings))
    return fields


def keyed(declared: type[Any]) -> type[Strict]:
    """The keys of a dataclass whose ``id`` is the key under which its mapping is written."""
    fields = keys_of(declared, without=("id",))
    return create_model(declared.__name__, __base__=Strict, __doc__=declared.__doc__, **fields)


def _disjoint(own: Mapping[str, Any], common: Mapping[str, Any], where: str, what: str) -> dict[str, Any]:
    """Both together. Raises TypeError for a key of ``own`` that every ``what`` has already."""
    for name in own:
        if name in common:
            raise TypeError(f"{where}.{name} is a key that every {what} has")
    return {**common, **own}


# --------------------------------------------------------------------------------------------- signatures


def parameters(signature: str) -> tuple[Parameter, ...]:
    """The parameters of ``(q, k, mask=None)``, found by syntax alone. Raises ValueError for other text."""
    expected = "plain Python parameters in parentheses, such as (q, k, v, mask=None)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(f"def f{signature}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deeply"
        raise ValueError(f"{expected} (Python says: {reason})") from None
    match tree:
        case [ast.FunctionDef(args=found, returns=None, body=[ast.Pass()])]:
            unusual = found.posonlyargs or found.kwonlyargs or found.vararg or found.kwarg
            names = [arg.arg for arg in found.args]
            if not unusual and not any(arg.annotation for arg in found.args) and len(set(names)) == len(names):
                required = len(found.args) - len(found.defaults)
                return tuple(Parameter(name, index < required) for index, name in enumerate(names))
    raise ValueError(f"{expected}; no *, /, **, no annotations, no name twice")


def _signature(text: str) -> str:
    parameters(text)
    return text


def _called(text: str) -> str:
    name = text.partition("(")[0]
    if not name.isidentifier():
        raise ValueError("a name with its parameters, such as append(k, v)")
    parameters(text.removeprefix(name))
    return text


Signature = Annotated[str, AfterValidator(_signature)]
Called = Annotated[str, AfterValidator(_called)]

# ------------------------------------------------------------------------------------------------ checks


class CheckMapping(Strict):
    """One check with its options: ``{name: {on: […]}}``. Each kind has a model of its own, with its name as key."""

    options: Any


def _check_model(kind: str, declared: CheckModule) -> type[CheckMapping]:
    """The mapping of a check of this kind: the keys of every check, with those of its ``Options``."""
    common = keys_of(CheckSpec, without=("kind", "weight", "options")) | {"weight": (Points | None, None)}
    where = f"grader/grading/checks/{kind}.py: Options"
    own = keys_of(declared.KIND.options)
    fields = _disjoint(own, common, where, "check")
    options = create_model(f"{_camel(kind)}Options", __base__=Strict, __doc__=declared.__doc__, **fields)
    about, written = CheckMapping.__doc__, (options, Field(alias=kind))
    return create_model(f"{_camel(kind)}Check", __base__=CheckMapping, __doc__=about, options=written)


def _camel(kind: str) -> str:
    return "".join(map(str.capitalize, kind.split("_")))


def _check_type(kinds: CheckKinds) -> Any:
    """The type of a check in the bank: the name of a kind, or one name with its options."""

    def tag(value: object) -> str | None:
        if isinstance(value, str):
            return "CheckName"
        name = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else None
        return f"{_camel(name)}Check" if isinstance(name, str) and name in kinds else None

    models = [_check_model(kind, declared) for kind, declared in kinds.items()]
    name: Any = Annotated[str, Field(json_schema_extra={"enum": list(kinds)}), Tag("CheckName")]
    if not models:
        return name  # pydantic refuses a discriminator where there is nothing to tell apart
    union: Any = functools.reduce(operator.or_, (Annotated[model, Tag(model.__name__)] for model in models), name)
    return Annotated[union, Discriminator(tag, custom_error_type="check", custom_error_message="check")]


def _check(value: str | CheckMapping, kinds: CheckKinds) -> CheckSpec:
    if isinstance(value, str):
        return CheckSpec(value, kinds[value].KIND.weight if value in kinds else 1.0)
    kind, given = type(value).model_fields["options"].alias or "", value.options
    about = kinds[kind].KIND
    fields = [field.name for field in dataclasses.fields(about.options) if field.name in given.model_fields_set]
    options = tuple((name.removesuffix("_"), getattr(given, name)) for name in fields)
    return CheckSpec(kind, given.weight or about.weight, given.on, options)


# --------------------------------------------------------------------------------------------- mistakes

_BY_TEXT: dict[str, Any] = {"required": ["replace", "with"]}
_BY_BODY: dict[str, Any] = {"required": ["body"]}
_NO_EDIT = "either `replace: …` and `with: …`, or `body: …`"


class EditSchema(Strict):
    """An edit of the function ``in`` (default: the reference): ``replace`` and ``with``, or a new ``body``."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_BY_TEXT, _BY_BODY]})

    in_: FunctionName | None = None
    replace: NonBlank | None = None
    with_: str | None = None
    body: NonBlank | None = None

    @model_validator(mode="after")
    def _one_change(self) -> EditSchema:
        self.check()
        return self

    def check(self) -> None:
        """Raises ValueError for an edit that is incomplete, or both kinds at once."""
        if (self.replace is None) != (self.with_ is None) or (self.replace is None) == (self.body is None):
            raise ValueError(_NO_EDIT)

    def edit(self, reference: str) -> Edit:
        """The frozen edit. Without ``in`` it changes the function ``reference``."""
        return Edit(self.in_ or reference, self.replace, (self.with_ if self.body is None else self.body) or "")


class MistakeSchema(EditSchema):
    """A typical wrong solution: one edit of the reference, or several ``edits``, and the checks that it ``fails``."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [_BY_TEXT, _BY_BODY, {"required": ["edits"]}]})

    misconception: Slug
    edits: Annotated[tuple[EditSchema, ...], Field(min_length=1)] | None = None
    fails: Annotated[tuple[str, ...], Field(min_length=1)]

    def check(self) -> None:
        """Raises ValueError for edits in both places, too."""
        if self.edits is None:
            EditSchema.check(self)
        elif any(value is not None for value in (self.in_, self.replace, self.with_, self.body)):
            raise ValueError(f"{_NO_EDIT}, or a list of these under `edits`, not both")

    def build(self, reference: str) -> Mistake:
        """The frozen mistake."""
        edits = (self,) if self.edits is None else self.edits
        return Mistake(self.misconception, tuple(edit.edit(reference) for edit in edits), self.fails)


class ExerciseSchema(Strict):
    """What a learner writes: a ``function``, or a ``class`` with ``forward``.

    In a learners' edition ``recognised`` replaces ``mistakes``: misconceptions whose results are stored.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["function"]}, {"required": ["class"]}]})

    function: Identifier | None = None
    class_: Identifier | None = None
    signature: Signature
    forward: Signature | None = None
    adapter: Identifier | None = None
    through: Called | None = None
    methods: tuple[Called, ...] = ()
    summary: Text
    result: Text
    returns: Literal["value", "attention"] = "value"
    reference: ReferenceName
    points: Points = 4.0
    array_types: Annotated[tuple[ArrayType, ...], Field(min_length=1, max_length=2)] = ("torch", "numpy")
    hints: tuple[Text, ...] = ()
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]
    checks: tuple[str | CheckMapping, ...]
    variants: tuple[Variant, ...] = ()
    mistakes: tuple[MistakeSchema, ...] = ()
    recognised: tuple[Slug, ...] = ()
    forbids: tuple[LibraryName, ...] = ()
    not_applicable: dict[NonBlank, NonBlank] = {}
    landmarks: tuple[Landmark, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> ExerciseSchema:
        if (self.function is None) == (self.class_ is None):
            raise ValueError("either `function: name` or `class: Name`")
        if self.class_ is None and (self.forward or self.adapter):
            raise ValueError("`forward` and `adapter` with a `class` only")
        if self.methods and self.class_ is None:
            raise ValueError("`methods` with a `class` only")
        if self.through and (self.forward or self.adapter):
            raise ValueError("either `through`, or `forward` and `adapter`")
        return self

    def build(self, kinds: CheckKinds) -> Exercise:
        """The frozen exercise. ``kinds`` give the default weights of checks."""
        name = self.function or self.class_ or ""
        through = (self.through or "").partition("(")[0]
        taken = self.forward or (self.through or "").removeprefix(through)
        made: dict[str, Any] = {
            "name": name,
            "kind": "class" if self.class_ else "function",
            "signature": name + self.signature,
            "parameters": parameters(self.signature),
            "checks": tuple(_check(check, kinds) for check in self.checks),
            "forward_signature": f"forward{self.forward}" if self.forward else None,
            "forward": parameters(taken) if taken else (),
            "through": through or None,
            "not_applicable": tuple(self.not_applicable.items()),
            "mistakes": (
                *(mistake.build(self.reference.rpartition(".")[2]) for mistake in self.mistakes),
                *(Mistake(name, (), ()) for name in self.recognised),
            ),
        }
        same = (field.name for field in dataclasses.fields(Exercise) if field.name not in made)
        return Exercise(**made, **{key: getattr(self, key) for key in same})


# ------------------------------------------------------------------------------------------- questions


class ItemSchema(Strict):
    """A quiz item: the keys that every item has, with those of its ``kind``."""

    def build(self) -> Item:
        """The frozen item, with the spec of its kind."""
        fields = dict(self)
        own = {field.name: fields.pop(field.name) for field in dataclasses.fields(items.kinds()[fields["kind"]].Spec)}
        return Item(**fields, spec=items.kinds()[fields["kind"]].Spec(**own))


def _item_model(kind: str) -> type[ItemSchema]:
    module = items.kinds()[kind]
    common = keys_of(Item, without=("spec",)) | {"kind": (Literal[kind], ...)}
    fields = _disjoint(keys_of(module.Spec), common, f"grader/course/items/{kind}.py: Spec", "item")
    return create_model(_item_tag({"kind": kind}) or "", __base__=ItemSchema, __doc__=module.__doc__, **fields)


def _item_tag(value: object) -> str | None:
    kind = value.get("kind") if isinstance(value, dict) else None
    return f"{kind.capitalize()}Item" if isinstance(kind, str) and kind in items.kinds() else None


_Misconception = keyed(Misconception)


class QuestionSchema(Strict):
    """One question of the course: its prompt, misconceptions, quiz items and exercises."""

    # Its fields are those of Question; see question_file.

    def build(self, file: str, kinds: CheckKinds) -> Question:
        """The frozen question, as read from ``file``. ``kinds`` are the kinds of checks."""
        fields = dict(self)
        beliefs = fields["misconceptions"].items()
        fields["misconceptions"] = tuple(Misconception(name, **dict(written)) for name, written in beliefs)
        fields["items"] = tuple(item.build() for item in fields["items"])
        fields["exercises"] = tuple(exercise.build(kinds) for exercise in fields["exercises"])
        return Question(**fields, file=file)


def question_file(checks: CheckKinds) -> type[QuestionSchema]:
    """The model of a question file, with all item kinds and these kinds of ``checks``."""
    models = [_item_model(kind) for kind in items.kinds()]
    union: Any = functools.reduce(operator.or_, (Annotated[model, Tag(model.__name__)] for model in models))
    by_kind = Discriminator(_item_tag, custom_error_type="kind", custom_error_message="kind")
    several: Any = Annotated[tuple[_check_type(checks), ...], Field(min_length=1)]  # type: ignore[misc]
    about = ExerciseSchema.__doc__
    exercise = create_model("Exercise", __base__=ExerciseSchema, __doc__=about, checks=(several, ...))
    fields = keys_of(Question, without=("file",)) | {
        "misconceptions": (dict[Slug, _Misconception], {}),  # type: ignore[valid-type]
        "items": (tuple[Annotated[union, by_kind], ...], ()),
        "exercises": (tuple[exercise, ...], ()),  # type: ignore[valid-type]
    }
    return create_model("QuestionFile", __base__=QuestionSchema, __doc__=QuestionSchema.__doc__, **fields)


class _EditorSchema(GenerateJsonSchema):
    """JSON Schema as pydantic writes it, with ``{}`` as the default of a mapping that becomes a tuple of pairs."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        """The schema of a value with its default."""
        node = super().default_schema(schema)
        return node | {"default": {}} if node.get("type") == "object" and node.get("default") == [] else node

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> dict[str, Any]:
        """The schema of a dataclass, which refuses unknown keys. Only recent versions of pydantic say so themselves."""
        return {"additionalProperties": False, **super().dataclass_schema(schema)}


def editor_schema(checks: CheckKinds) -> dict[str, Any]:
    """JSON Schema (2020-12) of a question file."""
    return question_file(checks).model_json_schema(schema_generator=_EditorSchema)


# ----------------------------------------------------------------------------------------- other files

_Source = keyed(Source)


class SourcesFile(RootModel[dict[Slug, _Source]]):  # type: ignore[valid-type]
    """``sources.yaml``: what the bank cites, by id."""

    model_config = ConfigDict(strict=True, frozen=True)

    def build(self) -> tuple[Source, ...]:
        """The frozen sources."""
        return tuple(Source(name, **dict(source)) for name, source in self.root.items())


class CaseNamesFile(RootModel[dict[CaseName, NonBlank]]):
    """``case-names.yaml``: the Chinese names of cases, by their English ones."""


_OURS = {"attncheck", "grader", "reference", "questions", "tests"}
_TOOLS = {"pytest", "hypothesis", "coverage", "pip", "setuptools", "pyseccomp", "seccomp"}


def _for_learners(name: str) -> str:
    """The name of a package that submissions may be allowed to import."""
    plain = name.lower().replace("_", "-").strip("-")
    if plain in _OURS:
        raise ValueError(f"a package for learners; {name} holds the keys and references, or grades by them")
    if plain in _TOOLS:
        raise ValueError(f"a package for learners; {name} is a tool that tests, loads or confines code")
    return name


def _time(text: str) -> str:
    try:
        zoned = datetime.fromisoformat(text).utcoffset() is not None
    except ValueError:
        zoned = False
    if not zoned:
        raise ValueError('a time with its zone in quotes, such as "2026-11-30T23:59:00+08:00"')
    return text


Percent = Annotated[float, Field(ge=0, le=100)]


class LateSchema(Strict):
    """The penalty for being late: ``percent`` per day after the grace period, everything after ``cut_off_days``."""

    percent: Percent = 0.0
    grace_hours: Annotated[float, Field(ge=0)] | None = None
    grace_days: Annotated[float, Field(ge=0)] | None = None
    cut_off_days: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one_grace(self) -> LateSchema:
        if self.grace_hours is not None and self.grace_days is not None:
            raise ValueError("either `grace_hours: …` or `grace_days: …`")
        if self.cut_off_days is not None and self.grace > 24 * self.cut_off_days:
            most = f"a grace of at most {self.cut_off_days:g} days ({24 * self.cut_off_days:g} hours)"
            raise ValueError(f"{most}, because nothing counts after `cut_off_days`")
        return self

    @property
    def grace(self) -> float:
        """The grace period in hours."""
        return self.grace_hours or 24 * (self.grace_days or 0.0)

    @property
    def ends(self) -> bool:
        """Whether late work stops counting at some time."""
        return self.cut_off_days is not None or self.percent > 0


class AttemptsSchema(Strict):
    """Which of several attempts counts, and the penalty for each further one."""

    count: Literal["best", "last", "each"] = "last"
    percent: Percent = 0.0


#: The keys of course.yaml that questions/course.yaml can have, too, as defaults: what the questions need.
CONTENT_KEYS = frozenset({"title", "public_id", "groups", "aliases", "questions"})


class CourseFile(Strict):
    """``course.yaml``. Missing keys are taken from the bundled course."""

    title: Text | None = None
    public_id: Annotated[str, Field(min_length=1)] | None = None
    groups: Annotated[dict[Slug, Text], Field(min_length=1)] | None = None
    aliases: dict[NonBlank, tuple[NonBlank, ...]] | None = None
    questions: tuple[QuestionId, ...] | None = None
    due: Annotated[str, AfterValidator(_time)] | None = None
    late: LateSchema = LateSchema()
    attempts: AttemptsSchema = AttemptsSchema()
    hidden_results: Literal["always", "after-due", "never"] = "always"
    show_reference: Literal["after-pass", "after-due", "never"] = "after-pass"
    limits: Pace = Pace()
    points: dict[QuestionId, Points] = {}
    roster: NonBlank | None = None
    seed_file: NonBlank | None = None
    edition: Edition | None = None
    forbids: dict[Identifier, tuple[LibraryName, ...]] = {}
    packages: tuple[Annotated[PackageName, AfterValidator(_for_learners)], ...] = ()
    languages: Annotated[tuple[Lang, ...], Field(min_length=1)] = LANGUAGES

    @field_validator("hidden_results")
    @classmethod
    def _ends(cls, when: str, info: ValidationInfo) -> str:
        """Results that wait until nothing counts any more need a rule by which something stops counting."""
        due, late = info.data.get("due", ""), info.data.get("late")
        if when == "after-due" and (due is None or (late is not None and not late.ends)):
            raise ValueError(
                "`always` or `never`, or a due date with `late: {cut_off_days: …}` or `late: {percent: …}`, because "
                "`after-due` shows results when late work no longer counts"
            )
        return when

    def rules(self) -> Rules:
        """The rules about submissions: due date, lateness, attempts."""
        return Rules(
            due=self.due,
            late_percent=self.late.percent,
            grace_hours=self.late.grace,
            cut_off_days=self.late.cut_off_days,
            attempts=self.attempts.count,
            attempt_percent=self.attempts.percent,
            hidden_results=self.hidden_results,
            show_reference=self.show_reference,
        )
