"""The text of the quiz: the opening, a card, feedback on an answer, help and the summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grader.core.layout import cells, wrap
from grader.core.model import Item, Lang, Message, Source, Status, Text
from grader.core.tables import table, texts
from grader.core.text import LABELED, LEVEL, LONGEST_NAME, OF_POINTS, PARENTHESIZED, clean, clean_marked, points
from grader.course.items import Choice, Prompt, ask, numbers
from grader.course.starter import counted
from grader.learning import quiz_session
from grader.learning.numbers import by_number
from grader.learning.quiz_session import Feedback, QuizCard, Settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.core.page import Page
    from grader.learning.choice_widget import ChoiceState
    from grader.learning.progress import MisconceptionProgress

# ---------------------------------------------------------------------------------------------- texts

ASK_NAME = Message("Your name, or id in the class (your numbers are drawn from it)")
_OPENING = Message("{due} of {all} left: {items} · answering as {learner}")
_PRACTICE = Message("Quiz points are for practice only; your grade comes from answers.yaml.")
_TRY = Message("Attempt {now} of {tries}, worth {share} of the points.")
_SHARES = {1.0: Message("all"), 0.5: Message("1/2"), 0.25: Message("1/4")}
_LAST_TIME = Message("Think about this again: {ask}")

_COMPARED = Message("You made {said} of {points} key points.")
_AGAIN = Message("Attempt {now} of {tries}, worth {share} of the points (:key shows the answer).")
_MEANT = Message(
    "Is that what you mean? Type y if so; otherwise write the answer again. This did not count as an attempt."
)
_MEANT_HERE = Message("Is that what you mean? If not, change your answer. This did not count as an attempt.")
_SOURCE = Message("Source: {source}")
_PAPER = Message("{authors}, “{title}”, {year}, {where}")
_NEXT_ABOUT = Message("Next: {item}, which asks about exactly this.")
_OFFER = Message("{item}, from another question, asks about exactly this.").with_advice(
    Message("Type :follow to answer it next.")
)
_CODE_SAME = Message("Your code for {exercise} makes the same mistake.").with_advice(
    Message("Hints: `attncheck hint {question}`")
)
_CODE_RIGHT = Message("Your code for {exercise} gets this right; compare it with your answer.")
_CODE_OPEN = Message("The exercise {exercise} shows this.").with_advice(
    Message("To begin: `attncheck start {question}`")
)

_UNKNOWN = Message("Unknown command “:{word}”. Commands: {all}")
NO_HINTS = Message("Items have no hints: after a wrong answer, you get a question to think about.")
_NO_KEY = Message("“{key}” does nothing here; ? shows the keys.")
_UNCHOSEN = Message("Choose something first, then press Enter.")
_UNMATCHED = Message("Not every line has a match yet ({left} left).")
_MATCHES = Message("Matches")

#: How many misconceptions the summary explains.
_MOST = 5
_GO_ON_IN_NOTEBOOK = Message("Items left: {due}. Continue with `quiz()`.")
_REVIEW = Message("`attncheck review` asks you again when an item is due.")
_REVIEW_IN_TERMINAL = Message("In a terminal, `attncheck review` asks you again when an item is due.")

# ---------------------------------------------------------------------------------------------- cards


def opening(page: Page, session: quiz_session.Session) -> None:
    """How many items are left, who is answering, and what the points count for."""
    count = len(session.order)
    due = [name for name in session.order if not session.record(name).settled]
    if not due:
        page.lines(page.say(Message("All {all} items are answered. Use --again to answer them again."), all=count))
        return
    left = counted(item for item in session.course.items if item.id in due)
    who = clean(session.learner, LONGEST_NAME)
    page.lines(page.say(_OPENING, due=len(due), all=count, items=left, learner=who), style="bold")
    page.lines(page.say(Message("{practice} Type ? for help."), practice=_PRACTICE), style="dim")
    page.blank()


def worth(item: Item) -> Text:
    """The points and the level of ``item``, in words."""
    value = Message("1 pt") if item.points == 1 else Message("{points} pts").fill(points=points(item.points))
    return LEVEL.fill(points=value, level=item.level) if item.level else value


def card(page: Page, shown: QuizCard, *, keys: bool) -> None:
    """One item. With ``keys``, the options are left out, because a widget shows them."""
    heading(page, shown)
    if shown.record.settled or not keys:
        page.blank()
        _options(page, shown.asked.choices)
        if shown.asked.partners:
            page.blank()
            page.lines(page.say(LABELED, who=_MATCHES, said=""), style="dim")
            _options(page, shown.asked.partners)
    page.blank()
    if not shown.record.settled:
        _how_to_answer(page, shown, keys=keys)


def _options(page: Page, choices: Sequence[Choice]) -> None:
    """The options with their numbers."""
    for choice, number in zip(choices, numbers(choices).values(), strict=True):
        page.lines(page.say(choice.text), lead=f"  {number}  ")


def heading(page: Page, shown: QuizCard) -> None:
    """The question of an item, with its points and what is given."""
    page.rule()
    page.row(
        [
            (f"{shown.number}/{shown.total}  ", "bold cyan"),
            (page.say(Message("{count} skipped  "), count=shown.skipped) if shown.skipped else "", "dim"),
            (f"{shown.item.id}  {page.say(shown.item.title or shown.question.title)}", "bold"),
        ],
        page.say(worth(shown.item)),
        style="dim",
    )
    page.blank()
    page.lines(page.say(shown.ask))
    for fact in shown.asked.facts:
        page.lines(page.say(fact), indent=2, style="dim")


def how_in_fields(page: Page, shown: QuizCard, *, said: bool) -> None:
    """What to know besides the fields to answer in; feedback may have ``said`` what the next attempt is worth."""
    if not said:
        _attempt(page, shown)
    if not shown.asked.choices:
        page.lines(page.say(shown.asked.how), style="dim")


def _attempt(page: Page, shown: QuizCard) -> None:
    """What the next attempt is worth, and what to think about."""
    if shown.record.tries:
        share = _share(shown.worth, page.lang)
        page.lines(page.say(_TRY, now=shown.record.tries + 1, tries=shown.tries, share=share), style="dim")
    if shown.reminder is not None:
        page.lines(page.say(_LAST_TIME, ask=page.say(shown.reminder)), lead="→ ", style="cyan")


def _how_to_answer(page: Page, shown: QuizCard, *, keys: bool) -> None:
    """What to know before typing an answer; see ``card``."""
    written = not shown.asked.choices
    _attempt(page, shown)
    if shown.record.tries and keys and not written:
        page.blank()
    if written or not keys:
        page.lines(page.say(shown.asked.how), style="dim")
    if keys and written:
        page.lines("\n".join(key_help(shown.asked.form, page.lang, page.width)), style="dim")
    elif shown.asked.form == "lines":
        page.lines(page.say(Message("Write as many lines as you need; an empty line submits.")), style="dim")


def _share(worth: float, lang: Lang) -> str:
    return _SHARES[worth].of(lang) if worth in _SHARES else points(worth)


# ------------------------------------------------------------------------------------------- feedback


def feedback(page: Page, given: Feedback, shown: QuizCard, *, buttons: bool = False) -> None:
    """The feedback on an answer to, or a command at, the card ``shown``. With ``buttons``, no command is named."""
    match given:
        case quiz_session.UnreadableAnswer(message):
            page.lines(_words(page, message), lead="? ", style="magenta")
            page.lines(page.say(Message("This did not count as an attempt.")), indent=2, style="dim")
            page.blank()
        case quiz_session.UnknownCommand(word):
            names = " ".join(texts(__file__, "words.yaml", "commands"))
            page.lines(page.say(_UNKNOWN, word=clean(word, 40), all=names))
            page.blank()
        case quiz_session.WrongAnswer():
            _wrong(page, given, shown, buttons=buttons)
        case Settled():
            _settled(page, given)
        case quiz_session.KeyPointsCompared():
            _compared(page, given)
        case quiz_session.ReadingToConfirm(formulas):
            for formula in formulas:
                page.lines(page.say(Message("I read: ${formula}$"), formula=formula), lead="? ", style="magenta")
            page.lines(page.say(_MEANT_HERE if buttons else _MEANT), indent=2)
            page.blank()
        case quiz_session.Navigation("help"):
            _help(page)
        case quiz_session.Navigation(why):
            moved = texts(__file__, "words.yaml", "moved")
            if why in moved:
                page.lines(page.say(moved[why]), style="dim")
                page.blank()


def beside_answer(feedback: Feedback, shown: QuizCard) -> Feedback:
    """``feedback`` without what is shown with the answer: the learner's words, and a key that names options."""
    if not isinstance(feedback, Settled):
        return feedback
    return replace(feedback, words=None, key=None if ask(shown.item, shown.context).choices else feedback.key)


def _wrong(page: Page, answer: quiz_session.WrongAnswer, shown: QuizCard, *, buttons: bool) -> None:
    head = Message("Partly correct.") if answer.fraction else Message("Not yet.")
    page.lines(page.say(head), lead="✗ ", style="bold red")
    if answer.message is not None:
        page.lines(_words(page, answer.message), indent=2)
    if answer.ask is not None:
        page.lines(page.say(answer.ask), indent=2, lead="→ ", style="cyan")
    elif answer.message is None:
        page.lines(page.say(Message("Read the question once more before you try again.")), indent=2)
    now = shown.tries - answer.left + 1
    share = _share(answer.worth, page.lang)
    again = _TRY if buttons else _AGAIN
    page.lines(page.say(again, now=now, tries=shown.tries, share=share), indent=2, style="dim")
    page.blank()


def _settled(page: Page, settled: Settled) -> None:
    tries, status = settled.record.tries, settled.record.status
    right, pending = status is Status.PASSED, status is Status.PENDING
    correct = Message("Correct.") if tries == 1 else Message("Correct on attempt {tries}.")
    heads = {
        Status.PASSED: (correct, "✓", "bold green"),
        Status.MISSING: (Message("Here is the answer."), "", "bold"),
        Status.PENDING: (Message("Saved. This answer is not graded automatically."), "…", "bold cyan"),
    }
    head, mark, style = heads.get(status, (Message("Incorrect."), "✗", "bold red"))
    earned = page.say(OF_POINTS, earned=points(settled.record.earned * settled.points), possible=points(settled.points))
    message = _words(page, settled.message)
    if pending:
        page.lines(message or page.say(head), lead=f"{mark} ", style=style)
    else:
        page.row([(f"{mark} {page.say(head, tries=tries)}".lstrip(), style)], earned, style="dim")
    if message and not pending:
        page.lines(message, indent=2)
    if settled.words is not None:
        _key(page, Text(*[clean(settled.words, 1200, lines=True)] * 2), Message("You wrote"))
    if not right and settled.key is not None:
        _key(page, settled.key, Message("Sample answer") if pending else Message("Correct answer"))
    for unlike in settled.unlike:
        page.lines(page.say(LABELED, who=Message("Often confused"), said=page.say(unlike)), indent=2, style="yellow")
    truth = page.say(settled.truth) if settled.truth is not None else ""
    if truth and truth not in message:
        page.lines(truth, indent=2, style="yellow")
    if settled.explain is not None and page.say(settled.explain) != truth:
        page.lines(page.say(settled.explain), indent=2)
    for source in settled.sources:
        cited = _cited(source, page.lang, again=source.id in settled.cited)
        page.lines(page.say(_SOURCE, source=cited), indent=2, style="dim")
    if settled.advice is not None:
        page.lines(page.say(_advice(settled.advice)), indent=2, lead="→ ", style="cyan")
    if settled.follows is not None:
        page.lines(page.say(_NEXT_ABOUT, item=settled.follows.id), indent=2, lead="→ ", style="cyan")
    if settled.offer is not None:
        page.lines(page.say(_OFFER, item=settled.offer.id), indent=2, lead="→ ", style="cyan")
    page.blank()


def _compared(page: Page, comparison: quiz_session.KeyPointsCompared) -> None:
    page.lines(page.say(_COMPARED, said=comparison.said, points=comparison.points), lead="… ", style="bold cyan")
    for missing in comparison.missing:
        page.lines(page.say(LABELED, who=Message("Not yet in your answer"), said=page.say(missing)), indent=2)
    page.blank()


def _key(page: Page, right: Text, called: Text) -> None:
    name, key = page.say(called), page.say(right)
    if "\n" in key:
        page.lines(page.say(LABELED, who=name, said=""), indent=2, style="bold")
        page.lines(key, indent=4)
    else:
        page.lines(page.say(LABELED, who=name, said=key), indent=2, style="bold")


def _cited(source: Source, lang: Lang, *, again: bool = False) -> str:
    """The source in full; only its authors and year if it is named ``again``."""
    first, *others = source.authors.split(", ")
    authors = Message("{first} et al.").fill(first=first) if len(others) > 2 else source.authors
    if again:
        return Message("{authors}, {year}").fill(authors=authors, year=source.year).of(lang)
    return _PAPER.fill(authors=authors, title=source.title, year=source.year, where=source.where).of(lang)


def _advice(advice: quiz_session.ExerciseAdvice) -> Text:
    text = {"same": _CODE_SAME, "right": _CODE_RIGHT, "open": _CODE_OPEN}[advice.state]
    return text.fill(exercise=advice.exercise, question=advice.question)


def _words(page: Page, message: Text | None) -> str:
    """A judge's message, made safe: it may quote the learner."""
    return "" if message is None else clean_marked(message.of(page.lang), 1200, lines=True)


def _help(page: Page) -> None:
    commands = texts(__file__, "words.yaml", "commands")
    width = max(map(cells, commands)) + 2
    for name, what in commands.items():
        page.lines(page.say(what), lead=f"  {name}{' ' * (width - cells(name))}")
    page.blank()


# ------------------------------------------------------------------------------------------- choosing


def key_help(form: str, lang: Lang, width: int, *, follow: bool = False) -> list[str]:
    """What the keys do in a ``form`` (empty: between two items), as lines that break only between keys."""
    words = texts(__file__, "words.yaml", "keys")
    names = [*(["follow"] if follow else []), *table(__file__, "words.yaml")["keys_of"][form]]
    lines: list[str] = []
    for key in (words[name].of(lang) for name in names):
        if lines and cells(lines[-1]) + 3 + cells(key) <= width:
            lines[-1] += f" · {key}"
        else:
            lines.append(key)
    return lines


def unknown_key(key: str) -> Text | None:
    """What to say about a key that does nothing; nothing about one that cannot be shown."""
    return _NO_KEY.fill(key=clean(key, 12)) if key.isprintable() and key.strip() else None


def key_note(selection: ChoiceState, key: str, asked: Prompt) -> Text | None:
    """What to say of a ``key`` that did nothing: Enter while the answer is incomplete, or a key without a meaning."""
    if key != "enter":
        return by_number(asked) if key.isalpha() else unknown_key(key)
    left = sum(partner is None for partner in selection.pairs)
    return _UNMATCHED.fill(left=left) if selection.form == "pairs" else _UNCHOSEN


def selection_lines(selection: ChoiceState, shown: QuizCard, lang: Lang, width: int) -> list[tuple[str, str]]:
    """The options and what is selected, as (style, line); a style is ``cursor``, ``marked``, ``tried`` or empty."""
    by_id = {choice.id: choice for choice in shown.asked.choices}
    rows: list[tuple[str, str]] = []
    for row, name in enumerate(selection.order if selection.form == "order" else selection.ids):
        mark, style, partner = _mark(selection, row, name, shown)
        number = "" if selection.partners else f"{selection.digits[name]}  "
        rows += _row(by_id[name], mark + number, style, lang, width, partner)
    if selection.partners:
        rows += [("", ""), ("", LABELED.fill(who=_MATCHES, said="").of(lang).rstrip())]
        for choice in shown.asked.partners:
            rows += _row(choice, f"  {selection.digits[choice.id]}  ", "", lang, width)
    return rows


def _mark(selection: ChoiceState, row: int, name: str, shown: QuizCard) -> tuple[str, str, str]:
    """The mark before an option, its style, and its partner with an arrow (empty except in pairs)."""
    here = row == selection.cursor
    begin = "› " if here else "  "
    style = "cursor" if here else ""
    if selection.form == "one":
        tried = name.casefold() in {answer.casefold() for answer in shown.record.answers}
        return begin + ("✗ " if tried else "  "), style or ("tried" if tried else ""), ""
    if selection.form == "many":
        marked = name in selection.marked
        return f"{begin}[{'x' if marked else ' '}] ", style or ("marked" if marked else ""), ""
    if selection.form == "order":
        placed = "marked" if row < selection.placed else ""
        return "↕ " if here and selection.held else begin, style or placed, ""
    partner = selection.pairs[row]
    return begin, style, f" → {selection.digits[partner] if partner is not None else '·'}"


def _row(choice: Choice, lead: str, style: str, lang: Lang, width: int, partner: str = "") -> Iterator[tuple[str, str]]:
    for number, line in enumerate(wrap(choice.text.of(lang) + partner, width - cells(lead))):
        yield style, (lead if number == 0 else " " * cells(lead)) + line


# ----------------------------------------------------------------------------------------------- the end


def summary(page: Page, results: quiz_session.QuizSummary) -> None:
    """Points by question, misconceptions, and what to do next."""
    page.rule()
    page.lines(page.say(Message("Your results so far")), style="bold")
    for tally in (tally for tally in results.tallies if tally.settled):
        share = page.say(OF_POINTS, earned=points(tally.earned), possible=points(tally.possible))
        count = page.say(Message("{settled} of {count} done"), settled=tally.settled, count=tally.count)
        title = f"  {tally.question.id}  {page.say(tally.question.title)}"
        page.row([(title, "")], page.clauses([count, share]), style="dim")
    if results.met:
        page.blank()
        _beliefs(page, [known for known, _ in results.met])
    page.blank()
    page.lines(page.say(Message("What to do next")), style="bold")
    if results.due:
        text = _GO_ON_IN_NOTEBOOK if page.notebook else Message("Items left: {due}. Continue with `attncheck quiz`.")
        page.lines(page.say(text, due=results.due), lead="  – ")
    advised = {advice.exercise: advice for _, advice in reversed(results.met) if advice is not None}
    for advice in list(advised.values())[:3]:
        page.lines(page.say(_advice(advice)), lead="  – ")
    page.lines(page.say(_REVIEW_IN_TERMINAL if page.notebook else _REVIEW), lead="  – ")
    page.lines(page.say(_PRACTICE), style="dim")


def _beliefs(page: Page, shown: Sequence[MisconceptionProgress]) -> None:
    """Open misconceptions first, each with the correct statement; then the names of the resolved ones.

    While an item that showed one has attempts left, there is only the question to think about.
    """
    page.lines(page.say(Message("Misconceptions found")), style="bold")
    still = [known for known in shown if known.open]
    for known in still[:_MOST]:
        page.lines(page.say(PARENTHESIZED, what=known.title, more=Message("still open")), lead="  ✗ ", style="red")
        if known.told:
            page.lines(page.say(known.belief.truth), indent=4)
        elif known.ask is not None:
            page.lines(page.say(known.ask), indent=4, lead="→ ", style="cyan")
    if len(still) > _MOST:
        page.lines(page.say(Message("… and {more} more: `attncheck progress`"), more=len(still) - _MOST), indent=4)
    resolved = dict.fromkeys(page.say(known.title) for known in shown if not known.open)
    if resolved:
        names = page.listed(resolved)
        page.lines(page.say(LABELED, who=Message("resolved"), said=names), lead="  ✓ ", style="green")
