"""What `attncheck submit` and notebooks show: receipts, remarks on a submission that was not run, a zip to submit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from grader.classroom.inbox import Receipt, UnreadEntry, receipt_of
from grader.classroom.text_view import text_lines
from grader.core import files
from grader.core.errors import UsageError
from grader.core.model import Course, Lang, Message, Submission, Text
from grader.core.text import COMMA, LABELED, clean, cleaned, duration, timestamp
from grader.course import answer_ids
from grader.course.items import draw_choices
from grader.grading.notices import remarks
from grader.grading.selection import Selection, choose
from grader.report.terminal import ranges
from grader.submission import files_defining, parse_files
from grader.submission.files import FoundFiles, RawFile

SAME = Message("These are the files that {learner} submitted at {at}.")
DIFFERENT = Message("These are not the files that were submitted at {at}; changed, new or missing: {names}")
MISSING = Message("{question}: still missing: {names}")
NO_ANSWERS = Message("this submission has no answers.yaml, so no quiz item counts as answered")
NUMBERS_OF = Message(
    "answers to items with personal numbers: {count}, under the name “{name}”. If your class has a roster, "
    "they are judged by the numbers of your id in it; if your id is different, answer these items again under it "
    "(attncheck name ID)"
)
GRADED_ELSEWHERE = Message(
    "This is a learners' edition of the course: your instructor grades the answers to graded items and runs the "
    "hidden cases."
)
WAS_DUE = Message("it was due {due}, so this is {time} late, unless you have an extension")
PACKED = Message("Packed in {path}. Submit this file.")
_REFUSED = Message("Nothing was packed, because a part of it cannot be read. {problems}")
_CANNOT_WRITE = Message("{path} cannot be written: {reason}.")


def remarks_on(course: Course, submission: Submission, signed: str, lang: Lang) -> Iterator[str]:
    """Remarks on a submission that are possible without running it; ``signed`` is who answered.

    Raises SubmissionError if nothing in it belongs to the course.
    """
    submission = answer_ids.matched(course, submission)
    chosen = choose(course, submission, Selection())
    for notice in (*submission.notices, *remarks(course, submission, chosen)):
        yield clean(LABELED.fill(who=notice.where, said=notice.text).of(lang), 600)
    comma = COMMA.of(lang)
    answered = {answer.item for answer in submission.answers or () if answer.value is not None}
    for choice in chosen:
        missing = [item.id for item in choice.items if item.id not in answered]
        missing += [exercise.name for exercise in choice.exercises if not files_defining(submission, exercise.name)]
        if missing:
            yield MISSING.fill(question=choice.question.id, names=comma.join(missing)).of(lang)
    items = [item for choice in chosen for item in choice.question.items]
    if submission.answers is None and any(item.use == "graded" for item in items):
        yield NO_ANSWERS.of(lang)
    touched = {choice.question.id for choice in chosen}
    untouched = [question.id for question in course.questions if question.id not in touched]
    if untouched:
        yield Message("this submission has nothing for {names}").fill(names=comma.join(ranges(untouched))).of(lang)
    drawn = {item.id for item in course.items if draw_choices(item.spec)}
    if for_one := answered & drawn:
        yield NUMBERS_OF.fill(count=len(for_one), name=clean(signed)).of(lang)


def lateness(course: Course, receipt: Receipt, lang: Lang) -> Iterator[str]:
    """How late the submission is; nothing if it is on time or there is no due date."""
    if course.rules.due is not None:
        late = (receipt.at - datetime.fromisoformat(course.rules.due)).total_seconds()
        if late > 0:
            yield WAS_DUE.fill(due=timestamp(course.rules.due), time=duration(late)).of(lang)


def receipt_lines(receipt: Receipt, new: bool | None, lang: Lang) -> Sequence[str]:
    """A receipt with its files and answers; ``new`` is false if the same files had been submitted before.

    If it is None, nothing is said of that.
    """
    given = {"at": _at(receipt), "unread_entry": unread_entry, "COMMA": COMMA}
    return text_lines(__file__, "receipt.txt", lang, receipt=receipt, new=new, **given)


def unread_entry(entry: UnreadEntry) -> Text:
    """An answer that could not be read: its item, where, and why. Reasons about YAML name their lines themselves."""
    item, why = clean(entry.item, 80), cleaned(entry.why, 600)
    if why.en.startswith("line "):
        return LABELED.fill(who=item, said=why)
    return Message("{item}: line {line}: {why}").fill(line=entry.line, item=item, why=why)


def comparison(receipt: Receipt, changed: Sequence[str], lang: Lang) -> str:
    """A sentence on whether files match ``receipt``; ``changed`` are the names of those that do not."""
    if changed:
        return DIFFERENT.fill(at=_at(receipt), names=COMMA.of(lang).join(map(clean, changed))).of(lang)
    return SAME.fill(learner=clean(receipt.learner), at=_at(receipt)).of(lang)


def _at(receipt: Receipt) -> str:
    return f"{receipt.at:%Y-%m-%d %H:%M:%S} UTC"


# ------------------------------------------------------------------------------------------------ a zip to submit


@dataclass(frozen=True, slots=True)
class PackedSubmission:
    """A zip to submit, its receipt, and remarks on what is in it; notebooks show them."""

    path: Path
    receipt: Receipt
    remarks: tuple[str, ...]
    lang: Lang

    def __repr__(self) -> str:
        """All of it as text."""
        packed = PACKED.fill(path=self.path.name).of(self.lang)
        return "\n".join([packed, *receipt_lines(self.receipt, None, self.lang), *self.remarks])

    def _repr_html_(self) -> str:
        link = Markup('<a href="{0}" download>{0}</a>').format(self.path.name)
        packed = Markup(PACKED.fill(path="{}").of(self.lang)).format(link)
        contents = "\n".join(receipt_lines(self.receipt, None, self.lang))
        listed = Markup("").join(map(Markup("<li>{}</li>").format, self.remarks))
        return Markup("<p>{}</p><pre>{}</pre><ul>{}</ul>").format(packed, contents, listed)


def pack(path: Path, raws: Sequence[RawFile], learner: str, course: Course, lang: Lang) -> PackedSubmission:
    """Writes ``raws`` to the zip ``path``. Raises UsageError, and writes nothing, if a part of them cannot be read."""
    raws = sorted(raws, key=lambda raw: raw.path)
    submission = parse_files(FoundFiles(path.name, tuple(raws)), learner, path.name)
    unread = [LABELED.fill(who=notice.where, said=notice.text) for notice in submission.notices if notice.urgent]
    if unread:
        raise UsageError(_REFUSED.fill(problems="\n".join(problem.of(lang) for problem in unread)))
    noted = tuple(remarks_on(course, submission, learner, lang))
    try:
        files.write(path, files.zipped((raw.path, raw.data) for raw in raws))
    except OSError as error:
        raise UsageError(_CANNOT_WRITE.fill(path=path, reason=error.strerror or error)) from error
    return PackedSubmission(path, receipt_of(raws, submission, datetime.now(UTC), course), noted, lang)
