"""The data behind a learner's pages: their log, their files, and the course."""

from __future__ import annotations

import ast
import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from grader.core import files
from grader.core.errors import AttncheckError, SubmissionError, UsageError, reported
from grader.core.model import Course, Exercise, Item, Lang, Message, Question, Report, Status, Submission, Text
from grader.course import starter
from grader.grading import costs
from grader.grading.checker import CheckedSubmission, Checker
from grader.grading.costs import Cost
from grader.grading.selection import source_of
from grader.learning import log, progress, quiz_session, review
from grader.learning.drafts import Draft, Drafts, Filled, MarkedPart, drafts_folder
from grader.learning.entries import Entry, entry_from_answer
from grader.learning.log import Answered, Coded, Event, Explained, Hinted, Rating, Reviewed, Spoke, rename
from grader.learning.progress import code_events, new_events
from grader.learning.quiz_session import Action, Feedback, QuizCard, Session, TypedAnswer
from grader.learning.review import Card
from grader.report.figures import run
from grader.report.figures.figure import Figure
from grader.report.figures.kinds import Picture
from grader.report.figures.run import LearnerValues
from grader.submission import FoundFiles, Unusable, opening, read
from grader.submission.opening import FileLocation
from grader.web import work

#: The most characters or bytes of a file with code.
_LONGEST_FILE = 500_000
#: The most characters of code in which this process looks for a syntax error: about 0.05 s.
_LONGEST_PARSED = 8_000
_TOO_LONG = Message("This file has more than {most} characters.")
_NOT_UTF8 = Message(
    "This file is not UTF-8. Save it as UTF-8 in the editor that you wrote it with, then reload this page."
)


@dataclass(frozen=True, slots=True)
class ItemState:
    """The state of an item: its card, and the feedback on the last answer or for a settled item."""

    card: QuizCard
    session: Session
    feedback: Feedback | None = None


@dataclass(slots=True)
class LearnerWorkspace:
    """A learner's course, files (in ``folder``) and log (``state``). Other state is not kept between requests.

    What was read from the log is cached until the file changes. ``make_checker`` is called at the first check, because
    a sandbox takes seconds to start.
    """

    #: Whether they may change their name.
    RENAMES: ClassVar[bool] = True

    course: Course
    folder: Path
    state: Path
    name: str
    make_checker: Callable[[], Checker]
    #: In a class: the name to show, and links to other pages.
    shown: str = ""
    links: tuple[tuple[str, Text], ...] = ()
    #: For an author: the state of the course's files that it was read from. Pages are loaded again when it changes.
    watched: str = ""
    #: The most bytes of uploaded notebooks in formats before 4; None if there is no limit.
    most_old: int | None = None
    drafts: Drafts = field(init=False)
    #: Held while it is decided what to save, so that of two windows the second one sees what the first one saved.
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _checker: Checker | None = None
    _starting: threading.Lock = field(default_factory=threading.Lock)
    _known: tuple[tuple[int, ...] | None, tuple[Event, ...]] | None = None
    _about: progress.About | None = None
    _progress: tuple[tuple[Event, ...], progress.Progress] | None = None

    def __post_init__(self) -> None:
        """Keep drafts beside the log."""
        self.drafts = Drafts(drafts_folder(self.state), self._drafts_owner(self.name))

    def _drafts_owner(self, name: str) -> str:
        return f"{self.course.public_id}\0{name}"

    def told(self, error: AttncheckError) -> Text:
        """The text of an error for the learner, without commands."""
        return error.message.on_page

    # ------------------------------------------------------------------------------------- the log

    def events(self) -> tuple[Event, ...]:
        """The events of this learner in this course. The file is read again only if it has changed."""
        now = files.state(self.state)
        cached = self._known
        if cached is None or now is None or cached[0] != now:
            everything = self._everything()
            self._known = cached = (now, log.of(everything, self.name))
        return cached[1]

    def save(self, *events: Event) -> None:
        """Append events to the log, after the learner's name unless it is the last one in the log."""
        first = log.naming(self._everything(), self.course.public_id, self.name) if events else ()
        log.append(self.state, *first, *events)

    def _everything(self) -> tuple[Event, ...]:
        """The events of all learners in the log."""
        return log.read_all(self.state, self.course.public_id)

    def rename(self, typed: str) -> tuple[Text, ...]:
        """Call the learner as they ``typed``, as `attncheck name` does, and return what to say. Raises UsageError."""
        with self._turn:
            named, said = rename(self._everything(), self.course.public_id, self.name, typed)
            self.save(named)
            moved = () if named.separate else self._kept()
            self.drafts = self.drafts.under(self._drafts_owner(named.learner), moved)
            self.name, self._known = named.learner, None
        return said

    def _kept(self) -> Iterator[str]:
        """The names of all drafts and reports that there can be."""
        for question in self.course.questions:
            things: list[Item | Question | Exercise] = [question, *question.items, *question.exercises]
            yield from (report_of(question), *map(draft_of, things))

    def others(self) -> tuple[str, ...]:
        """The other learners with progress here."""
        return tuple(name for name in log.by_learner(self._everything()) if name and name != self.name)

    def speak(self, lang: Lang) -> None:
        """Save the language, which the terminal uses as well."""
        self.save(Spoke(log.now(), self.course.public_id, lang))

    def spoken(self, default: Lang) -> Lang:
        """The language used last, else ``default``."""
        return next((event.lang for event in reversed(self.events()) if isinstance(event, Spoke)), default)

    def progress(self) -> progress.Progress:
        """The learner's progress, computed once for each state of the log."""
        events, cached = self.events(), self._progress
        if cached is None or cached[0] is not events:
            self._about = self._about or progress.parts_by_misconception(self.course)
            self._progress = cached = (events, progress.progress_of(self.course, events, self._about))
        return cached[1]

    def due(self, now: datetime) -> int:
        """The number of cards that are due for review."""
        return review.waiting(review.cards(self.course, self.events()), now)

    # ------------------------------------------------------------------------------------- quiz

    def ask(self, item: Item, lang: Lang, *, again: bool = False) -> ItemState:
        """The state of ``item``; with ``again``, of a new attempt at it."""
        session = self._session(item, lang, again=again)
        card = quiz_session.current(session)
        assert card is not None
        return ItemState(card, session, quiz_session.settled(session) if card.record.settled else None)

    def answer(
        self, item: Item, lang: Lang, action: Action, *, doubted: str | None, comparing: bool, again: bool = False
    ) -> ItemState:
        """The state of ``item`` after ``action``. Events are saved before feedback is returned.

        ``doubted`` is an answer whose interpretation was shown for confirmation. With ``comparing``, the action selects
        key points. With ``again``, a settled item gets a new attempt; without it, the action is ignored.
        """
        self.check_length(item, action.text if isinstance(action, TypedAnswer) else "", doubted or "")
        begun = self._session(item, lang)
        if again and not comparing and begun.record(item.id).settled:
            begun = self._session(item, lang, again=True)
        session = replace(begun, doubted=doubted, comparing=comparing)
        before = quiz_session.current(session)
        assert before is not None
        if before.record.settled and not comparing:
            return self.ask(item, lang)
        turn = quiz_session.step(session, action, log.now())
        self.save(*turn.events)
        after = replace(turn.session, at=0, left=False)
        card = quiz_session.current(after)
        assert card is not None
        return ItemState(card, after, turn.feedback)

    def check_length(self, item: Item, *answers: str) -> None:
        """Do nothing: learners may keep their own machines busy. See ``ClassWorkspace``."""

    def _session(self, item: Item, lang: Lang, *, again: bool = False) -> Session:
        begun = quiz_session.begin(self.course, self.name, lang, (item,), self.events(), again=again)
        return replace(begun, at=0, order=(item.id,), confirms=True)

    # ------------------------------------------------------------------------------------- drafts

    def keep(
        self,
        thing: Item | Question | Exercise,
        fields: Entry,
        seen: str | None = None,
        *,
        mark: MarkedPart | None = None,
        typed: bool = False,
    ) -> Draft:
        """Save a draft; see ``Drafts.write``. ``typed`` says that nothing was sent yet.

        Raises UsageError if it is too long or cannot be written.
        """
        size = sum(len(text.encode(errors="replace")) for values in fields.values() for text in values)
        self.make_room(size, replaced=draft_of(thing))
        since = self.saved_at(thing) if typed else None
        return self.drafts.write(draft_of(thing), fields, seen, mark=mark, since=since)

    def saved_at(self, thing: Item | Question | Exercise) -> datetime | None:
        """When an item was last answered, or the code of a question saved; None if it never was."""
        if isinstance(thing, Item):
            last = self._last_answer(thing)
            return None if last is None else last.at
        path = self.file(thing) if isinstance(thing, Question) else None
        return datetime.fromtimestamp(path.stat().st_mtime, UTC) if path is not None and path.is_file() else None

    def filled(self, item: Item, lang: Lang, *, again: bool = False, from_memory: bool = False) -> Filled:
        """What the form of ``item`` is filled with: the draft, or the last answer if that is newer.

        A new attempt begins with an empty form, unless the answer is only saved, and may be changed. That is not done
        ``from_memory``.
        """
        last = self._last_answer(item)
        entry: Entry = {}
        if last is not None and isinstance(last.value, str) and (not last.settled or (item.sealed and not from_memory)):
            entry = entry_from_answer(item, self.ask(item, lang, again=again).card.asked, last.value)
        return self._newest(item, entry)

    def code_filled(self, question: Question, lang: Lang) -> Filled:
        """What the editor of ``question`` is filled with: the draft, or the file if that is newer.

        Raises SubmissionError as ``code`` does.
        """
        return self._newest(question, {"code": (self.code(question, lang),)})

    def _last_answer(self, item: Item) -> Answered | None:
        answers = (event for event in reversed(self.events()) if isinstance(event, Answered) and event.item == item.id)
        return next(answers, None)

    def _newest(self, thing: Item | Question, entry: Entry) -> Filled:
        """The draft of ``thing``, or ``entry`` if that was saved later."""
        draft, saved_at = self.drafts.read(draft_of(thing)), self.saved_at(thing)
        if draft is None:
            return Filled(entry)
        if saved_at is not None and saved_at > draft.at:
            return Filled(entry, None, None if draft.entry == entry else draft.entry, draft.version)
        return draft

    def about_results(self) -> Text | None:
        """In a class: when the results of submitted answers are shown, unless that is at once."""
        return None

    # ------------------------------------------------------------------------------------- review

    def cards(self) -> tuple[Card, ...]:
        """All cards in review order."""
        return review.cards(self.course, self.events())

    def attempts_at(self, item: Item) -> int:
        """How often ``item`` was answered, in all its rounds."""
        return sum(isinstance(event, Answered) and event.item == item.id for event in self.events())

    def ask_for_review(self, item: Item, lang: Lang) -> ItemState:
        """The state of ``item`` in a review: a new attempt, or the one in progress."""
        record = self._session(item, lang).record(item.id)
        return self.ask(item, lang, again=record.settled)

    def rate_done(self, name: str, word: Rating | None) -> Rating | None:
        """Rate the card ``name`` by its last attempts and the learner's own rating, ``word``. Saves and returns it.

        Returns None if the item is not settled, the code does not pass, or the card has been rated already.
        """
        with self._turn:
            about = [event for event in self.events() if _card_of(event) == name]
            answered = next((event for event in reversed(about) if isinstance(event, Answered)), None)
            last = about[-1] if about else None
            if isinstance(last, Coded) and last.status is Status.PASSED:
                rating = review.rating(Status.PASSED, 1, word=word)
            elif answered is not None and answered.settled and not isinstance(last, Reviewed):
                share = len(last.said) / last.points if isinstance(last, Explained) and last.points else None
                rating = review.rating(answered.status, answered.attempt, word=word, said=share)
            else:
                return None
            self.rate(name, rating)
            return rating

    def rate(self, name: str, rating: Rating) -> None:
        """Save the rating of the card ``name``."""
        self.save(Reviewed(log.now(), self.course.public_id, name, rating))

    def check_from_memory(self, question: Question, exercise: Exercise, text: str) -> CheckedSubmission:
        """Grade ``text``, an exercise written from memory. Only the result is saved, as in `attncheck review`."""
        if len(text) > _LONGEST_FILE:
            raise UsageError(_TOO_LONG.fill(most=_LONGEST_FILE))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{exercise.name}.py"
            path.write_text(text.replace("\r\n", "\n"), "utf-8")
            submission = replace(read(path, self.name), origin=path.name)
            checked = self.checker().check(submission, (exercise.name,))
        self.save(*code_events(self.course, checked.report, log.now()))
        return checked

    def hint_in_review(self, exercise: Exercise, seen: int) -> None:
        """Record that the hint after the ``seen`` ones of this review was shown, unless it was shown before."""
        with self._turn:
            if progress.hints_taken(self.events(), exercise.name) < seen + 1 <= len(exercise.hints):
                self.save(Hinted(log.now(), self.course.public_id, exercise.name, seen + 1))

    # ------------------------------------------------------------------------------------- all of it

    def files(self) -> FoundFiles | None:
        """The files in the folder that count; None if there is no folder yet."""
        return work.find_files(self.folder)

    def submission(self) -> Submission | None:
        """The submission in the folder; None if there is none or it cannot be read."""
        try:
            return read(self.folder, self.name) if os.path.lexists(self.folder) else None
        except SubmissionError:
            return None

    def receive(self, uploads: Sequence[tuple[str, bytes]], *, replacing: bool) -> list[str]:
        """Save uploaded files, all or none. Returns their names. Raises UsageError or SubmissionError."""
        files_of_uploads = [work.read_upload(name, data, self.most_old) for name, data in uploads]
        self.make_room(sum(len(raw.data) for upload in files_of_uploads for raw in upload.raws))
        return work.save_uploads(self.folder, files_of_uploads, replace=replacing)

    def make_room(self, size: int, *, replaced: str = "") -> None:
        """Do nothing: learners may fill their own disks. See ``ClassWorkspace``."""

    def answers(self) -> dict[str, str]:
        """The answers that are settled, by graded item, as `attncheck quiz --to` would write them."""
        return quiz_session.all_graded_answers(self.course, self.events(), settled=True)

    def everything(self) -> bytes:
        """A zip of all files, the progress log, and the settled answers."""
        return work.make_bundle(self.folder, self.state, self.name, self.answers())

    # ------------------------------------------------------------------------------------- code

    def file(self, question: Question) -> Path:
        """The path of the code for ``question``."""
        return self.folder / starter.file_name(question)

    def code(self, question: Question, lang: Lang) -> str:
        """The saved code for ``question``, else the stub.

        Raises SubmissionError for anything but a regular file of UTF-8 text, which saving would replace.
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

    def check(self, question: Question, text: str, seen: str | None = None) -> CheckedSubmission:
        """Save ``text`` as the code for ``question``, and grade its exercises. The draft that was ``seen`` is removed.

        Raises UsageError if the file cannot be saved, SubmissionError if the folder cannot be read.
        """
        try:
            self.write(question, text)
        except UsageError:
            with contextlib.suppress(UsageError):  # what is too long for a file is too long for a draft
                self.keep(question, {"code": (text.replace("\r\n", "\n"),)}, seen)
            raise
        self.drafts.settle(draft_of(question), seen)
        submission = replace(read(self.folder, self.name), origin=starter.file_name(question))
        names = tuple(exercise.name for exercise in question.exercises)
        checked = self.checker().check(submission, names)
        self.save(*new_events(code_events(self.course, checked.report, log.now()), self.events()))
        return checked

    def write(self, question: Question, text: str) -> None:
        """Save ``text`` as the code for ``question``. Raises UsageError."""
        if len(text) > _LONGEST_FILE:
            raise UsageError(_TOO_LONG.fill(most=_LONGEST_FILE))
        path = self.file(question)
        with reported(work.NOT_SAVED, file=path.name):
            self.folder.mkdir(parents=True, exist_ok=True)
            files.write(path, text.replace("\r\n", "\n"))

    def checker(self) -> Checker:
        """The checker. The first call waits until the sandbox has started."""
        with self._starting:
            if self._checker is None:
                self._checker = self.make_checker()
            return self._checker

    def close(self) -> None:
        """Stop the sandbox."""
        with self._starting:
            if self._checker is not None:
                self._checker.close()

    # ------------------------------------------------------------------------------------- pictures

    def figure(self, picture: Picture) -> tuple[Figure, LearnerValues | None]:
        """``picture`` drawn with the reference and, if the folder has code for it, with the learner's code."""
        return self.checker().use(partial(run.compute_picture, self.course, picture, self.drawable(picture)))

    def drawable(self, picture: Picture) -> Submission | None:
        """The learner's submission if it has code for ``picture``, else None."""
        wanted = run.exercises(self.course, picture)
        submission = self.submission()
        has_code = submission and any(source_of(exercise.name, question, submission) for question, exercise in wanted)
        return submission if has_code else None

    def costs(self, question: Question) -> tuple[tuple[Cost, ...], ...]:
        """The costs of the learner's code, the reference and alternatives, for each exercise of ``question``."""
        submission = self.submission()
        return tuple(
            self.checker().use(partial(costs.compare_costs, self.course, exercise, question, submission))
            for exercise in question.exercises
        )

    def own_source(self, question: Question, exercise: Exercise) -> str | None:
        """The source of the learner's definition of ``exercise``; None if there is none."""
        submission = self.submission()
        file = source_of(exercise.name, question, submission) if submission is not None else None
        text = "\n".join(part.text for part in file.parts) if file is not None else ""
        return costs.definition(text, exercise.name)

    # ------------------------------------------------------------------------------------- hints

    def hints(self, exercise: Exercise) -> tuple[int, ...]:
        """The numbers of the hints shown so far, in the order of the exercise."""
        return tuple(sorted(progress.hints_shown(self.events(), exercise.name)))

    def next_hint(self, exercise: Exercise) -> None:
        """Record that one more hint is shown, if there is one left."""
        with self._turn:
            shown = progress.hints_shown(self.events(), exercise.name)
            left = [number for number in range(1, len(exercise.hints) + 1) if number not in shown]
            if left:
                self.save(Hinted(log.now(), self.course.public_id, exercise.name, left[0]))


def report_of(question: Question) -> str:
    """The name under which the last report on a question is kept."""
    return f"report/{question.id}"


def draft_of(thing: Item | Question | Exercise) -> str:
    """The name of the draft of an answer, of the code of a question, or of an exercise written from memory."""
    match thing:
        case Item():
            return f"item/{thing.id}"
        case Question():
            return f"code/{thing.id}"
    return f"memory/{thing.name}"


def syntax_error_places(text: str) -> Sequence[dict[str, int]]:
    """The place where ``text`` has a syntax error, in the format of ``diagnosis_places``; empty if it has none.

    Nothing is said of a long text, because parsing it would take seconds in which this process does nothing else.
    """
    if len(text) > _LONGEST_PARSED:
        return []
    try:
        ast.parse(text)
    except SyntaxError as error:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        end = error.end_offset - 1 if error.end_lineno == line and error.end_offset else 0
        return [{"line": line, "end_line": line, "column": column, "end_column": max(end, column + 1)}]
    except (ValueError, RecursionError, MemoryError):
        pass
    return []


def _card_of(event: Event) -> str | None:
    match event:
        case Answered(item=name) | Explained(item=name) | Reviewed(card=name) | Coded(exercise=name):
            return name
    return None


def diagnosis_places(report: Report, name: str) -> Sequence[dict[str, int]]:
    """The places in the file ``name`` that the diagnoses of a report refer to, for the editor."""
    found = [
        (diagnosis.span, diagnosis.unfinished)
        for question in report.questions
        for exercise in question.exercises
        for diagnosis in exercise.diagnosis
        if diagnosis.span is not None and diagnosis.span.file == name
    ]
    names = ("line", "end_line", "column", "end_column")
    return [{name: getattr(span, name) for name in names} | {"unfinished": more} for span, more in found]
