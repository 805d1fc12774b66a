"""The numbers of docs/security.md next to the constants that they are about, so that neither changes alone."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from grader.classroom import class_folder, collect, inbox
from grader.core import bounded, text, yaml_positions
from grader.core.model import Limits
from grader.core.text import LONGEST_NAME
from grader.course import items
from grader.course.items import text as free_text
from grader.formulas import parse, scalars, steps, tokens
from grader.grading import answer_grading, checks, missing, properties
from grader.instructor.analysis import similarity
from grader.sandbox import launch
from grader.sandbox.inside import confine, errors, frames, zygote
from grader.submission import answers, archive, files, messages, notebook, source
from tests.grading.checks.test_kinds import SKIPS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").partition("## Scoreboard")[0]
LIMITS = Limits()
SHOWN = inspect.signature(messages.printable).parameters["limit"].default
LISTED = inspect.signature(messages.listing).parameters["limit"].default
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def kib(count: int) -> int:
    """KiB, all of them."""
    assert count % 1024 == 0
    return count >> 10


def mib(count: int) -> int:
    """MiB, all of them."""
    return kib(kib(count))


def gib(count: int) -> int:
    """GiB, all of them."""
    return kib(mib(count))


READING = (kib(bounded.SMALL), bounded.READING.cpu)
#: Characters of the name of a type.
TYPE = 80
#: Every number in a row of the table of places, in the order in which the row has them.
ROWS: dict[str, tuple[float, ...]] = {
    "listing": (files.MAX_FILES, mib(archive._MAX_READ), files.MAX_DEPTH, READING[-1]),
    "unpacking": (
        kib(files.MAX_SOURCE), mib(files.MAX_NOTEBOOK), mib(files.MAX_TOTAL), mib(archive._SMALL), archive._MAX_RATIO,
        bounded.READING.cpu,
    ),
    "notebooks": (notebook.MAX_BRACKETS, notebook.MAX_CELLS, kib(notebook.MAX_SOURCE), 4, bounded.READING.cpu),
    "parsing": (mib(source.MAX_CODE), source.MAX_NAMES, source.MAX_DOTS, source.MAX_FIELD_STEPS, *READING),
    "forbidden names": READING,
    "names": (missing._MOST_LOOKED_UP, missing._MOST_UNKNOWN, text._LONGEST_COMPARED),
    "answers": (
        kib(files.MAX_SOURCE), yaml_positions.MAX_DEPTH, answers.MAX_ENTRIES, items.MOST_CHARACTERS, *READING
    ),
    "formulas": (
        tokens.MAX_LENGTH, steps.MOST_LINES, parse._MOST_TOKENS, parse._LARGEST_EXPONENT, scalars.MOST_STEPS,
        answer_grading._MOST_STEPS, answer_grading._JUDGING.cpu, answer_grading._MOST_ENDED,
    ),
    "free text": (free_text.MAX_LENGTH,),
    "frames": (
        mib(LIMITS.result_bytes), mib(LIMITS.total_bytes), frames.VALUE_BYTES, frames.ARRAY_BYTES, frames.MAX_VALUES,
        frames.MAX_DEPTH, frames.MAX_NDIM, frames.MAX_INTEGER_DIGITS, properties.MOST_NUMBERS,
    ),
    "similar solutions": (similarity.MOST_TOKENS, similarity.MOST_STEPS, *READING),
    "reports": (LONGEST_NAME, TYPE, SHOWN, 600, 40, LISTED),
}  # fmt: skip

#: Sentences with numbers, with white space as it may be.
SENTENCES = (
    f"{LIMITS.total_cpu:g} s of CPU time, {LIMITS.total_wall:g} s on the clock, {mib(LIMITS.total_bytes)} MiB of "
    f"results, and {LIMITS.fresh_children} lost processes ({launch._PLAIN_DEATHS} without a sandbox)",
    f"may take {LIMITS.group_cpu:g} s of CPU time and {LIMITS.group_wall:g} s on the clock, and loading a file "
    f"{LIMITS.import_cpu:g} s and {LIMITS.import_wall:g} s",
    f"may use {gib(LIMITS.memory)} GiB of memory",
    f"allows {zygote.MAX_LIVING} at a time and {zygote.MAX_STARTED:,} in the life of a process",
    f"make up to {zygote.MAX_STARTED:,} threads, so it can pass on about {zygote.MAX_STARTED.bit_length() - 1} bits",
    f"at most {gib(bounded.READING.memory)} GiB of address space. Its answers are at most "
    f"{mib(bounded.READING.result)} MiB",
    f"everything above {kib(bounded.SMALL)} KiB",
    f"Up to {kib(bounded.SMALL)} KiB of source and answers",
    f"{collect.MAX_ENTRIES:,} files and folders, nested up to {collect.MAX_DEPTH} deep, with paths of up to "
    f"{collect.MAX_PATH:,} bytes; {mib(collect.MAX_LEARNER)} MiB of files that could be graded; and "
    f"{mib(collect.MAX_FILE)} MiB in one file",
    f"A receipt may have {mib(inbox.MAX_RECEIPT)} MiB",
    f"more than {gib(collect.MAX_ALL)} GiB in all",
)


def numbers(text: str) -> tuple[float, ...]:
    """The numbers in ``text``, in order; powers as what they are."""
    found = re.findall(r"(\d[\d,]*)([⁰¹²³⁴⁵⁶⁷⁸⁹]*)", re.sub(r"`[^`]*`", "", text))
    return tuple(int(base.replace(",", "")) ** int(power.translate(POWERS) or 1) for base, power in found)


@pytest.mark.parametrize("place", ROWS)
def test_a_row_has_the_bounds_of_the_code(place: str) -> None:
    """All its numbers, and no others."""
    row = re.search(rf"^\| \*\*{place}\*\* \|(.*)$", PAGE, re.MULTILINE)
    assert row is not None
    assert numbers(row[1]) == ROWS[place]


def test_every_row_is_held() -> None:
    """A new place needs its numbers here."""
    assert set(re.findall(r"^\| \*\*([a-z ]+)\*\* \|", PAGE, re.MULTILINE)) == set(ROWS)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_has_the_numbers_of_the_code(sentence: str) -> None:
    """As the page has it, wherever its lines end."""
    assert sentence in " ".join(PAGE.split())


def test_what_a_process_may_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many files, as the page says."""
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(confine.resource, "setrlimit", limits.__setitem__)
    monkeypatch.setattr(confine.resource, "getrlimit", lambda which: (-1, confine.resource.RLIM_INFINITY))
    confine.limit_resources(1, 1 << 30, own_user_namespace=True)
    assert f"and {limits[confine.resource.RLIMIT_NOFILE][1]} open files" in " ".join(PAGE.split())


def test_words_of_a_child_are_as_short_as_the_page_says() -> None:
    """The row on reports: the name of a type, the words of an exception, details."""
    run = launch._Run(launch.Job((), ()), LIMITS)
    long = "x" * 10_000
    raised = launch._raised(run, {"type": long, "text": long, "file": None, "line": None, "bases": []}, "call")
    assert (len(raised.type), len(raised.text)) == (TYPE, ROWS["reports"][3])
    assert len(errors.InvalidResult("reason", *[long] * 100).detail) == ROWS["reports"][4]


def test_links_within_the_documentation_lead_somewhere() -> None:
    """What the page links to, and what other pages link to on it."""
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | {"scoreboard"}
    links = set(re.findall(r"\]\(#([^)]+)\)", PAGE))
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        links |= set(re.findall(r"security\.md#([\w-]+)", page.read_text(encoding="utf-8")))
    assert links <= anchors
    for target in re.findall(r"\]\(([^#)]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target


def bullet(title: str) -> str:
    """The point of a list that begins with this title."""
    found = re.search(rf"^- \*\*{re.escape(title)}\*\*.*?(?=^- \*\*|^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[0]


def test_the_checks_that_give_their_points_away_are_named() -> None:
    """All but ``dtype``, where the reference decides."""
    named = set(re.findall(r"`(\w+)`", bullet("Code that a check does not apply to."))) & set(checks.kinds())
    assert named == SKIPS.keys() - {"dtype"}


def test_what_is_testimony_is_named() -> None:
    """The checks that ask the learner's own process what it did, apart from those that ask for gradients."""
    asking = ("counted_call", 'Apply("parameters"', "given[name] for name in arrays")
    found = {kind for kind, check in checks.kinds().items() if any(word in inspect.getsource(check) for word in asking)}
    assert found - {"gradients"} == set(re.findall(r"`(\w+)`", bullet("Testimony.")))


def test_what_to_replace_after_a_leak_exists() -> None:
    """The files are called as the code calls them."""
    after = PAGE.partition("## After a leak")[2].partition("\n## ")[0]
    assert {class_folder.SECRET, inbox.KEY} <= set(re.findall(r"`([^`]+)`", after))


def test_limits_are_all_on_the_page() -> None:
    """A limit that is added to the model is a sentence that is missing here."""
    assert {field.name for field in fields(Limits)} == {
        "group_cpu", "group_wall", "import_cpu", "import_wall", "total_cpu", "total_wall", "memory", "result_bytes",
        "total_bytes", "fresh_children",
    }  # fmt: skip
