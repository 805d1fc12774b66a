"""The interactive review: items as in the quiz, functions from memory. Events are saved at once.

This module only orchestrates: `learning.review` schedules and rates, `learning.session` runs an item, and
`learning.review_view` shows both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from grader.commands._options import save_events
from grader.commands._words import UNCONFINED
from grader.commands.quiz import FrontEnd
from grader.core.errors import SubmissionError, UsageError
from grader.core.files import create
from grader.core.model import Course, Exercise, ExerciseResult, Item, Lang, Status, Text
from grader.core.text import clean
from grader.course.starter import stub
from grader.learning import log as state
from grader.learning import quiz_view, review, review_view
from grader.learning import session as quiz
from grader.learning.learner_events import code_events
from grader.learning.log import Event, Rating
from grader.learning.progress import hints_taken
from grader.learning.review import Card
from grader.submission import file_text, read

if TYPE_CHECKING:
    from rich.console import Console

    from grader.core.page import Page

_WORDS: dict[str, Rating] = {"e": "easy", "g": "good", "h": "hard", "a": "again"}
_HINT = ("hint", "提示")

Typed = Literal["next", "stop", "follow"]


@dataclass(slots=True)
class ReviewLoop:
    """One review session: the learner, the front end, and the events so far."""

    course: Course
    learner: str
    lang: Lang
    log: tuple[Event, ...]
    state_file: Path | None
    front: FrontEnd
    console: Console
    ratings: list[Rating] = field(default_factory=list)

    def run(self, cards: Sequence[Card]) -> None:
        """Ask ``cards`` in order, until the last one or until the learner stops."""
        for number, card in enumerate(cards, 1):
            goes_on = self._item if isinstance(card.thing, Item) else self._code
            if not goes_on(card, number, len(cards)):
                break

    @property
    def page(self) -> Page:
        """The page to write to, in the current language."""
        from grader.core.page import Page  # loads rich

        return Page(self.console, self.lang)

    # ------------------------------------------------------------------------------------- an item

    def _item(self, card: Card, number: int, total: int) -> bool:
        """Ask an item as in the quiz, and its follow-up if the learner wants it. Returns False to stop."""
        assert isinstance(card.thing, Item)
        session = quiz.begin(self.course, self.learner, self.lang, [card.thing], self.log, again=True)
        session = replace(session, confirms=self.front.confirms)
        fresh = True
        while (asked := quiz.current(session)) is not None:
            if fresh:
                quiz_view.card(self.page, replace(asked, number=number, total=total), keys=self.front.keys)
            turn = quiz.step(session, self.front.ask(asked, self.lang), state.now())
            self._keep(*turn.events)
            session, self.lang = turn.session, turn.session.lang
            quiz_view.feedback(self.page, turn.feedback, asked)
            if isinstance(turn.feedback, quiz.Settled):
                said = turn.feedback
            spoke = isinstance(turn.feedback, quiz.Navigation) and turn.feedback.why == "lang"
            fresh = spoke or (session.comparing and not asked.compares)
            share = (
                turn.feedback.said / turn.feedback.points if isinstance(turn.feedback, quiz.KeyPointsCompared) else None
            )
            if not session.comparing and (isinstance(turn.feedback, quiz.Settled) or asked.compares):
                typed = self._settled(asked.item.id, said, share, offer=session.offer is not None)
                if typed == "stop":
                    return False
                session = quiz.step(session, typed, state.now()).session
                fresh = True
        return not session.left

    def _settled(self, name: str, said: quiz.Settled, share: float | None, *, offer: bool) -> Typed:
        """Rate an item, with the learner's own rating where it counts, and print when the card is due again."""
        word: Rating | None = None
        text = review_view.GO_ON
        if said.outcome == "right" and said.record.tries == 1:
            text = review_view.HOW_EASY
        elif said.outcome == "pending":
            text = review_view.HOW_WELL
        typed = self._type(text if not offer else review_view.FOLLOW.fill(more=text)) if self._is_person else ""
        if text is not review_view.GO_ON:
            word = _WORDS.get((typed or "").strip().lower()[:1])
        self._rate(name, review.rating(said.record.status, said.record.tries, word=word, said=share))
        if typed is None or typed.strip().lower() in ("q", ":q", ":quit"):
            return "stop"
        return "follow" if offer and typed.strip().lower() in ("f", ":follow") else "next"

    # ---------------------------------------------------------------------------------------- code

    def _code(self, card: Card, number: int, total: int) -> bool:
        """Ask for a function from memory. Hints and repeated tries lower the rating. Returns False to stop."""
        exercise = card.thing
        assert isinstance(exercise, Exercise)
        file = Path(f"{exercise.name}_{state.now().astimezone():%Y-%m-%d}.py")
        review_view.task(self.page, card, number, total)
        review_view.code_prompt(self.page, str(file))
        tries = helped = 0
        while (typed := self._type(None)) is not None:
            action = quiz.read(typed)
            if action == "lang":
                self._speak()
                review_view.task(self.page, card, number, total)
                review_view.code_prompt(self.page, str(file))
            elif isinstance(action, quiz.UnknownCommand) and action.word.lower() in _HINT:
                helped = self._hint(exercise, helped)
            elif action in ("skip", "next", "quit"):
                break
            elif not isinstance(action, quiz.TypedAnswer):
                review_view.code_prompt(self.page, str(file))
            elif not typed.strip() and self._to_fill_in(card, file):
                continue
            else:
                result = self._graded(Path(typed.strip() or file), exercise)
                if result is None:
                    continue
                tries += 1
                if result.status is Status.PASSED:
                    return self._passed(exercise, tries, helped > 0)
                review_view.try_again(self.page)
        if tries:
            self._rate(exercise.name, "again")
        return typed is not None and quiz.read(typed) != "quit"

    def _passed(self, exercise: Exercise, tries: int, helped: bool) -> bool:
        typed = (
            self._type(review_view.GO_ON if helped or tries > 1 else review_view.HOW_EASY) if self._is_person else ""
        )
        word = _WORDS.get((typed or "").strip().lower()[:1])
        self._rate(exercise.name, review.rating(Status.PASSED, tries, helped=helped, word=word))
        return typed is not None and typed.strip().lower() not in ("q", ":q", ":quit")

    def _hint(self, exercise: Exercise, seen: int) -> int:
        """Show the next hint after the ``seen`` ones of this review; return how many have been seen now."""
        rung = seen + 1 if seen < len(exercise.hints) else 0
        review_view.hint(self.page, exercise, rung)
        if rung > hints_taken(self.log, exercise.name):
            self._keep(state.Hinted(state.now(), self.course.public_id, exercise.name, rung))
        return max(seen, rung)

    def _to_fill_in(self, card: Card, file: Path) -> bool:
        """Whether ``file`` has nothing to grade yet. If it does not exist, create it with a stub."""
        assert isinstance(card.thing, Exercise)
        text = stub(replace(card.question, exercises=(card.thing,)), self.lang)
        try:
            if not file.exists():
                create(file, text)
            elif file_text(file) != text:
                return False
        except (UsageError, OSError) as error:
            review_view.file_error(self.page, str(error))
        else:
            review_view.stub_created(self.page, str(file))
        return True

    def _graded(self, path: Path, exercise: Exercise) -> ExerciseResult | None:
        """Grade ``path``, show and save the result, and return it; None if it could not be graded."""
        from grader.grading.context import GradingContext  # loads numpy
        from grader.grading.grade import grade  # loads numpy
        from grader.grading.inputs import Seed  # loads numpy
        from grader.grading.reference_results import reference_observer  # loads numpy
        from grader.grading.selection import Selection  # loads numpy
        from grader.report.terminal import render  # loads rich
        from grader.sandbox import open_sandbox  # loads numpy

        try:
            submission = read(path, self.learner)
            with open_sandbox(mode="auto") as sandbox:
                sandbox.allow_packages(self.course.packages)
                expect = reference_observer(sandbox.observe, Seed.public(), course=self.course)
                context = GradingContext(self.course, Seed.public(), expect)
                selection = Selection(exercises=(exercise.name,))
                report = grade(self.course, submission, sandbox.observe, selection=selection, context=context)
        except SubmissionError as error:
            review_view.file_error(self.page, str(error))
            return None
        render(replace(report, not_attempted=()), self.course, self.lang, self.console)
        if report.unsafe:
            click.echo(f"attncheck: {UNCONFINED.of(self.lang)}", err=True)
        self._keep(*code_events(self.course, report, state.now()))
        result = report.questions[0].exercises[0]
        # An ungraded or missing function says nothing about what the learner remembers.
        return result if result.status not in (Status.UNMARKED, Status.MISSING, Status.SKIPPED) else None

    # ------------------------------------------------------------------------------------- keeping

    def _rate(self, name: str, rating: Rating) -> None:
        at = state.now()
        self._keep(state.Reviewed(at, self.course.public_id, name, rating))
        self.ratings.append(rating)
        review_view.rated(self.page, rating, review.replay(self.log)[name][0], at)

    def _speak(self) -> None:
        """Switch the language."""
        self.lang = "en" if self.lang == "zh" else "zh"
        self._keep(state.Spoke(state.now(), self.course.public_id, self.lang))

    def _keep(self, *events: Event) -> None:
        save_events(self.state_file, *events)
        self.log += events

    # ------------------------------------------------------------------------------------- typing

    @property
    def _is_person(self) -> bool:
        """Whether a person can answer prompts; a pipe only provides answers."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def _type(self, prompt: Text | None) -> str | None:
        """Read a line; None at the end of the input."""
        if prompt is not None:
            self.page.lines(self.page.say(prompt), style="dim")
        if self._is_person:
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not self._is_person and line:
            click.echo(f"> {clean(line, 400)}")
        return line.rstrip("\r\n") if line else None
