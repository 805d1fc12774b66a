"""What was written stays, whatever happens to the process, the disk or the file."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from grader.core.errors import StateError
from grader.core.model import Status
from grader.learning import log
from grader.learning.log import Answered, Coded, Event, Hinted, Named, Reviewed, Skipped, Spoke

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
ANSWER = Answered(AT, "attention", "Q5.output", "b", 0.5, Status.FAILED, "output-is-scores", 1, False)
EVENTS: tuple[Event, ...] = (
    ANSWER,
    Skipped(AT, "attention", "Q5.shape"),
    Hinted(AT, "attention", "soft_lookup", 2),
    Coded(AT, "attention", "soft_lookup", Status.TIMED_OUT, None),
    Reviewed(AT, "attention", "Q5.output", "again"),
    Named(AT, "attention", "李雷"),
    Spoke(AT, "attention", "zh"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is not there yet, in a folder that is not there either."""
    return tmp_path / "new" / "progress.jsonl"


def written(path: Path, *lines: str) -> Path:
    """``path`` with these lines, the last one unfinished if it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), "utf-8")
    return path


def line(**changed: object) -> str:
    """A right line of the file with some of its keys changed."""
    entry = {"format": 1, "at": "2026-03-01T09:30:00Z", "course": "attention", "event": "skipped", "item": "Q5.a"}
    return json.dumps(entry | changed) + "\n"


# ---------------------------------------------------------------------------------- there and back


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: Event, path: Path) -> None:
    """Each kind of event is read as it was written."""
    log.append(path, event)
    assert log.read(path, "attention") == (event,)


@pytest.mark.parametrize(
    "value",
    [
        "a, c",
        "第一行\n第二行",
        ["c", "a"],
        {"given": {"q": "iid"}, "lines": ["1", "2"]},
        None,
        3,
        0.5,
        True,
        "\u2028\0\x1b[",
    ],
)
def test_any_answer_comes_back(value: object, path: Path) -> None:
    """An answer may be any plain data, of any characters."""
    log.append(path, replace(ANSWER, value=value))
    assert log.read(path, "attention") == (replace(ANSWER, value=value),)
    assert path.read_bytes().count(b"\n") == 1


def test_what_a_terminal_could_not_decode_is_kept(path: Path) -> None:
    """A stray byte of piped input does not cost the answer."""
    log.append(path, replace(ANSWER, value="b\udcff"))
    assert log.read(path, "attention") == (replace(ANSWER, value="b\udcff"),)


def test_events_of_several_courses_share_a_file(path: Path) -> None:
    """Each course sees its own, in order."""
    other = replace(ANSWER, course="other")
    log.append(path, ANSWER, other, replace(ANSWER, attempt=2))
    assert log.read(path, "attention") == (ANSWER, replace(ANSWER, attempt=2))
    assert log.read(path, "other") == (other,)


def test_the_file_is_the_learners_alone(path: Path) -> None:
    """Nobody else may read it; lines are JSON that people can read."""
    log.append(path, *EVENTS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "李雷" in path.read_text("utf-8")


def test_the_example_of_the_documentation_is_right(path: Path) -> None:
    """docs/state.md shows each kind of event as it is written, to the letter."""
    text = (Path(__file__).parents[2] / "docs" / "state.md").read_text("utf-8")
    example = text.split("```json\n")[1].split("```")[0]
    events = log.read(written(path, example), "attncheck")
    assert {type(event) for event in events} == {type(event) for event in EVENTS}
    path.unlink()
    log.append(path, *events)
    assert path.read_text("utf-8") == example


def test_no_file_no_events(path: Path) -> None:
    """Before the first event there is nothing, and reading makes nothing; nothing to write makes nothing either."""
    assert log.read(path, "attention") == ()
    log.append(path)
    assert not path.parent.exists()


def test_dev_null_keeps_nothing() -> None:
    """A way to leave no trace, and no fault."""
    log.append(Path(os.devnull), ANSWER)
    assert log.read(Path(os.devnull), "attention") == ()


def test_times_of_other_zones_and_byte_order_marks_are_read(path: Path) -> None:
    """What editors and people put there: another zone, no zone, \\r\\n, a mark at the beginning, empty lines."""
    lines = [line(at="2026-03-01T10:30:00+01:00"), "\r\n", line(at="2026-03-01T09:30:00")]
    written(path, "\ufeff", *(each.replace("}\n", "}\r\n") for each in lines))
    log.append(path, EVENTS[1])
    assert [event.at for event in log.read(path, "attention")] == [AT, AT, AT]


def test_a_mark_alone_is_an_empty_file(path: Path) -> None:
    """An editor that saved nothing may have left one; what comes next is kept behind it."""
    written(path, "\ufeff")
    log.append(path, ANSWER)
    assert log.read(path, "attention") == (ANSWER,)


def test_times_are_written_in_utc(path: Path) -> None:
    """Whatever zone an event's time is in."""
    log.append(path, replace(ANSWER, at=AT.astimezone(timezone(timedelta(hours=8)))))
    assert log.read(path, "attention")[0].at.tzinfo is UTC
    assert '"2026-03-01T09:30:00Z"' in path.read_text()


def test_now_is_utc() -> None:
    """The clock of events."""
    assert log.now().tzinfo is UTC


def test_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option, else the environment, else the data folder."""
    monkeypatch.setenv("ATTNCHECK_STATE", "from-environment")
    assert log.place(Path("chosen")) == Path("chosen")
    assert log.place(None) == Path("from-environment")
    monkeypatch.setenv("ATTNCHECK_STATE", "")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert log.place(None).name == "progress.jsonl" and "attncheck" in str(log.place(None).parent)


# ---------------------------------------------------------------------------------- crashes and crowds


@pytest.mark.parametrize("event", [ANSWER, EVENTS[5]], ids=["ascii", "chinese"])
def test_a_line_cut_short_anywhere_costs_that_line_only(event: Event, tmp_path: Path) -> None:
    """At every byte: what was there is read, the next append closes the torn line, nothing is overwritten."""
    path = tmp_path / "progress.jsonl"
    log.append(path, *EVENTS)
    before = path.read_bytes()
    log.append(path, event)
    whole = path.read_bytes()
    for end in range(len(before), len(whole)):
        path.write_bytes(whole[:end])
        kept = (*EVENTS, event) if end == len(whole) - 1 else EVENTS
        assert log.read(path, "attention") == kept, end
        log.append(path, ANSWER, ANSWER)
        assert log.read(path, "attention") == (*kept, ANSWER, ANSWER), end
        assert path.read_bytes().startswith(whole[:end])


def test_the_first_line_cut_short_anywhere(tmp_path: Path) -> None:
    """A file with nothing but the beginning of a line is gone on with, too."""
    path = tmp_path / "progress.jsonl"
    log.append(path, ANSWER)
    whole = path.read_bytes()
    for end in range(len(whole) - 1):
        path.write_bytes(whole[:end])
        assert log.read(path, "attention") == ()
        log.append(path, EVENTS[1])
        assert log.read(path, "attention") == (EVENTS[1],), end


def test_zeros_at_the_end_are_a_line_cut_short(path: Path) -> None:
    """Some file systems leave these behind after a power cut."""
    log.append(path, ANSWER)
    with path.open("ab") as file:
        file.write(b"\0" * 100)
    assert log.read(path, "attention") == (ANSWER,)
    log.append(path, ANSWER)
    assert log.read(path, "attention") == (ANSWER, ANSWER)


WRITER = """
import sys
from pathlib import Path
from grader.learning import log as state
for number in range(1, 201):
    state.append(Path(sys.argv[1]), state.Hinted(state.now(), "attention", sys.argv[2], number))
    print(number, flush=True)
"""


def writer(path: Path, name: str) -> subprocess.Popen[bytes]:
    """A process that appends 200 events, one at a time."""
    command = [sys.executable, "-c", WRITER, str(path), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])


def test_a_reader_reads_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It always returns what ``read`` returns, and parses each line once, unless the file is another one."""
    reader = log.Reader(path, "attention")
    assert reader.events() == ()
    parsed: list[int] = []
    parse = log._line

    def counted(where: Path, number: int, *rest: str) -> Event | None:
        parsed.append(number)
        return parse(where, number, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "_line", counted)
    written(path, "\ufeff" + line(), line(course="other"))
    assert len(reader.events()) == 1 and parsed == [1, 2]
    parsed.clear()
    log.append(path, *EVENTS)
    parsed.clear()
    assert reader.events() == reader.events() != ()
    assert parsed == [*range(3, 3 + len(EVENTS))]
    for add in (line()[:20], "\n", " ", line(), line(event="odd")):
        with path.open("a") as file:
            file.write(add)
        try:
            expected: object = log.read(path, "attention")
        except StateError as error:
            expected = str(error)
        try:
            found: object = reader.events()
        except StateError as error:
            found = str(error)
        assert found == expected, add
    path.unlink()
    assert reader.events() == ()
    written(path, line(), line())
    assert len(reader.events()) == 2
    written(path, line())
    assert len(reader.events()) == 1, "shorter than before, so not the same"
    path.unlink()
    path.mkdir()
    with pytest.raises(StateError):
        reader.events()


def test_two_processes_lose_nothing(path: Path) -> None:
    """400 lines from two at once: all there, each process's in its order."""
    processes = [writer(path, name) for name in ("one", "two")]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    events = log.read(path, "attention")
    for name in ("one", "two"):
        assert [e.rung for e in events if isinstance(e, Hinted) and e.exercise == name] == list(range(1, 201))


def test_a_killed_process_loses_at_most_what_it_had_not_said(path: Path) -> None:
    """What it reported as written is there, and the file goes on."""
    with writer(path, "one") as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(20)]
        process.kill()
    log.append(path, ANSWER)
    events = log.read(path, "attention")
    assert events[-1] == ANSWER and len(events) - 1 >= said[-1]


# ------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("{oops\n", "not a line of JSON"),
        ("\xff\n", "not a line of JSON"),
        ("[" * 5000 + "\n", "not a line of JSON"),
        ("[" * 200_000 + "]" * 200_000 + "\n", "not a line of JSON"),
        ("[1]\n", "expected an object"),
        (line(format="1"), 'found "1" as “format”; expected 1'),
        (line(format=True), "found true as “format”"),
        (line(event="slept"), 'found "slept" as “event”; expected one of answered, explained, skipped'),
        (line(event=[]), "as “event”"),
        (line(at="yesterday"), "expected a time such as"),
        (line(at="0001-01-01T00:00:00+10:00"), "expected a time such as"),
        (line(at=5), "expected a time such as"),
        (line(course=5), "found 5 as “course”; expected a text"),
        (line(item=None), "found null as “item”"),
        (line(event="hinted", exercise="f", rung=0), "found 0 as “rung”; expected a whole number from 1"),
        (line(event="hinted", exercise="f"), "found nothing as “rung”"),
        (line(event="hinted", exercise="f", rung=True), "found true as “rung”"),
        (line(event="reviewed", card="f", rating="so-so"), "expected one of again, hard, good, easy"),
        (line(event="spoke", lang="fr"), "expected one of en, zh"),
        (line(event="coded", exercise="f", status="fine"), "expected one of passed, failed"),
        (
            line(event="answered", value="b", fraction=1.5, status="passed", attempt=1, settled=True),
            "found 1.5 as “fraction”; expected a number from 0 to 1",
        ),
        (
            line(event="answered", value="b", fraction=1, status="passed", attempt=1, settled="yes"),
            "expected true or false",
        ),
        (line(item="x" * 100 + "\n", event="x" * 100), "…"),
        (line(format=2, event="dreamt"), "written in format 2, by a later version"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(broken: str, said: str, path: Path) -> None:
    """With file, line, what was expected and how to go on; the file stays as it is."""
    written(path, line(), broken, line())
    before = path.read_bytes()
    with pytest.raises(StateError) as caught:
        log.read(path, "attention")
    message = str(caught.value)
    assert f"{path}, line 2: " in message and said in message and "--state F" in message
    assert "Nothing was changed." in message
    assert path.read_bytes() == before


def test_lines_of_other_courses_need_not_be_whole(path: Path) -> None:
    """Only a later format stops everybody."""
    written(path, line(course="other", item=None), line())
    log.append(path, ANSWER)
    assert len(log.read(path, "attention")) == 2
    with pytest.raises(StateError, match="later version"):
        log.read(written(path, line(course="other", format=9)), "attention")


@pytest.mark.parametrize(
    "text", ['print("mine")\n', "mine", '{\n "cells": []\n}\n', '{"cells": []}', line(format=2), "[1]", "\n\nmine"]
)
def test_files_of_somebody_else_are_left_alone(text: str, path: Path) -> None:
    """Naming the wrong file is said, before anything is written into it."""
    written(path, text)
    for use in (lambda: log.read(path, "attention"), lambda: log.append(path, ANSWER)):
        with pytest.raises(StateError, match="line"):
            use()
        assert path.read_text("utf-8") == text


def test_folders_are_no_files(tmp_path: Path) -> None:
    """A folder, and a file where a folder should be, are said with the way out."""
    with pytest.raises(StateError, match=r"cannot be read: Is a directory. Use `--state F"):
        log.read(tmp_path, "attention")
    with pytest.raises(StateError, match=r"cannot be written: Is a directory. .*--state F"):
        log.append(tmp_path, ANSWER)
    written(tmp_path / "file", "")
    with pytest.raises(StateError, match="cannot be written"):
        log.append(tmp_path / "file" / "below", ANSWER)


def test_a_long_first_line_of_another_program(tmp_path: Path) -> None:
    """However long it is, the file is left alone."""
    for line in (b"\xff\xfe" + b"x\0" * 40_000, b"x" * 3_000_000, b"notes #torn", b" #torn"):
        path = tmp_path / "other.txt"
        path.write_bytes(line + b"\nmore\n")
        for use, given in ((log.append, ANSWER), (log.read, "test")):
            with pytest.raises(StateError, match="line 1: not"):
                use(path, given)  # type: ignore[operator]
        assert path.read_bytes() == line + b"\nmore\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said() -> None:
    """The caller can go on, because it is a StateError."""
    with pytest.raises(StateError, match="No space left on device"):
        log.append(Path("/dev/full"), ANSWER)


def test_half_a_write_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes only a part of the events keeps none, so that trying again writes none twice."""
    import resource
    import signal

    log.append(path, ANSWER)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
        with pytest.raises(StateError, match="Earlier entries are still there"):
            log.append(path, *EVENTS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before


def test_a_folder_without_locks_will_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network folders have none; one write is whole all the same."""
    import fcntl

    def refuse(handle: int, how: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    log.append(path, ANSWER)
    assert log.read(path, "attention") == (ANSWER,)


def test_nobody_without_a_home_gets_a_folder_of_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where HOME is missing and the system does not know the user, it is said how to keep something."""
    monkeypatch.chdir(tmp_path)
    for name in ("ATTNCHECK_STATE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(StateError, match=r"no home folder.*--state F"):
        log.place(None)
    assert list(tmp_path.iterdir()) == []
