"""A report as JSON data for ``--json`` and for the files of a batch; docs/json.md describes the format."""

from __future__ import annotations

from typing import Any

from grader.core import serialize
from grader.core.model import Diagnosis, ExerciseResult, ItemResult, Lang, Outcome, QuestionResult, Report, Text
from grader.core.serialize import number as number
from grader.core.serialize import picked
from grader.core.text import clean, cleaned

FORMAT = 1


def to_json(report: Report, lang: Lang = "en") -> dict[str, Any]:
    """The report as data with the keys and key order of docs/json.md, with messages in ``lang``."""
    versions = dict(report.versions)
    return {
        "format": FORMAT,
        "learner": clean(report.learner),
        "earned": number(report.earned),
        "possible": number(report.possible),
        "complete": report.complete,
        "late_by_seconds": None if report.late_by_seconds is None else number(report.late_by_seconds),
        "course": {"title": report.course_title.of(lang), "digest": report.course_digest},
        "seed": report.seed,
        "attncheck": versions.get("attncheck"),
        "torch": versions.get("torch"),
        "seconds": number(report.shown_seconds),
        "sandbox": {"layers": list(report.layers), "unsafe": report.unsafe},
        "questions": [_question(question, lang) for question in report.questions],
        "notices": [f"{clean(n.where)}: {_said(n.text, lang)}" for n in report.notices],
        "not_attempted": list(report.not_attempted),
    }


def _question(result: QuestionResult, lang: Lang) -> dict[str, Any]:
    return {
        **picked(result, "id", "earned", "possible"),
        "items": [_item(item, lang) for item in result.items],
        "exercises": [_exercise(exercise, lang) for exercise in result.exercises],
    }


def _item(item: ItemResult, lang: Lang) -> dict[str, Any]:
    return {
        **picked(item, "id", "kind", "status", "earned", "possible", "misconception"),
        "message": _said(item.message, lang),
        "reading": None if item.reading is None else clean(item.reading, 4000, lines=True),
        "unread": item.unread,
    }


def _exercise(exercise: ExerciseResult, lang: Lang) -> dict[str, Any]:
    return {
        "function": exercise.name,
        **picked(exercise, "status", "earned", "possible", "misconception"),
        "message": _said(exercise.message, lang),
        "diagnosis": serialize.to_json([diagnosis(each) for each in exercise.diagnosis], lang),
        "file": None if exercise.file is None else clean(exercise.file),
        "array_type": exercise.array_type,
        "remarks": [_said(remark, lang) for remark in exercise.remarks],
        "checks": [_check(outcome, lang) for outcome in exercise.outcomes],
    }


def _check(outcome: Outcome, lang: Lang) -> dict[str, Any]:
    # Without Verdict.difference: it contains values, which hidden cases must never show.
    return {
        "name": outcome.check,
        **picked(outcome, "case", "visibility", "status", "earned", "possible"),
        "message": _said(outcome.verdict.message, lang),
        "broken": outcome.verdict.broken,
        "printed": outcome.verdict.printed if outcome.visibility == "public" else "",
    }


def diagnosis(found: Diagnosis) -> dict[str, Any]:
    """One explanation of a failure, its text in both languages; without a place, the keys of the place are null."""
    place = found.span
    return {
        "voice": found.voice,
        "misconception": found.misconception,
        "file": None if place is None else clean(place.file),
        **{name: getattr(place, name, None) for name in ("line", "end_line", "column", "end_column")},
        "text": cleaned(found.text, 2000, lines=True),
    }


def _said(text: Text | None, lang: Lang) -> str | None:
    return None if text is None else clean(text.of(lang), 2000, lines=True)
