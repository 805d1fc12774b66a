"""What the documents tell people to type exists; what the instructor guide shows is what comes out."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

import click
import pytest
import yaml

from grader.commands import cli, run
from grader.core.marks import plain
from grader.course import items
from grader.grading import courses
from grader.instructor.export import format_names as formats

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "instructor-guide.md"
DOCUMENTS = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
#: Said of a machine or a moment, not of what was handed in.
_CUT = "[...]"


def commands(path: Path) -> list[str]:
    """The lines of a document's code blocks that call attncheck, without what is said about them."""
    lines = [line.strip() for block in _BLOCK.findall(path.read_text("utf-8")) for line in block.splitlines()]
    found = [line.removeprefix("$ ") for line in lines if re.match(r"(\$ )?attncheck [a-z]", line)]
    return [re.split(r"\s{2,}", line)[0] for line in found]


def unknown(line: str) -> str | None:
    """What of a command line does not exist; None if all of it does."""
    _, verb, *rest = shlex.split(line.replace("[", "").replace("]", "").replace("|", " "))
    command = cli.get_command(click.Context(cli), verb)
    if isinstance(command, click.Group):
        verb, *rest = rest
        command = command.get_command(click.Context(command), verb)
    if command is None:
        return verb
    try:
        given, _, _ = command.make_parser(click.Context(command)).parse_args(rest)
    except click.UsageError as error:
        return error.format_message()
    if verb == "export" and given["form"] not in (*formats(), "FORMAT"):
        return f"export {given['form']}"
    return None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_exist(path: Path) -> None:
    """With their options."""
    assert [said for line in commands(path) if (said := unknown(line))] == []


def headings(path: Path) -> list[int]:
    """The level of each heading, in order; code blocks have none."""
    text = _BLOCK.sub("", path.read_text("utf-8"))
    return [len(line) - len(line.lstrip("#")) for line in text.splitlines() if line.startswith("#")]


_GUIDES = ("learner-guide", "instructor-guide", "author-guide", "first-question")


@pytest.mark.parametrize("name", ["README", *(f"docs/{name}" for name in _GUIDES)])
def test_both_languages_have_the_same_sections_and_commands(name: str) -> None:
    """The Chinese version of a page has the headings and the commands of the English one; each links the other."""
    english, chinese = ROOT / f"{name}.md", ROOT / f"{name}.zh.md"
    assert headings(english) == headings(chinese)
    assert commands(english) == commands(chinese)
    assert f"]({chinese.name})" in english.read_text("utf-8") and f"]({english.name})" in chinese.read_text("utf-8")


def test_the_guide_has_commands() -> None:
    """And such that do not exist are found."""
    assert len(commands(GUIDE)) > 20
    assert unknown("attncheck batch in --out out --fast") is not None
    assert unknown("attncheck grades") == "grades"
    assert unknown("attncheck export xls --to f") == "export xls"
    assert unknown("attncheck bank prove") == "prove"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """To files, and to headings of this one."""
    text = path.read_text("utf-8")
    headings = {re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in text.splitlines()}
    broken = []
    for link in _LINK.findall(text):
        file, _, place = link.partition("#")
        if "://" not in link and not ((path.parent / file).exists() and (file or place in headings)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(
    ("guide", "said"),
    [
        ("learner-guide", r"(\d+) questions|(\d+) 个问题"),
        ("instructor-guide", r"maximum here \((\d+)\)|满分（(\d+)）|\d of (\d\d)  [a-z]"),
    ],
)
def test_figures_in_sentences(guide: str, said: str) -> None:
    """How many questions there are, and how many points the two of the example give, in both languages."""
    questions = courses.load(ROOT).questions
    true = len(questions) if guide == "learner-guide" else sum(q.points for q in questions if q.id in ("Q5", "Q11"))
    for language in ("", ".zh"):
        found = re.findall(said, (ROOT / "docs" / f"{guide}{language}.md").read_text("utf-8"))
        assert found and {figure for each in found for figure in each if figure} == {f"{true:g}"}, found


# ----------------------------------------------------------------------------------------- the whole way


def section(title: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a section, each with what the guide says that it prints."""
    text = GUIDE.read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    for block in _BLOCK.findall(text):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = shown.splitlines()
            yield command, [line for line in lines if line not in ("", _CUT)]


def signed(files: dict[str, bytes], login: str, right: Collection[str]) -> dict[str, bytes]:
    """``files`` with the id of the roster in answers.yaml, and the answers to ``right`` for the numbers of that id."""
    answers = yaml.safe_load(files["answers.yaml"])
    course = courses.load(ROOT)
    for question in course.questions:
        for item in question.items:
            if item.id in right:
                answers["answers"][item.id] = plain(items.key(item, items.Context(course.public_id, login, item.id)).en)
    return {**files, "answers.yaml": yaml.safe_dump({**answers, "learner": login}).encode()}


def download(place: Path) -> None:
    """The class of the guide, as Canvas gives it out."""

    def handed_in(name: str) -> dict[str, bytes]:
        files = sorted((ROOT / "examples" / "class" / name).iterdir())
        return {file.name: file.read_bytes() for file in files if file.suffix in (".py", ".yaml")}

    work = io.BytesIO()
    with zipfile.ZipFile(work, "w") as archive:
        for name, data in handed_in("fay-two-files").items():
            archive.writestr(name, data)
    everybody = {
        "abacusada_11": signed(handed_in("ada-torch"), "ada", {"Q5.weight", "Q5.by-hand", "Q11.maps"}),
        "dummydia_LATE_14": signed(handed_in("dia-no-scaling"), "dia", ()),
        "fictionfay_16": {"homework.zip": work.getvalue()},
        "gizmogus_17": handed_in("gus-loops"),
        "juniperjun_20": {"q05.py": b"%PDF-1.7\n"},
        "nobodynora_99": {"q05.py": (ROOT / "examples" / "class" / "bo-numpy.py").read_bytes()},
    }
    with zipfile.ZipFile(place / "attention_submissions.zip", "w") as archive:
        for who, files in everybody.items():
            for number, (name, data) in enumerate(files.items(), 500):
                archive.writestr(f"{who}_{number}_{name}", data)
    people = [("ada", "Abacus, Ada", 11), ("dia", "Dummy, Dia", 14), ("fay", "Fiction, Fay", 16)]
    people += [("gus", "Gizmo, Gus", 17), ("jun", "Juniper, Jun", 20), ("nia", "Noshow, Nia", 24)]
    said = {"ada": "ada-torch", "dia": "dia-no-scaling"}
    lines = [f'{login},"{name}",{said.get(login, login)}@uni.example,{number}' for login, name, number in people]
    (place / "class.csv").write_text("\n".join(["id,name,email,canvas", *lines, ""]))
    lines = [f'"{name}",{number},{login},A,,8' for login, name, number in people]
    head = ["Student,ID,SIS Login ID,Section,Attention (4711),Essay (4712)", "    Points Possible,,,,43,10"]
    (place / "Grades.csv").write_text("\n".join([*head, *lines, ""]))
    (place / "SEED").write_bytes(bytes(range(32)))


@pytest.mark.prove
def test_the_whole_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """From the zip to the grades and on: every command of these sections works, and prints what the guide shows."""
    download(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTNCHECK_LANG", "en")
    ways = [*section("The whole way, with Canvas"), *section("Talking about a point"), *section("Statistics")]
    ways += [*section("Similar solutions"), *section("Privacy")]
    for command, shown in ways:
        verb, *rest = shlex.split(command)[1:]
        code = run([verb, *rest, *(["--yes"] if verb == "forget" else [])])
        out, err = capfd.readouterr()
        assert code in (0, 5), (command, err)
        assert [line for line in shown if line not in (out + err).splitlines()] == [], (command, out, err)
    # As a word: a pseudonym, drawn at random, may well have these letters in it.
    assert not re.search(r"\bada\b|abacus", (tmp_path / "research.csv").read_text(), re.IGNORECASE)
    assert not (tmp_path / "results" / "ada.json").exists()
    shutil.rmtree(tmp_path / "results")
