"""The parts of the quiz in a notebook, as HTML: the question, an option, and an answer with what is right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from grader.core.marks import lines
from grader.core.model import Lang, Message
from grader.core.typesetting.html import prose, typeset, visible
from grader.course.items import Form
from grader.learning import quiz_view
from grader.learning.entries import GivenAnswer, ShownChoice
from grader.learning.quiz_session import QuizCard

_STYLE = Path(__file__).with_name("quiz_widgets.css")
_NOT_CORRECT = Message("not correct")
#: What is said beside the one wrong part of an answer.
_WRONG = {"order": Message("comes too early"), "pairs": Message("not a correct pair")}
_OPTION = Markup('<div class="option {}"><span class="key">{}</span> <span class="text">{}</span>{}</div>')
_VERDICT = Markup(' <span class="verdict"><span aria-hidden="true">{}</span> {}</span>')


def style() -> Markup:
    """The style sheet of everything here."""
    return Markup("<style>{}</style>").format(Markup(_STYLE.read_text("utf-8")))


def question(card: QuizCard, lang: Lang) -> Markup:
    """The question, below its title, place and points."""
    title = card.item.title or card.question.title
    place = Message("{number} of {count}").fill(number=card.number, count=card.total)
    trail = [typeset(text.of(lang)) for text in (title, place, quiz_view.worth(card.item))]
    ask, *more = lines(card.ask.of(lang).strip())
    parts = [
        Markup('<p class="trail"><b>{}</b> · {}</p>').format(card.item.id, Markup(" · ").join(trail)),
        Markup('<p class="ask">{}</p>').format(typeset(ask)),
        prose("\n".join(more)),
        *(Markup('<p class="fact">{}</p>').format(typeset(fact.of(lang))) for fact in card.asked.facts),
    ]
    return Markup("").join(parts)


def option(choice: ShownChoice, form: Form, wrong: str, lang: Lang) -> Markup:
    """An option to choose. The one whose id is ``wrong`` is marked."""
    here = choice.id == wrong
    mark = _VERDICT.format("✗", _WRONG.get(form, _NOT_CORRECT).of(lang)) if here else ""
    return _OPTION.format("bad" if here else "", choice.label, typeset(choice.text), mark)


def given(answer: GivenAnswer, lang: Lang) -> Markup:
    """The answer to a settled item, and what is right."""
    if answer.form in ("one", "many", "pairs"):
        return Markup("").join(_given(choice, lang) for choice in answer.choices)
    if answer.form != "order":
        yours = Markup('<p class="written">{}</p>').format(visible(answer.text))
        return _headed(Message("Your answer").of(lang), yours) if answer.text else Markup("")
    yours = _list(choice.text for choice in answer.choices)
    parts = [_headed(Message("Your answer").of(lang), yours)] if answer.text else []
    if answer.wanted:
        parts.append(_headed(Message("Correct answer").of(lang), _list(answer.wanted)))
    parts += [_headed(Message("These may be in any order:").of(lang), _list(group)) for group in answer.free]
    return Markup("").join(parts)


def _given(choice: ShownChoice, lang: Lang) -> Markup:
    own = choice.chosen or choice.partner != ""
    tone = {None: "mine", True: "good", False: "bad"}[choice.good] if own or choice.good else "rest"
    said = [] if choice.good is None else [(Message("correct") if choice.good else _NOT_CORRECT).of(lang)]
    said += [Message("your answer").of(lang)] if own else []
    sign = {None: "", True: "✓", False: "✗"}[choice.good]
    text = typeset(f"{choice.text} – {choice.matched}" if choice.partner else choice.text)
    if choice.wanted and not choice.good:
        text += Markup("<br>") + typeset(Message("Correct answer: {text}").fill(text=choice.wanted).of(lang))
    return _OPTION.format(tone, choice.label, text, _VERDICT.format(sign, " · ".join(said)) if tone != "rest" else "")


def _headed(heading: str, part: Markup) -> Markup:
    return Markup('<p class="t-bold">{}</p>{}').format(heading, part)


def _list(texts: Iterable[str]) -> Markup:
    return Markup("<ol>{}</ol>").format(Markup("").join(Markup("<li>{}</li>").format(typeset(text)) for text in texts))
