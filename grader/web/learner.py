"""One learner on their own machine: their log, their files, and the course."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from grader.core import files
from grader.core.errors import AttncheckError, UsageError
from grader.core.model import Course, Exercise, Item, Lang, Question, Report, Text
from grader.course import starter
from grader.grading.checker import Checked, Checker
from grader.learning import hints, log, progress, review
from grader.learning import session as conversation
from grader.learning.learner_events import code_events, new_events
from grader.learning.log import Event, Hinted, Named, Spoke
from grader.learning.session import Action, Feedback, QuizCard, Session
from grader.submission import Unusable, opening, read
from grader.submission.opening import FileLocation

#: More than this is no exercise.
_LONGEST_FILE = 500_000
_TOO_LONG = Text("This file has more than {most} characters.", "这个文件超过了 {most} 个字符。")
_NOT_UTF8 = Text(
    "This file is not UTF-8. Save it as UTF-8 with the editor that it comes from, then reload this page.",
    "这个文件不是 UTF-8 编码。请用原来的编辑器另存为 UTF-8，然后刷新本页。",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """An item as it stands: the card, and what was just said about the last answer or is said once it is settled."""

    card: QuizCard
    session: Session
    feedback: Feedback | None = None


@dataclass(slots=True)
class Learner:
    """What the pages are about. Nothing is kept between requests but the log, the files in ``folder`` and the sandbox.

    ``checker`` is called at the first check, because a sandbox takes seconds to start.
    """

    course: Course
    folder: Path
    state: Path
    name: str
    make_checker: Callable[[], Checker]
    #: In a class: the name to show, and the links to further pages.
    shown: str = ""
    links: tuple[tuple[str, Text], ...] = ()
    _checker: Checker | None = None
    _starting: threading.Lock = field(default_factory=threading.Lock)

    def told(self, error: AttncheckError) -> Text:
        """What the learner is told of an error."""
        return error.message

    # ------------------------------------------------------------------------------------- the log

    def events(self) -> tuple[Event, ...]:
        """Everything that happened in this course."""
        return log.read(self.state, self.course.public_id)

    def save(self, *events: Event) -> None:
        """Adds to the log, with the learner's name first if it has none yet."""
        named = any(isinstance(event, Named) for event in self.events())
        first = () if named or not events else (Named(log.now(), self.course.public_id, self.name),)
        log.append(self.state, *first, *events)

    def speak(self, lang: Lang) -> None:
        """Remembers the language, for the terminal too."""
        self.save(Spoke(log.now(), self.course.public_id, lang))

    def spoken(self, default: Lang) -> Lang:
        """The language used last."""
        return next((event.lang for event in reversed(self.events()) if isinstance(event, Spoke)), default)

    def progress(self) -> progress.Progress:
        """What is known."""
        return progress.progress_of(self.course, self.events())

    def due(self, now: datetime) -> int:
        """How many cards are due for review."""
        return review.waiting(review.cards(self.course, self.events()), now)

    # ------------------------------------------------------------------------------------- quiz

    def ask(self, item: Item, lang: Lang, *, again: bool = False) -> Asked:
        """``item`` as it stands; ``again`` afresh."""
        session = self._session(item, lang, again=again)
        card = conversation.current(session)
        assert card is not None
        return Asked(card, session, conversation.settled(session) if card.record.settled else None)

    def answer(self, item: Item, lang: Lang, action: Action, *, doubted: str | None, comparing: bool) -> Asked:
        """``item`` after ``action``. Events are saved before anything is said about the answer.

        ``doubted`` is the answer whose reading was shown; with ``comparing``, the action ticks key points.
        """
        session = replace(self._session(item, lang), doubted=doubted, comparing=comparing)
        before = conversation.current(session)
        assert before is not None
        if before.record.settled and not comparing:
            return self.ask(item, lang)
        turn = conversation.step(session, action, log.now())
        self.save(*turn.events)
        after = replace(turn.session, at=0, left=False)
        card = conversation.current(after)
        assert card is not None
        return Asked(card, after, turn.feedback)

    def _session(self, item: Item, lang: Lang, *, again: bool = False) -> Session:
        begun = conversation.begin(self.course, self.name, lang, (item,), self.events(), again=again)
        return replace(begun, at=0, order=(item.id,), confirms=True)

    # ------------------------------------------------------------------------------------- code

    def file(self, question: Question) -> Path:
        """Where the code of ``question`` is."""
        return self.folder / starter.file_name(question)

    def code(self, question: Question, lang: Lang) -> str:
        """The code of ``question`` as saved, or the file to start from.

        Raises SubmissionError for what is not a regular file of UTF-8 text: saving would replace it.
        """
        path = self.file(question)
        if not os.path.lexists(path):
            return starter.stub(question, lang)
        with opening.open_file(FileLocation(str(path)), path.name) as file:
            data = file.read(_LONGEST_FILE + 1)
        if len(data) > _LONGEST_FILE:
            raise Unusable(path.name, _TOO_LONG.fill(most=_LONGEST_FILE))
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise Unusable(path.name, _NOT_UTF8) from None

    def check(self, question: Question, text: str) -> Checked:
        """Saves ``text`` as the code of ``question`` and grades its exercises.

        Raises UsageError if the file cannot be saved, SubmissionError if the folder cannot be read.
        """
        self.write(question, text)
        submission = read(self.folder, self.name)
        names = tuple(exercise.name for exercise in question.exercises)
        checked = self.checker().check(submission, names)
        self.save(*new_events(code_events(self.course, checked.report, log.now()), self.events()))
        return checked

    def write(self, question: Question, text: str) -> None:
        """Saves ``text`` as the code of ``question``."""
        if len(text) > _LONGEST_FILE:
            raise UsageError(_TOO_LONG.fill(most=_LONGEST_FILE))
        path = self.file(question)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            files.write(path, text.replace("\r\n", "\n"))
        except OSError as error:
            said = Text("{file} cannot be saved: {reason}.", "{file} 无法保存：{reason}。")
            raise UsageError(said.fill(file=path.name, reason=error.strerror)) from error

    def checker(self) -> Checker:
        """The checker; the first call waits until the sandbox has started."""
        with self._starting:
            if self._checker is None:
                self._checker = self.make_checker()
            return self._checker

    def close(self) -> None:
        """Ends the sandbox."""
        with self._starting:
            if self._checker is not None:
                self._checker.close()

    # ------------------------------------------------------------------------------------- hints

    def hints(self, exercise: Exercise) -> tuple[int, ...]:
        """The numbers of the hints shown so far, in the order of the exercise."""
        return tuple(sorted(progress.hints_shown(self.events(), exercise.name)))

    def next_hint(self, question: Question, exercise: Exercise) -> None:
        """Shows one more hint: the one that fits the last failure, if there is one left."""
        events = self.events()
        shown = progress.hints_shown(events, exercise.name)
        about = hints.about(question, progress.last_misconception(events, exercise.name))
        for number in hints.order(exercise, about):
            if number not in shown:
                self.save(Hinted(log.now(), self.course.public_id, exercise.name, number))
                return


def marks(report: Report, name: str) -> Sequence[dict[str, int]]:
    """The places in the file ``name`` that the report's diagnoses are about."""
    spans = [
        each.span
        for question in report.questions
        for exercise in question.exercises
        for each in exercise.diagnosis
        if each.span is not None and each.span.file == name
    ]
    return [
        {"line": span.line, "end_line": span.end_line, "column": span.column, "end_column": span.end_column}
        for span in spans
    ]
