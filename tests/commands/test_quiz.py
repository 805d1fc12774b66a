"""``attncheck quiz``, as people and pipes use it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest

from grader.commands import quiz as quizzing
from grader.commands._console import stdout
from grader.commands._find import learner_name
from grader.core.model import Course, Item, Lang, Misconception, Question, Text
from grader.course import items
from grader.course.items._options import Option
from grader.course.items.choice import Spec
from grader.grading import courses
from grader.learning import keyboard, log
from grader.learning.log import Answered, Named, Spoke
from grader.learning.quiz_session import Action, QuizCard, TypedAnswer
from grader.submission import read
from tests.commands.conftest import ITEM, Ran

Attncheck = Callable[..., Ran]
Type = Callable[[str], None]

OPTIONS = (
    Option("a", Text("Scores", "得分"), misconception="scores"),
    Option("b", Text("Means", "平均"), correct=True),
    Option("c", Text("Sums", "和")),
)
_PROMPT = items.ask(replace(ITEM, spec=Spec(OPTIONS)), items.Context("test", "ada", ITEM.id))
#: What ada types for the options a and b.
A, B = (items.numbers(_PROMPT.choices)[name] for name in "ab")
SECOND = Item("Q5.next", "number", Text("How many?", "多少？"), 1, "practice", None)


@pytest.fixture(autouse=True)
def more(course: Course, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The course of these tests with a second item, and a misconception."""
    from grader.course.items.number import Spec as Number

    belief = Misconception("scores", Text("Not scores.", "不是得分。"), Text("What is V for?", "V 有什么用？"))
    asked = (replace(ITEM, spec=Spec(OPTIONS)), replace(SECOND, spec=Number(4)))
    q5: Question = replace(course.questions[0], items=asked, misconceptions=(belief,))
    made = replace(course, questions=(q5, *course.questions[1:]))
    monkeypatch.setattr(courses, "load", lambda folder, *_: made)
    monkeypatch.setattr("getpass.getuser", lambda: "ada")  # whose options stand in a known order
    return made


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Type:
    """What stands in the pipe."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def kept(path: Path) -> list[object]:
    """What is kept, without times."""
    return [type(event).__name__ for event in log.read(path, "test")]


def test_through_a_pipe(attncheck: Attncheck, typed: Type, progress_file: Path) -> None:
    """Lines are answers; the whole conversation stands on stdout, and everything is kept."""
    typed(f"{A}\nzz\nb\n{B}\n\n5\n4\n")
    ran = attncheck("quiz", "Q5", "--lang", "en", "--learner", "ada")
    assert (ran.code, ran.err) == (0, "")
    said = " ".join(ran.out.split())
    for part in (
        "2 of 2 left: 1 graded item, 1 practice item · answering as ada",
        "your grade comes from answers.yaml",
        "1/2 Q5.output Scaled dot-product attention",
        f"> {A} ✗ Not yet. → What is V for? Attempt 2 of 2, worth 1/2 of the points",
        "> zz ? Choose by number: 1, 2, 3. This did not count as an attempt.",
        "> b ? Choose by number: 1, 2, 3. This did not count as an attempt.",
        f"> {B} ✓ Correct on attempt 2. 0.5 of 1 points Not scores.",
        "> 5 ✗ Not yet. Read the question once more",
        "2 of 2 done; 1 of 2 points",
        "✓ resolved: Q5, “",
    ):
        assert part in said
    assert kept(progress_file) == ["Named", *["Answered"] * 4]


def test_in_chinese(attncheck: Attncheck, typed: Type) -> None:
    """The same in Chinese, with the switch on the way."""
    typed(f"{A}\n:lang\n?\n:key\n:quit\n")
    ran = attncheck("quiz", "--lang", "zh")
    said = " ".join(ran.out.split())
    assert ran.code == 0
    for part in (
        "还不对",
        "V 有什么用？",
        "What comes out?",
        "leave this item for later",
        f"Correct answer: {B}: Means",
    ):
        assert part in said
    typed("4\n")
    again = attncheck("quiz")
    assert "1 of 2 left" in again.out  # the language that was chosen last


def test_going_on(attncheck: Attncheck, typed: Type, progress_file: Path) -> None:
    """The end of the input is no loss; what is settled is not asked again, unless --again or its name says so."""
    typed(f"{B}\n")
    assert attncheck("quiz", "--lang", "en").code == 0
    typed("4")
    ran = attncheck("quiz", "--lang", "en")
    assert "2/2" in ran.out and "1/2" not in ran.out
    typed("")
    assert "items are answered" in attncheck("quiz", "--lang", "en").out
    assert "What comes out?" in attncheck("quiz", "--lang", "en", "--again").out
    assert "How many?" in attncheck("quiz", "Q5.next", "--lang", "en").out
    assert kept(progress_file).count("Answered") == 2


def test_every_name_has_its_own_log(attncheck: Attncheck, typed: Type, progress_file: Path) -> None:
    """Another name begins from nothing, and the first one finds everything again; the last one used stays."""
    typed(f"{A}\n")
    attncheck("quiz", "--lang", "en", "--learner", "ada")
    ada = log.read(progress_file, "test")
    for name in ("bob", None):
        typed("")
        said = attncheck("quiz", "--lang", "en", *(["--learner", name] if name else [])).out
        assert "answering as bob" in said
    assert [type(event).__name__ for event in log.read(progress_file, "test")] == ["Named"]
    typed("")
    assert "answering as ada" in attncheck("quiz", "--lang", "en", "--learner", "ada").out
    assert log.read(progress_file, "test")[: len(ada)] == ada
    assert kept(progress_file)[0] == "Named" and "Answered" in kept(progress_file)


@pytest.mark.parametrize("name", ["x" * 200, "e\u0301", "a\u202eb  c", "y" * 201])
def test_the_name_is_the_one_of_the_submission(
    attncheck: Attncheck, typed: Type, tmp_path: Path, name: str, progress_file: Path
) -> None:
    """The quiz knows a learner by the very name that a submission gets, because the name decides the numbers."""
    typed("")
    assert attncheck("quiz", "--lang", "en", "--learner", name).code == 0
    (tmp_path / "q05.py").write_text("x = 1", "utf-8")
    (event,) = (event for event in log.read(progress_file, "test") if isinstance(event, Named))
    assert event.learner == read(tmp_path / "q05.py", name).learner


def test_nobody(attncheck: Attncheck, typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no login name either, there is still a quiz."""

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    typed("")
    assert "answering as learner" in attncheck("quiz", "--lang", "en").out


def test_answers_are_shown_cleaned(attncheck: Attncheck, typed: Type) -> None:
    """What was typed cannot paint on the terminal."""
    typed("\x1b[31mred\u202e\n")
    ran = attncheck("quiz", "--lang", "en")
    assert "> red" in ran.out
    assert "\x1b" not in ran.out and "\u202e" not in ran.out


def test_writing_the_answers(attncheck: Attncheck, typed: Type, tmp_path: Path) -> None:
    """--to writes the last answers to graded items, to a file that is not there yet."""
    place = tmp_path / "answers.yaml"
    typed(f"{B}\n4\n")
    ran = attncheck("quiz", "--lang", "en", "--learner", "ada", "--to", str(place))
    assert str(place) in ran.out.replace("\n", "")
    assert place.read_text("utf-8") == 'format: 1\nlearner: "ada"\nanswers:\n  Q5.output: "b"\n'


def test_adding_to_a_file_that_has_answers(attncheck: Attncheck, typed: Type, tmp_path: Path) -> None:
    """--to fills in what is empty. Without somebody to ask, other answers stay and are named."""
    place = tmp_path / "answers.yaml"
    place.write_text("# mine\nlearner: your-name\nanswers:\n  Q5.output: null  # b?\n", "utf-8")
    typed(f"{B}\n4\n")
    assert "Q5.output" in attncheck("quiz", "--learner", "ada", "--to", str(place)).out
    assert place.read_text("utf-8") == '# mine\nlearner: "ada"\nanswers:\n  Q5.output: "b"  # b?\n'
    place.write_text("answers:\n  Q5.output: c\n", "utf-8")
    typed("")
    ran = attncheck("quiz", "--learner", "ada", "--to", str(place))
    assert "Q5.output: c in the file, b in the quiz" in ran.out
    assert place.read_text("utf-8") == "answers:\n  Q5.output: c\n"


def test_a_file_that_is_refused_is_refused_first(attncheck: Attncheck, typed: Type, tmp_path: Path) -> None:
    """Before anything is asked, not when all is answered."""
    place = tmp_path / "answers.yaml"
    place.write_text("learner: bo\nanswers: {}\n", "utf-8")
    typed(f"{B}\n4\n")
    ran = attncheck("quiz", "--learner", "ada", "--to", str(place))
    assert (ran.code, "the answers of bo" in ran.err, ran.out) == (2, True, "")


@pytest.mark.parametrize("data", [b"answers: \xff", b"# " + b"x" * 2_000_001])
def test_a_file_that_cannot_be_read_whole_is_not_written(attncheck: Attncheck, tmp_path: Path, data: bytes) -> None:
    """Nothing of it would be lost."""
    place = tmp_path / "answers.yaml"
    place.write_bytes(data)
    ran = attncheck("quiz", "--learner", "ada", "--to", str(place))
    assert (ran.code, place.read_bytes()) == (2, data)


@pytest.mark.parametrize(
    ("file", "replies", "after"),
    [
        ("answers:\n  Q5.output:\n", "y\n", 'learner: "ada"\nanswers:\n  Q5.output: "b"\n'),
        ("answers:\n  Q5.output:\n", "n\n", "answers:\n  Q5.output:\n"),
        ("answers:\n  Q5.output: c\n", "y\ny\n", 'learner: "ada"\nanswers:\n  Q5.output: "b"\n'),
        ("answers:\n  Q5.output: c\n", "y\nn\n", "answers:\n  Q5.output: c\n"),
        (None, "y\n", 'format: 1\nlearner: "ada"\nanswers:\n  Q5.output: "b"\n'),
        ("answers: [", "", "answers: ["),
        ("learner: ada\nanswers: {Q5.output: b}\n", "", "learner: ada\nanswers: {Q5.output: b}\n"),
    ],
)
def test_the_offer_at_the_end(
    attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str | None, replies: str, after: str
) -> None:
    """In a terminal, what was settled can go to the answers.yaml of the folder that the learner works in."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "q05.py").touch()
    place = tmp_path / "work" / "answers.yaml"
    if file is not None:
        place.write_text(file, "utf-8")
    monkeypatch.chdir(tmp_path)
    front = quizzing.LineFrontEnd(io.StringIO(f"{B}\n4\n").readline, echo=False)
    monkeypatch.setattr(quizzing, "front_end", lambda saved: front)
    monkeypatch.setattr(sys, "stdin", io.StringIO(replies))
    ran = attncheck("quiz", "--learner", "ada")
    assert ran.code == 0
    assert place.read_text("utf-8") == after


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--json",), "--json works only with --answers"),
        (("Q5.outptu",), "Did you mean Q5.output"),
        (("Q11",), "has no quiz items"),
    ],
)
def test_what_makes_no_sense(attncheck: Attncheck, args: tuple[str, ...], said: str) -> None:
    """Refused, with the way out."""
    ran = attncheck("quiz", *args)
    assert ran.code == 2
    assert said in ran.err


# ------------------------------------------------------------------------------------------ a terminal


class Fake:
    """A terminal on which this is done, one action after the other."""

    keys = True
    confirms = True

    def __init__(self, *actions: Action | KeyboardInterrupt) -> None:
        self.actions = list(actions)
        self.follow: list[bool] = []

    def _next(self) -> Action:
        action = self.actions.pop(0)
        if isinstance(action, KeyboardInterrupt):
            raise action
        return action

    def ask(self, card: QuizCard, lang: Lang) -> Action:
        """The next action."""
        return self._next()

    def pause(self, lang: Lang, follow: bool) -> Action:
        """The next action."""
        self.follow.append(follow)
        return self._next()


def test_keys(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """With keys, options are left to the keyboard; what is settled is shown again on the way back."""
    front = Fake(TypedAnswer("b"), "next", "back", "lang", "next", "help", "back", "next", "quit")
    monkeypatch.setattr(quizzing, "front_end", lambda saved: front)
    ran = attncheck("quiz", "--lang", "en")
    assert ran.code == 0 and not front.actions
    assert front.follow == [False] * 4
    assert "Answer with the number of" not in ran.out
    assert "Answer with a number" in ran.out and "答案填一个数" in ran.out
    assert (ran.out.count("Correct."), ran.out.count("答对了。")) == (2, 2)


def test_interrupted(attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch, progress_file: Path) -> None:
    """^C ends it with 130, and what was answered is kept."""
    monkeypatch.setattr(quizzing, "front_end", lambda saved: Fake(TypedAnswer("b"), KeyboardInterrupt()))
    ran = attncheck("quiz", "--lang", "en")
    assert ran.code == 130
    assert "all your answers are saved" in ran.err
    assert kept(progress_file) == ["Named", "Answered"]


def test_each_answer_is_kept_before_anything_is_said(
    attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch, progress_file: Path
) -> None:
    """Whatever stops the program while it speaks, the answer is there."""
    monkeypatch.setattr(quizzing, "front_end", lambda saved: Fake(TypedAnswer("b")))
    monkeypatch.setattr("grader.learning.quiz_view.feedback", lambda *_: pytest.fail("killed"))
    with pytest.raises(pytest.fail.Exception):
        attncheck("quiz")
    (last,) = [event for event in log.read(progress_file, "test") if isinstance(event, Answered)]
    assert (last.item, last.value) == ("Q5.output", "b")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(("term", "kind"), [("xterm", keyboard.Keyboard), ("dumb", quizzing.LineFrontEnd)])
def test_which_front(term: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys where the terminal has them, else lines; either is as wide as it says."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", "44")
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(keyboard.Keyboard, "__init__", lambda self, saved: None)
    assert isinstance(quizzing.front_end(), kind) and stdout().width == 44


def test_a_terminal_is_asked_for_the_name(more: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: the login name is only a suggestion."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("click.prompt", lambda text, default: f" {text[:4]}\x1b[1m")
    name, events = learner_name(more, None, (), "en")
    assert name == "Your" and [type(event) for event in events] == [Named]
    assert learner_name(more, None, (Spoke(log.now(), "test", "en"), *events), "en") == ("Your", ())


@pytest.mark.parametrize("typed", ["q", " Q", ":q"])
def test_q_quits_at_the_name_too(more: Course, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at every other prompt: nobody gets the name q by accident."""
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("click.prompt", lambda text, default: typed)
    with pytest.raises(click.exceptions.Exit):
        learner_name(more, None, (), "en")


def test_a_dumb_terminal_is_prompted(more: Course, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is echoed that the terminal shows already; several lines end with an empty one."""
    from dataclasses import replace as changed

    from grader.learning import quiz_session

    card = quiz_session.current(quiz_session.begin(more, "ada", "en", quiz_session.choose(more, "Q5")))
    assert card is not None
    lines = changed(card, asked=changed(card.asked, form="lines", choices=()))
    front = quizzing.LineFrontEnd(io.StringIO("\na = b\n= c\n\n:key\nlast").readline, echo=False)
    assert front.ask(lines, "en") == TypedAnswer("a = b\n= c")
    assert front.ask(lines, "en") == "key"
    assert front.ask(lines, "en") == TypedAnswer("last")
    assert front.ask(lines, "en") == "quit"
    assert front.pause("en", True) == "next"
    assert capsys.readouterr().out.startswith("> > > > ")


# ------------------------------------------------------------------------------------------- a file


@pytest.fixture
def answers(tmp_path: Path) -> Callable[[str], str]:
    """Writes an answers.yaml."""

    def write(text: str) -> str:
        path = tmp_path / "answers.yaml"
        path.write_text(f"format: 1\nlearner: ada\nanswers:\n{text}", "utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("  Q5.output: b\n", 0, "Everything is correct"),
        ("  Q5.output: a\n", 1, "Not scores."),
        ("  Q5.output: [b]\n", 1, "line 4: Q5.output: Answer with the letter"),
        ("  Q5.output: b\n  Q5.next: 5\n", 1, "✗ Q5.next"),
        ("  Q5.output: b\n  Q5.other: 5\n", 0, "line 5: there is no item Q5.other"),
    ],
)
def test_a_file(attncheck: Attncheck, answers: Callable[[str], str], text: str, code: int, said: str) -> None:
    """Graded item by item; strange answers are named by their lines."""
    ran = attncheck("quiz", "--answers", answers(text), "--lang", "en")
    assert ran.code == code
    assert said in " ".join(ran.out.split())


def test_a_file_as_json(attncheck: Attncheck, answers: Callable[[str], str], progress_file: Path) -> None:
    """The same item objects as ``grade --json``, no exercises; nothing is kept."""
    ran = attncheck("quiz", "Q5", "--answers", answers("  Q5.output: a\n"), "--json", "--lang", "en")
    found = json.loads(ran.out)
    assert ran.code == 1
    assert [(q["id"], q["exercises"]) for q in found["questions"]] == [("Q5", [])]
    assert found["questions"][0]["items"] == [
        {
            "id": "Q5.output",
            "kind": "choice",
            "status": "failed",
            "earned": 0,
            "possible": 1,
            "misconception": "scores",
            "message": "Not scores.",
            "reading": None,
            "unread": False,
        }
    ]
    assert not progress_file.exists()


@pytest.mark.parametrize(("name", "text"), [("q05.py", "x = 1\n"), ("answers.yaml", "format: 2\n"), (None, "")])
def test_a_file_that_is_none(attncheck: Attncheck, tmp_path: Path, name: str | None, text: str) -> None:
    """What cannot be read as answers is said to be that."""
    path = tmp_path / (name or "missing.yaml")
    if name:
        path.write_text(text, "utf-8")
    assert attncheck("quiz", "--answers", str(path)).code == 3
