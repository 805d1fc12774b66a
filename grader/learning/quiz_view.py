"""The text of the quiz: the opening, a card, feedback on an answer, help and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.core.layout import cells, wrap
from grader.core.model import Item, Lang, Source, Text
from grader.core.text import COMMA, LABELED, LEVEL, LONGEST_NAME, OF_POINTS, PARENTHESIZED, SEMICOLON, clean, points
from grader.course.items import numbers
from grader.learning.numbers import by_number
from grader.learning.session import (
    ExerciseAdvice,
    Feedback,
    KeyPointsCompared,
    Navigation,
    QuizCard,
    QuizSummary,
    ReadingToConfirm,
    SeenMisconception,
    Session,
    Settled,
    UnknownCommand,
    UnreadableAnswer,
    WrongAnswer,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.core.page import Page
    from grader.course.items import Choice, Prompt
    from grader.learning.choice_widget import ChoiceState

# ---------------------------------------------------------------------------------------------- texts

ASK_NAME = Text(
    "Your name, or id in the class (your numbers are drawn from it)",
    "你的名字，或班级名单里的编号（题目中的数由它决定）",
)
_OPENING = Text(
    "{due} of {all} left · answering as {learner}",
    "共 {all} 题，还剩 {due} 题 · 答题人：{learner}",
)
_ALL_DONE = Text(
    "All {all} items are answered. Use --again to answer them again.",
    "这 {all} 题都已答完。加上 --again 可以重新作答。",
)
_PRACTICE = Text(
    "Quiz points are for practice only; your grade comes from answers.yaml.",
    "这里的得分只是练习分；计入成绩的是 answers.yaml 里的答案。",
)
_BEGIN = Text("{practice} Type ? for help.", "{practice}输入 ? 查看可用的命令。")
_SKIPPED = Text("{count} skipped  ", "已跳过 {count} 题  ")
_POINT = Text("1 pt", "1 分")
_POINTS = Text("{points} pts", "{points} 分")
_TRY = Text(
    "Attempt {now} of {tries}, worth {share} of the points.", "第 {now} 次作答（共 {tries} 次），可得 {share} 的分数。"
)
_SHARES = {1.0: Text("all", "全部"), 0.5: Text("1/2", "1/2"), 0.25: Text("1/4", "1/4")}
_LAST_TIME = Text("Think about this again: {ask}", "再想想这个问题：{ask}")

_RIGHT = Text("Correct.", "答对了。")
_RIGHT_AT = Text("Correct on attempt {tries}.", "第 {tries} 次答对了。")
_NOT_RIGHT = Text("Incorrect.", "没有答对。")
_NOT_YET = Text("Not yet.", "还不对。")
_PARTLY = Text("Partly correct.", "部分正确。")
_SHOWN = Text("Here is the answer.", "答案如下。")
_PENDING = Text("Saved. This answer is not graded automatically.", "已保存。这道题不自动评分。")
_COULD_BE = Text("Correct answer", "正确答案")
_SAMPLE = Text("Sample answer", "参考答案")
_YOUR_WORDS = Text("You wrote", "你写的是")
_UNLIKE = Text("Often confused", "容易混淆")
_COMPARED = Text("You made {said} of {points} key points.", "你说到了 {points} 个要点中的 {said} 个。")
_MISSED = Text("Not yet in your answer", "你的回答里还没有")
_AGAIN = Text(
    "Attempt {now} of {tries}, worth {share} of the points (:key shows the answer).",
    "第 {now} 次作答（共 {tries} 次），可得 {share} 的分数（:key 显示答案）。",
)
_LOOK_AGAIN = Text("Read the question once more before you try again.", "先别急，再仔细看一遍题目。")
_READ_AS = Text("I read: {formula}", "我读到的是：{formula}")
_MEANT = Text(
    "Is that what you mean? Type y if so; otherwise write the answer again. This did not count as an attempt.",
    "是这个意思吗？是就输入 y，不是就重新写。这不算一次作答。",
)
_MEANT_HERE = Text(
    "Is that what you mean? If not, change your answer. This did not count as an attempt.",
    "是这个意思吗？不是就改一改。这不算一次作答。",
)
_NO_TRY = Text("This did not count as an attempt.", "这不算一次作答。")
_SOURCE = Text("Source: {source}", "出处：{source}")
_PAPER = Text("{authors}, “{title}”, {year}, {where}", "{authors}，“{title}”，{year}，{where}")
_PAPER_AGAIN = Text("{authors}, {year}", "{authors}，{year}")
_ET_AL = Text("{first} et al.", "{first} 等")
_NEXT_ABOUT = Text("Next: {item}, which asks about exactly this.", "下一题 {item} 问的正是这一点。")
_OFFER = Text(
    "{item}, from another question, asks about exactly this. Type :follow to answer it next.",
    "另一道题里的 {item} 问的正是这一点，输入 :follow 可以接着作答。",
)
_OFFER_HERE = Text("{item}, from another question, asks about exactly this.", "另一道题里的 {item} 问的正是这一点。")
_CODE_SAME = Text(
    "Your code for {exercise} makes the same mistake. Hints: attncheck hint {question}",
    "你写的 {exercise} 里也有同样的错误。看提示：attncheck hint {question}",
)
_CODE_RIGHT = Text(
    "Your code for {exercise} gets this right; compare it with your answer.",
    "你写的 {exercise} 在这一点上是对的，拿它和你的回答比一比。",
)
_CODE_OPEN = Text(
    "The exercise {exercise} shows this. To begin: attncheck start {question}",
    "练习 {exercise} 能让你看清这一点。开始写：attncheck start {question}",
)

_MOVED = {
    "skipped": Text("Skipped; it will come back at the end.", "已跳过，最后会再问。"),
    "left": Text("Not answered; the quiz will ask it again next time.", "这题先放着，下次再问。"),
    "first": Text("This is the first item.", "这已经是第一题。"),
    "no key": Text(
        "This edition of the course has no answer key for this item; :skip leaves it for later.",
        "这个版本的课程里没有这道题的答案；输入 :skip 可以先跳过。",
    ),
    "nothing to follow": Text("There is no follow-up question here.", "这里没有可以追问的题目。"),
}
_UNKNOWN = Text("Unknown command “:{word}”. Commands: {all}", "没有 “:{word}” 这个命令。可用的命令：{all}")
_COMMANDS = (
    (":skip", Text("leave this item for later", "先跳过这一题")),
    (":back", Text("back to the previous item", "回到上一题")),
    (":key", Text("show the answer", "显示答案")),
    (":follow", Text("answer the follow-up question", "接着答刚才提到的那一题")),
    (":lang", Text("说中文", "switch to English")),
    (":quit", Text("quit; your answers are saved", "退出，进度会保存")),
    ("?", Text("this list", "显示这个列表")),
)
_EMPTY_LINE = Text("Write as many lines as you need; an empty line submits.", "可以写多行，以空行提交。")
_KEY_SUBMIT = Text("Enter: submit", "回车提交")
_KEYS = {
    "one": (Text("↑↓ or a number: choose", "↑↓ 或编号选择"), _KEY_SUBMIT),
    "many": (
        Text("↑↓: move", "↑↓ 移动"),
        Text("Space or a number: mark", "空格或编号勾选"),
        _KEY_SUBMIT,
    ),
    "order": (
        Text("type the numbers in order", "按先后依次输入编号"),
        Text("or Space: grab a line, ↑↓: move it", "或用空格选中一行，↑↓ 移动"),
        _KEY_SUBMIT,
    ),
    "pairs": (
        Text("↑↓: choose a line", "↑↓ 选行"),
        Text("←→ or its number: choose the match", "←→ 或编号选择对应项"),
        _KEY_SUBMIT,
    ),
    "line": (_KEY_SUBMIT,),
    "lines": (Text("Enter: new line", "回车换行"), Text("empty line: submit", "空行提交")),
    "": (Text("Enter: next", "回车下一题"),),
}
_KEY_FOLLOW = Text("f: follow-up", "f 追问")
_KEY_SKIP = Text("^S: skip", "^S 跳过")
_KEYS_ALWAYS = (Text("^P: back", "^P 上一题"), Text("^L: 中文", "^L English"), Text("^Q: quit", "^Q 退出"))
#: Where nothing is typed, the letter alone is enough.
_KEYS_CHOOSING = (*_KEYS_ALWAYS[:2], Text("q: quit", "q 退出"))
_KEY_HELP = Text("?: help", "? 帮助")
_NO_KEY = Text("“{key}” does nothing here; ? shows the keys.", "“{key}”在这里没有作用；按 ? 查看按键。")
_UNCHOSEN = Text("Choose something first, then press Enter.", "请先选择，再按回车。")
_UNMATCHED = Text("Not every line has a match yet ({left} left).", "还有 {left} 行没有配对。")
_MATCHES = Text("Matches", "对应项")

_DONE = Text("Your results so far", "目前的成绩")
_TALLY = Text("{settled} of {count} done", "已答完 {settled} / {count} 题")
_BELIEFS = Text("Misconceptions found", "出现过的误解")
_AND_MORE = Text("… and {more} more: attncheck progress", "……另有 {more} 个：attncheck progress")
_RESOLVED = Text("resolved", "已解决")
#: How many misconceptions the summary explains.
_MOST = 5
_STILL_OPEN = Text("still open", "尚未解决")
_WHAT_NEXT = Text("What to do next", "接下来")
_GO_ON = Text("Items left: {due}. Continue with attncheck quiz.", "还有 {due} 题没答完：attncheck quiz 会接着问。")
_REVIEW = Text(
    "attncheck review asks you again when an item is due.", "到了该复习的时候，用 attncheck review 再答一遍。"
)
ANSWERS_WRITTEN = Text(
    "Saved your last answers to the graded items in {file}.", "各道计分题的最后一次回答已写入 {file}。"
)
ANSWERS_ADDED = Text("Added to {file}: {items}", "已写入 {file}：{items}")
ANSWERS_SAME = Text("{file} has all these answers already.", "{file} 里已经有这些答案。")
ANSWERS_DIFFER = Text("{file} has other answers to these items:", "{file} 里下列题目的答案不同：")
ANSWER_DIFFERS = Text(
    "{item}: {file_answer} in the file, {quiz_answer} in the quiz",
    "{item}：文件里是 {file_answer}，答题时是 {quiz_answer}",
)
ASK_REPLACE = Text("Replace them with those of the quiz?", "换成刚才答题时的答案吗？")
ANSWERS_KEPT = Text(
    "These were left as they are. To exchange them, edit the file, or run this in a terminal.",
    "这些答案保持不变。要更换，请编辑文件，或在终端里运行这条命令。",
)
ASK_WRITE = Text(
    "Write your answers to {count} graded items to {file}, which counts for your grade?",
    "把 {count} 道计分题的答案写入计入成绩的 {file} 吗？",
)
HOW_TO_WRITE = Text(
    "To write your answers to a file that you can submit: attncheck quiz --to answers.yaml",
    "要把答案写入可以提交的文件：attncheck quiz --to answers.yaml",
)
PROGRESS_KEPT = Text("interrupted; all your answers are saved in {file}", "已中断；你的回答都保存在 {file}")

# ---------------------------------------------------------------------------------------------- cards


def opening(page: Page, session: Session) -> None:
    """How many items are left, who is answering, and what the points count for."""
    count = len(session.order)
    due = sum(not session.record(name).settled for name in session.order)
    if not due:
        page.lines(page.say(_ALL_DONE, all=count))
        return
    page.lines(page.say(_OPENING, due=due, all=count, learner=clean(session.learner, LONGEST_NAME)), style="bold")
    page.lines(page.say(_BEGIN, practice=_PRACTICE), style="dim")
    page.blank()


def _worth(item: Item) -> Text:
    value = _POINT if item.points == 1 else _POINTS.fill(points=points(item.points))
    return LEVEL.fill(points=value, level=item.level) if item.level else value


def card(page: Page, shown: QuizCard, *, keys: bool, buttons: bool = False) -> None:
    """One item. With ``keys``, the options are left out, because a widget shows them.

    With ``buttons``, keys are not explained, and options to be put in order are listed, because the order is typed.
    """
    heading(page, shown)
    if shown.record.settled or not keys or (buttons and shown.asked.form == "order"):
        page.blank()
        _options(page, shown.asked.choices)
        if shown.asked.partners:
            page.blank()
            page.lines(page.say(LABELED, who=_MATCHES, said=""), style="dim")
            _options(page, shown.asked.partners)
    page.blank()
    if not shown.record.settled:
        how_to_answer(page, shown, keys=keys, buttons=buttons)


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
            (page.say(_SKIPPED, count=shown.skipped) if shown.skipped else "", "dim"),
            (f"{shown.question.id}  {page.say(shown.question.title)}", "bold"),
        ],
        page.say(_worth(shown.item)),
        style="dim",
    )
    page.blank()
    page.lines(page.say(shown.ask))
    for fact in shown.asked.facts:
        page.lines(page.say(fact), indent=2, style="dim")


def how_to_answer(page: Page, shown: QuizCard, *, keys: bool, buttons: bool) -> None:
    """What the next attempt is worth, what to think about, and how to answer; see ``card``."""
    written = not shown.asked.choices
    if shown.record.tries:
        share = _share(shown.worth, page.lang)
        page.lines(page.say(_TRY, now=shown.record.tries + 1, tries=shown.tries, share=share), style="dim")
    if shown.reminder is not None:
        page.lines(page.say(_LAST_TIME, ask=page.say(shown.reminder)), lead="→ ", style="cyan")
    if shown.record.tries and keys and not written:
        page.blank()
    if written or not keys or (buttons and shown.asked.form == "order"):
        page.lines(page.say(shown.asked.how), style="dim")
    if buttons:
        return
    if keys and written:
        page.lines("\n".join(key_help(shown.asked.form, page.lang, page.width)), style="dim")
    elif shown.asked.form == "lines":
        page.lines(page.say(_EMPTY_LINE), style="dim")


def _share(worth: float, lang: Lang) -> str:
    return _SHARES[worth].of(lang) if worth in _SHARES else points(worth)


# ------------------------------------------------------------------------------------------- feedback


def feedback(page: Page, said: Feedback, shown: QuizCard, *, buttons: bool = False) -> None:
    """The feedback on an answer to, or a command at, the card ``shown``. With ``buttons``, no command is named."""
    match said:
        case UnreadableAnswer(message):
            page.lines(_words(page, message), lead="? ", style="magenta")
            page.lines(page.say(_NO_TRY), indent=2, style="dim")
            page.blank()
        case UnknownCommand(word):
            page.lines(page.say(_UNKNOWN, word=clean(word, 40), all=" ".join(name for name, _ in _COMMANDS)))
            page.blank()
        case WrongAnswer():
            _wrong(page, said, shown, buttons=buttons)
        case Settled():
            _settled(page, said, buttons=buttons)
        case KeyPointsCompared():
            _compared(page, said)
        case ReadingToConfirm(formulas):
            for formula in formulas:
                page.lines(page.say(_READ_AS, formula=formula), lead="? ", style="magenta")
            page.lines(page.say(_MEANT_HERE if buttons else _MEANT), indent=2)
            page.blank()
        case Navigation("help"):
            _help(page)
        case Navigation(why):
            if why in _MOVED:
                page.lines(page.say(_MOVED[why]), style="dim")
                page.blank()


def _wrong(page: Page, said: WrongAnswer, shown: QuizCard, *, buttons: bool) -> None:
    page.lines(page.say(_PARTLY if said.fraction else _NOT_YET), lead="✗ ", style="bold red")
    if said.message is not None:
        page.lines(_words(page, said.message), indent=2)
    if said.ask is not None:
        page.lines(page.say(said.ask), indent=2, lead="→ ", style="cyan")
    elif said.message is None:
        page.lines(page.say(_LOOK_AGAIN), indent=2)
    now = shown.tries - said.left + 1
    share = _share(said.worth, page.lang)
    again = _TRY if buttons else _AGAIN
    page.lines(page.say(again, now=now, tries=shown.tries, share=share), indent=2, style="dim")
    page.blank()


def _settled(page: Page, said: Settled, *, buttons: bool) -> None:
    tries = said.record.tries
    head, mark, style = {
        "right": (_RIGHT if tries == 1 else _RIGHT_AT, "✓", "bold green"),
        "wrong": (_NOT_RIGHT, "✗", "bold red"),
        "shown": (_SHOWN, "–", "bold"),
        "pending": (_PENDING, "…", "bold cyan"),
    }[said.outcome]
    earned = page.say(OF_POINTS, earned=points(said.record.earned * said.points), possible=points(said.points))
    message = _words(page, said.message)
    if said.outcome == "pending":
        page.lines(message or page.say(head), lead=f"{mark} ", style=style)
    else:
        page.row([(f"{mark} {page.say(head, tries=tries)}", style)], earned, style="dim")
    if message and said.outcome != "pending":
        page.lines(message, indent=2)
    if said.words is not None:
        _key(page, Text(*[clean(said.words, 1200, lines=True)] * 2), _YOUR_WORDS)
    if said.outcome != "right" and said.key is not None:
        _key(page, said.key, _SAMPLE if said.outcome == "pending" else _COULD_BE)
    for unlike in said.unlike:
        page.lines(page.say(LABELED, who=_UNLIKE, said=page.say(unlike)), indent=2, style="yellow")
    truth = page.say(said.truth) if said.truth is not None else ""
    if truth and truth not in message:
        page.lines(truth, indent=2, style="yellow")
    if said.explain is not None and page.say(said.explain) != truth:
        page.lines(page.say(said.explain), indent=2)
    for source in said.sources:
        page.lines(
            page.say(_SOURCE, source=_cited(source, page.lang, again=source.id in said.cited)), indent=2, style="dim"
        )
    if said.advice is not None:
        page.lines(page.say(_advice(said.advice)), indent=2, lead="→ ", style="cyan")
    if said.follows is not None:
        page.lines(page.say(_NEXT_ABOUT, item=said.follows.id), indent=2, lead="→ ", style="cyan")
    if said.offer is not None:
        offer = _OFFER_HERE if buttons else _OFFER
        page.lines(page.say(offer, item=said.offer.id), indent=2, lead="→ ", style="cyan")
    page.blank()


def _compared(page: Page, said: KeyPointsCompared) -> None:
    page.lines(page.say(_COMPARED, said=said.said, points=said.points), lead="… ", style="bold cyan")
    for missing in said.missing:
        page.lines(page.say(LABELED, who=_MISSED, said=page.say(missing)), indent=2)
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
    authors = _ET_AL.fill(first=first) if len(others) > 2 else source.authors
    if again:
        return _PAPER_AGAIN.fill(authors=authors, year=source.year).of(lang)
    return _PAPER.fill(authors=authors, title=source.title, year=source.year, where=source.where).of(lang)


def _advice(advice: ExerciseAdvice) -> Text:
    text = {"same": _CODE_SAME, "right": _CODE_RIGHT, "open": _CODE_OPEN}[advice.state]
    return text.fill(exercise=advice.exercise, question=advice.question)


def _words(page: Page, message: Text | None) -> str:
    """A judge's message, made safe: it may quote the learner."""
    return "" if message is None else clean(message.of(page.lang), 1200, lines=True)


def _help(page: Page) -> None:
    width = max(cells(name) for name, _ in _COMMANDS) + 2
    for name, what in _COMMANDS:
        page.lines(page.say(what), lead=f"  {name}{' ' * (width - cells(name))}")
    page.blank()


# ------------------------------------------------------------------------------------------- choosing


def key_help(form: str, lang: Lang, width: int, *, follow: bool = False) -> list[str]:
    """What the keys do in a ``form`` (empty: between two items), as lines that break only between keys."""
    first = (_KEY_FOLLOW,) if follow else ()
    always = _KEYS_ALWAYS if form in ("line", "lines") else _KEYS_CHOOSING
    keys = (*first, *_KEYS[form], *always) if not form else (*_KEYS[form], _KEY_SKIP, *always, _KEY_HELP)
    lines: list[str] = []
    for key in (text.of(lang) for text in keys):
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
    for at, name in enumerate(selection.order if selection.form == "order" else selection.ids):
        mark, style, partner = _mark(selection, at, name, shown)
        number = "" if selection.partners else f"{selection.digits[name]}  "
        rows += _row(by_id[name], mark + number, style, lang, width, partner)
    if selection.partners:
        rows += [("", ""), ("", LABELED.fill(who=_MATCHES, said="").of(lang).rstrip())]
        for choice in shown.asked.partners:
            rows += _row(choice, f"  {selection.digits[choice.id]}  ", "", lang, width)
    return rows


def _mark(selection: ChoiceState, at: int, name: str, shown: QuizCard) -> tuple[str, str, str]:
    """The mark before an option, its style, and its partner with an arrow (empty except in pairs)."""
    here = at == selection.cursor
    begin = "› " if here else "  "
    style = "cursor" if here else ""
    if selection.form == "one":
        tried = name.casefold() in {each.casefold() for each in shown.record.answers}
        return begin + ("✗ " if tried else "  "), style or ("tried" if tried else ""), ""
    if selection.form == "many":
        marked = name in selection.marked
        return f"{begin}[{'x' if marked else ' '}] ", style or ("marked" if marked else ""), ""
    if selection.form == "order":
        placed = "marked" if at < selection.placed else ""
        return "↕ " if here and selection.held else begin, style or placed, ""
    partner = selection.pairs[at]
    return begin, style, f" → {selection.digits[partner] if partner is not None else '·'}"


def _row(choice: Choice, lead: str, style: str, lang: Lang, width: int, partner: str = "") -> Iterator[tuple[str, str]]:
    for at, line in enumerate(wrap(choice.text.of(lang) + partner, width - cells(lead))):
        yield style, (lead if at == 0 else " " * cells(lead)) + line


# ----------------------------------------------------------------------------------------------- the end


def summary(page: Page, found: QuizSummary) -> None:
    """Points by question, misconceptions, and what to do next."""
    page.rule()
    page.lines(page.say(_DONE), style="bold")
    for tally in (tally for tally in found.tallies if tally.settled):
        share = page.say(OF_POINTS, earned=points(tally.earned), possible=points(tally.possible))
        count = page.say(_TALLY, settled=tally.settled, count=tally.count)
        title = f"  {tally.question.id}  {page.say(tally.question.title)}"
        page.row([(title, "")], page.say(SEMICOLON).join([count, share]), style="dim")
    if found.met:
        page.blank()
        _beliefs(page, found.met)
    page.blank()
    page.lines(page.say(_WHAT_NEXT), style="bold")
    if found.due:
        page.lines(page.say(_GO_ON, due=found.due), lead="  – ")
    advised = {met.advice.exercise: met.advice for met in reversed(found.met) if met.advice is not None}
    for advice in list(advised.values())[:3]:
        page.lines(_advice(advice).of(page.lang), lead="  – ")
    page.lines(page.say(_REVIEW), lead="  – ")
    page.lines(page.say(_PRACTICE), style="dim")


def _beliefs(page: Page, found: Sequence[SeenMisconception]) -> None:
    """Open misconceptions first, each with the correct statement; then the names of the resolved ones.

    While an item that showed one has attempts left, there is only the question to think about.
    """
    page.lines(page.say(_BELIEFS), style="bold")
    still = [met.known for met in found if met.known.open]
    for known in still[:_MOST]:
        page.lines(page.say(PARENTHESIZED, what=known.name, more=_STILL_OPEN), lead="  ✗ ", style="red")
        if known.told:
            page.lines(page.say(known.belief.truth), indent=4)
        elif known.ask is not None:
            page.lines(page.say(known.ask), indent=4, lead="→ ", style="cyan")
    if len(still) > _MOST:
        page.lines(page.say(_AND_MORE, more=len(still) - _MOST), indent=4)
    resolved = [met.known.name for met in found if not met.known.open]
    if resolved:
        names = page.say(COMMA).join(resolved)
        page.lines(page.say(LABELED, who=_RESOLVED, said=names), lead="  ✓ ", style="green")
