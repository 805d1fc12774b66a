"""Writes what learners start from: a Python file with empty exercises, and an ``answers.yaml`` to fill in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from grader.core.layout import columns, wrap
from grader.core.marks import plain
from grader.core.model import Exercise, Item, Lang, Message, Question, Sentences, Text
from grader.core.tables import table, text_of
from grader.core.text import LEVEL, PARENTHESIZED, RESULT, name_list, points
from grader.core.typesetting.latex import markdown
from grader.course import items

_WIDTH = 88

# ------------------------------------------------------------------------------------- conventions


def conventions(exercises: Iterable[Exercise]) -> tuple[Text, ...]:
    """The conventions that apply to one of these ``exercises``."""
    texts = table(__file__, "conventions.yaml")
    asked = tuple(exercises)
    return tuple(text_of(texts[name]) for name, applies in _CONVENTIONS.items() if any(map(applies, asked)))


def _takes(*names: str) -> Callable[[Exercise], bool]:
    return lambda exercise: any(given.name in names for given in (*exercise.parameters, *exercise.forward))


def _projects(exercise: Exercise) -> bool:
    return exercise.adapter not in (None, "table")  # a table is found by its size


#: Which exercises each convention is for; ``conventions.yaml`` has the texts.
_CONVENTIONS: Mapping[str, Callable[[Exercise], bool]] = {
    "arguments": lambda exercise: True,
    "libraries": lambda exercise: "numpy" in exercise.array_types,
    "only-torch": lambda exercise: exercise.array_types == ("torch",),
    "shapes": lambda exercise: True,
    "rows": lambda exercise: _projects(exercise) or any(given.name.startswith("w_") for given in exercise.parameters),
    "masks": _takes("mask", "self_mask", "memory_mask"),
    "no-key": _takes("mask", "self_mask", "memory_mask", "key_padding"),
    "heads": lambda exercise: _takes("num_heads")(exercise) and _takes("x", "q", "d_model")(exercise),
    "masks-of-heads": lambda exercise: _takes("num_heads")(exercise) and _takes("mask", "self_mask")(exercise),
    "flops": lambda exercise: "flops" in exercise.name,
    "in-place": lambda exercise: True,
    "weights": lambda exercise: exercise.returns == "attention",
    "errors": lambda exercise: any(case.raises == "ValueError" for case in exercise.cases),
    "classes": lambda exercise: exercise.forward_signature is not None,
    "projections": _projects,
    "layers": lambda exercise: exercise.adapter in ("encoder_layer", "decoder_layer"),
}

# ---------------------------------------------------------------------------------------- Python stub

_CHOOSE = Message("Choose your library: `import numpy as np`, or `import torch`.")


def file_name(question: Question) -> str:
    """The name of the file for ``question``: ``q05.py``."""
    number = question.id.lower().removeprefix("q")
    return f"q{number.zfill(2)}.py"


def stub(question: Question, lang: Lang) -> str:
    """A Python file with the prompt of ``question`` and one empty definition for each of its exercises."""
    commands = (
        (f"attncheck show {question.id}", Message("shows the question again").of(lang)),
        (f"attncheck grade {file_name(question)}", Message("grades this file").of(lang)),
    )
    rules = "\n".join(f"- {text.of(lang)}" for text in conventions(question.exercises))
    head = [f"{question.id}  {question.title.of(lang)}", "", *columns(commands), ""]
    head += [*wrap(question.prompt.of(lang), _WIDTH), "", *wrap(rules, _WIDTH)]
    parts = [_docstring(head, "")]
    if any("numpy" in exercise.array_types for exercise in question.exercises):
        parts += ["", f"# {plain(_CHOOSE.of(lang))}"]
    for exercise in question.exercises:
        parts += ["", "", definition(exercise, lang)]
    return "\n".join(parts) + "\n"


def definition(exercise: Exercise, lang: Lang) -> str:
    """An empty definition of ``exercise``, with what it asks for in its docstring."""
    inner = "    " if exercise.kind == "function" else "        "
    text = wrap(exercise.summary.of(lang), _WIDTH - 4)
    if exercise.array_types == ("torch",):
        text += ["", Message("This exercise must be written with torch.").of(lang)]
    for sentence in forbidden_names_sentence(exercise):
        text += ["", *wrap(sentence.of(lang), _WIDTH - 4)]
    text += ["", *wrap(RESULT.fill(result=exercise.result).of(lang), _WIDTH - 4)]
    doc = _docstring(text, "    ")
    empty = f"{inner}raise NotImplementedError"
    if exercise.kind == "function":
        return f"def {exercise.signature}:\n{doc}\n{empty}"
    methods = [f"    def __init__{_with_self(exercise.signature)}:\n{empty}"]
    for signature in (*filter(None, [exercise.forward_signature]), *exercise.methods):
        methods.append(f"    def {signature.partition('(')[0]}{_with_self(signature)}:\n{empty}")
    return f"class {exercise.name}:\n{doc}\n\n" + "\n\n".join(methods)


def forbidden_names_sentence(exercise: Exercise) -> tuple[Text, ...]:
    """A sentence about the names that ``exercise`` forbids; none if it forbids none."""
    names = name_list(exercise.forbids)
    return (Message("Write it without {names}.").fill(names=names),) if exercise.forbids else ()


def _with_self(signature: str) -> str:
    """The parameters of ``name(a, b)`` as those of a method."""
    inside = signature.partition("(")[2].removesuffix(")")
    return f"(self, {inside})" if inside else "(self)"


def _docstring(lines: list[str], indent: str) -> str:
    escaped = [plain(line).replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in lines]
    body = [f'{indent}"""{escaped[0]}', *(indent + line if line else "" for line in escaped[1:])]
    return "\n".join([*body, f'{indent}"""'])


# ------------------------------------------------------------------------------------------ notebook

_CHECK = Message("Run a cell of code, then the check below it.")
_QUIZ = Message("The quiz items of this question.")
_SUBMIT = Message("When you are done, run the last cell: it packs your code and your answers as a zip to submit.")


def notebook_name(question: Question) -> str:
    """The name of the notebook for ``question``: ``q05.ipynb``."""
    return f"{file_name(question).removesuffix('.py')}.ipynb"


def notebook(question: Question, lang: Lang) -> str:
    """A notebook with the prompt of ``question``, a cell for each exercise with a check below it, and its quiz."""
    lines = [f"# {question.id}  {question.title.of(lang)}", "", question.prompt.of(lang), "", _CHECK.of(lang), ""]
    lines += [f"- {text.of(lang)}" for text in conventions(question.exercises)]
    mixed = any("numpy" in exercise.array_types for exercise in question.exercises)
    library = "import numpy as np\nimport torch" if mixed else "import torch"
    cells = [
        _cell("markdown", markdown("\n".join(lines))),
        _cell("code", f"{library}\n\nfrom attncheck import check, quiz, submit"),
    ]
    for exercise in question.exercises:
        cells += [_cell("code", definition(exercise, lang)), _cell("code", f'check("{exercise.name}")')]
    if question.items:
        cells += [_cell("markdown", _QUIZ.of(lang)), _cell("code", f'quiz("{question.id}")')]
    cells += [_cell("markdown", _SUBMIT.of(lang)), _cell("code", "submit()")]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": cells}, indent=1) + "\n"


def _cell(kind: str, source: str) -> dict[str, object]:
    code: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **code}


# ------------------------------------------------------------------------------------- answers.yaml

_FILL_IN = Message(
    "Write your answers after the colons; null means not answered. Lines that begin with # are comments."
)
_WHOSE = Message("The learner's name decides which: `attncheck show {question} --learner NAME`.")


def answers(questions: Iterable[Question], lang: Lang, course_id: str = "", learner: str | None = None) -> str:
    """An ``answers.yaml`` with every graded item of ``questions``, all unanswered."""
    lines = [
        *(f"# {line}" for line in wrap(_FILL_IN.of(lang), _WIDTH - 2)),
        "format: 1",
        "learner: your-name" if learner is None else f"learner: {json.dumps(learner, ensure_ascii=False)}",
        "answers:",
    ]
    written = answer_entries(((q, item) for q in questions for item in graded(q)), lang, course_id, learner)
    return "\n".join([*lines, written]) if written else "\n".join(lines) + " {}\n"


def answer_entries(
    chosen: Iterable[tuple[Question, Item]], lang: Lang, course_id: str = "", learner: str | None = None
) -> str:
    """The entries of these items in an ``answers.yaml``, all unanswered."""
    lines = [
        line
        for question, item in chosen
        for line in _entry(item, question, items.Context(course_id, learner or "", item.id), lang)
    ]
    return "".join(f"{line}\n" for line in lines)


def graded(question: Question) -> tuple[Item, ...]:
    """The graded items of ``question``: those that ``answers.yaml`` has."""
    return tuple(item for item in question.items if item.use == "graded")


def item_paragraphs(item: Item, question: Question, course_id: str, learner: str | None) -> tuple[Text, ...]:
    """The paragraphs of an item: what it asks, with the learner's numbers (or all choices), and its facts."""
    context = items.Context(course_id, learner or "", item.id)
    paragraphs = [item.ask] if learner is None else [items.fill(item.ask, items.draw(item.spec, context))]
    drawn = [
        Message("{name} is one of {choices}.").fill(name=f"{{{name}}}", choices=name_list(map(str, numbers)))
        for name, numbers in (items.draw_choices(item.spec).items() if learner is None else ())
    ]
    if drawn:
        paragraphs.append(Sentences((*drawn, _WHOSE.fill(question=question.id))))
    return (*paragraphs, *items.ask(item, context).facts)


def points_of(value: float) -> Text:
    """A number of points, in words."""
    return Text(f"{points(value)} point{'' if value == 1 else 's'}", f"{points(value)} 分")


def counted(items: Iterable[Item], exercises: int = 0) -> Text:
    """How many items of each use there are, and exercises, in words: “14 graded items, 1 practice item, 1 exercise”."""
    uses = [item.use for item in items]
    counts = (
        (uses.count("graded"), "graded item", "道计分小题"),
        (uses.count("practice"), "practice item", "道练习小题"),
        (exercises, "exercise", "个编程练习"),
    )
    words = (Text(f"{n} {en}{'' if n == 1 else 's'}", f"{n} {zh}") for n, en, zh in counts if n)
    return name_list(words)


def item_worth(item: Item) -> Text:
    """What ``item`` is worth and how hard it is, in words."""
    value = points_of(item.points)
    return LEVEL.fill(points=value, level=item.level) if item.level else value


def _entry(item: Item, question: Question, context: items.Context, lang: Lang) -> list[str]:
    shown = items.ask_in_file(item, context)
    name = f"{item.id}  {item.title.of(lang)}" if item.title else item.id
    lines = ["", *_comment(PARENTHESIZED.fill(what=name, more=item_worth(item)).of(lang))]
    for text in item_paragraphs(item, question, context.course_id, context.learner or None):
        lines += _comment(text.of(lang))
    lines += [line for choice in shown.choices for line in _choice(choice, lang)]
    if shown.partners:
        lines += ["  #", *(line for choice in shown.partners for line in _choice(choice, lang))]
    return [*lines, *_comment(shown.how.of(lang)), f"  {item.id}: null"]


def _choice(choice: items.Choice, lang: Lang) -> list[str]:
    first, *rest = wrap(f"{choice.id}: {choice.text.of(lang)}", _WIDTH - 8)
    return [f"  #   {first}", *(f"  #      {line}" for line in rest)]


def _comment(text: str) -> list[str]:
    return [f"  # {line}".rstrip() for line in wrap(text, _WIDTH - 4)]
