"""``export gradescope-autograder``: the zip runs in a folder laid out like Gradescope's container."""

from __future__ import annotations

import importlib.metadata
import json
import os
import stat
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import SandboxUnavailable, UsageError
from grader.core.model import Text
from grader.core.text import same
from grader.grading import courses
from grader.instructor.export import ExportOptions, ExportTarget, _autograding, export
from grader.instructor.export._autograding import SubmissionFacts, read_facts
from grader.instructor.export.gradescope_autograder import requirements

ANSWERS = "format: 1\nlearner: somebody\nanswers:\n  Q5.output: b\n"


def make(folder: Path, to: Path, **options: object) -> list[str]:
    """The zip of a course; what was said."""
    said: list[Text] = []
    export("gradescope-autograder", courses.load(folder), ExportOptions(**options), ExportTarget(to, said.append))  # type: ignore[arg-type]
    return [text.en for text in said]


@pytest.fixture(scope="session")
def zipped(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An autograder for Q5, with a secret seed."""
    place = tmp_path_factory.mktemp("zip")
    (place / "seed").write_text("0123456789abcdef" * 4)
    make(tiny, place / "autograder.zip", questions=("Q5",), seed_file=place / "seed")
    return place / "autograder.zip"


@dataclass(frozen=True, slots=True)
class Container:
    """What stands for /autograder."""

    root: Path

    def run(self, *, python: str = sys.executable) -> dict[str, Any]:
        """Runs what Gradescope runs; the results."""
        settings = {"ATTNCHECK_AUTOGRADER_ROOT": str(self.root), "ATTNCHECK_AUTOGRADER_PYTHON": python}
        command = [str(self.root / "run_autograder")]
        subprocess.run(command, cwd=self.root, env=os.environ | settings, capture_output=True, timeout=120)
        return self.results

    @property
    def results(self) -> dict[str, Any]:
        """What was written."""
        found: dict[str, Any] = json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))
        return found


@pytest.fixture
def container(zipped: Path, tmp_path: Path) -> Container:
    """The zip unpacked, and a submission by Ada."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(root / "source")
    (root / "run_autograder").write_bytes((root / "source" / "run_autograder").read_bytes())
    (root / "run_autograder").chmod(0o755)
    (root / "submission").mkdir()
    (root / "submission" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    (root / "submission" / "q05.py").write_text("def double(x):\n    return 2 * x\n", encoding="utf-8")
    metadata = {
        "id": 12,
        "created_at": "2026-11-20T10:00:00-08:00",
        "users": [{"id": 1, "name": "Ada", "email": "a@x"}],
    }
    (root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return Container(root)


def test_it_runs(container: Container) -> None:
    """The whole way, in a process of its own: the grades of the submission, by the zip's own program and course."""
    found = container.run()
    assert (found["score"], len(found["tests"])) == (3, 3), found
    assert found["tests"][0] | {"output": ""} == {
        "number": "5.1", "name": "Q5.output", "status": "passed", "score": 1, "max_score": 1, "output": "",
        "tags": ["Q5", "choice"], "visibility": "visible",
    }  # fmt: skip
    assert found["extra_data"]["seed"].startswith("file:")
    assert found["extra_data"]["submission"] == "gradescope-12"
    assert found["execution_time"] >= 0


def test_without_python(container: Container) -> None:
    """There are results even if nothing of ours could run."""
    found = container.run(python="/nowhere/python")
    assert (found["score"], found["extra_data"]) == (0, {"fault": "stopped"})
    assert "not the fault of your submission" in found["output"]


def test_a_submission_that_cannot_be_read(container: Container) -> None:
    """Is told so, as the learner's own affair."""
    (container.root / "submission" / "answers.yaml").unlink()
    (container.root / "submission" / "q05.py").unlink()
    _autograding.main(container.root)
    assert container.results["score"] == 0
    assert container.results["output"].startswith("This submission could not be graded: ")
    assert "fault" not in container.results["extra_data"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_fault_of_ours(
    container: Container, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """Is told as such; instructors find the traceback on stdout."""
    settings = container.root / "source" / "attncheck.json"
    settings.write_text(settings.read_text(encoding="utf-8").replace('"en"', f'"{lang}"'), encoding="utf-8")

    def refuse(root: Path, settings: object) -> None:
        raise SandboxUnavailable(same("no Landlock here"))

    monkeypatch.setattr(_autograding, "graded", refuse)
    _autograding.main(container.root)
    expected = {"en": "cannot confine code", "zh": "无法隔离代码"}[lang]
    assert expected in container.results["output"]
    assert container.results["extra_data"]["fault"] == "SandboxUnavailable"
    assert "no Landlock here" in capsys.readouterr().out
    settings.write_text("{")
    _autograding.main(container.root)
    assert container.results["extra_data"]["fault"] == "JSONDecodeError"


def test_references_are_run_beforehand(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the container is built; with a secret seed, what they return is kept beside the zip's files."""
    prepared: list[object] = []
    monkeypatch.setattr(
        _autograding.GradingContext, "prepare", lambda context, questions: prepared.append(list(questions))
    )
    _autograding.prepare(container.root)
    assert prepared == [["Q5"]]
    assert (container.root / "attncheck-expected").stat().st_mode & 0o777 == 0o700


def test_what_is_in_the_zip(zipped: Path) -> None:
    """The scripts at its root, those that run executable; the course; the program without what was compiled."""
    with zipfile.ZipFile(zipped) as archive:
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        assert archive.testzip() is None
    assert {name for name in modes if "/" not in name} == {
        "attncheck.json", "requirements.txt", "run_autograder", "seed", "setup.sh",
    }  # fmt: skip
    assert {name for name, mode in modes.items() if mode & 0o111} == {"run_autograder", "setup.sh"}
    assert stat.S_IMODE(modes["seed"]) == 0o600
    assert all(stat.S_ISREG(mode) for mode in modes.values())
    assert {"course/questions/sources.yaml", "attncheck/grader/py.typed"} <= set(modes)
    assert not [name for name in modes if name.endswith(".pyc") or ".." in name]


def test_the_course_is_the_same(container: Container, tiny: Path) -> None:
    """To the digest, so that grades here and there are of the same bank."""
    assert courses.load(container.root / "source" / "course").digest == courses.load(tiny).digest


def test_equal_content_gives_equal_bytes(zipped: Path, tiny: Path, tmp_path: Path) -> None:
    """Made again, it is the same zip."""
    for name in ("1.zip", "2.zip"):
        make(tiny, tmp_path / name, seed_file=zipped.parent / "seed")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_the_scripts_are_shell(container: Container) -> None:
    """And say which shell."""
    for name in ("setup.sh", "run_autograder"):
        script = container.root / "source" / name
        assert script.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
        subprocess.run(["sh", "-n", str(script)], check=True)


def test_setup_makes_an_environment(container: Container, tmp_path: Path) -> None:
    """With the first Python that is new enough, and what requirements.txt lists; then the references are run."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    log = tmp_path / "log"
    body = f"""#!/bin/sh
case "$1" in -c) exit 0;; esac
echo "$@" >> {log}
if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi
"""
    for name in ("python3.12", "apt-get"):
        (bin_ / name).write_text(body)
        (bin_ / name).chmod(0o755)
    for name in ("python3.14", "python3.13"):
        (bin_ / name).write_text("#!/bin/sh\nexit 1\n")
        (bin_ / name).chmod(0o755)
    env = {"PATH": f"{bin_}:/usr/bin:/bin", "ATTNCHECK_AUTOGRADER_ROOT": str(container.root)}
    subprocess.run(["sh", str(container.root / "source" / "setup.sh")], env=env, check=True, capture_output=True)
    root = container.root
    assert log.read_text().splitlines() == [
        "update",
        "install -y --no-install-recommends libseccomp2",
        f"-m venv {root}/attncheck-env",
        f"-m pip install --disable-pip-version-check -r {root}/source/requirements.txt",
        f"-P -m grader.instructor.export._autograding {root} --prepare",
    ]


def test_what_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All that this program needs and nothing of its extras, from a checkout as from an installation; torch as here."""
    checkout = requirements()
    listed = [*checkout, 'pytest>=8.3; extra == "dev"', "torch>=2.4"]
    monkeypatch.setattr("grader.instructor.export.gradescope_autograder._PACKAGE", tmp_path / "grader")
    monkeypatch.setattr("importlib.metadata.requires", lambda name: [x for x in listed if not x.startswith("torch==")])
    installed = requirements()
    allowing = requirements(("yaml",))
    assert allowing == [*installed, f"pyyaml=={importlib.metadata.version('pyyaml')}"]
    for found in (checkout, installed):
        names = {line.split("=")[0].split(">")[0].split("[")[0].strip() for line in found}
        assert {"click", "numpy", "torch"} <= names
        assert not {"pytest", "mypy", "dask"} & names
        (torch,) = (line for line in found if line.startswith("torch"))
        assert torch.startswith("torch==")
        assert "+" not in torch


@pytest.mark.parametrize(
    ("metadata", "facts"),
    [
        ("", SubmissionFacts()),
        ("[" * 100_000, SubmissionFacts()),
        ("[]", SubmissionFacts(key="gradescope-?")),
        (
            '{"users": 3, "previous_submissions": {}, "created_at": "yesterday", "id": null}',
            SubmissionFacts(key="gradescope-?"),
        ),
        ('{"created_at": "2026-11-20T10:00:00"}', SubmissionFacts(key="gradescope-?")),
        (
            {
                "id": 7,
                "created_at": "2026-11-20T10:00:00.5-08:00",
                "users": [{"name": "A\x1b[2J"}],
                "previous_submissions": [{}],
            },
            SubmissionFacts(
                "A", datetime(2026, 11, 20, 10, 0, 0, 500000, timezone(timedelta(hours=-8))), 0.0, 2, "gradescope-7"
            ),
        ),
        (
            {
                "created_at": "2026-11-20T10:00:00Z",
                "assignment": {"due_date": "2026-11-20T00:00:00Z"},
                "users": [{"name": "Bo", "assignment": {"due_date": "2026-11-21T12:00:00Z"}}, {"name": "Cy"}],
            },
            SubmissionFacts("Bo", datetime(2026, 11, 20, 10, tzinfo=UTC), 36.0, 1, "gradescope-?"),
        ),
    ],
)
def test_what_gradescope_says(tmp_path: Path, metadata: object, facts: SubmissionFacts) -> None:
    """Name, time, extension and attempt; what is missing or strange stops nothing."""
    path = tmp_path / "submission_metadata.json"
    path.write_text(metadata if isinstance(metadata, str) else json.dumps(metadata), encoding="utf-8")
    assert read_facts(path, "en") == facts


def test_lateness_counts(container: Container) -> None:
    """As the course has it, from the time that Gradescope took it in, and the extension given there."""
    (container.root / "source" / "course" / "course.yaml").write_text(
        "due: 2026-11-19T00:00:00Z\nlate: {percent: 10}\n", encoding="utf-8"
    )
    _autograding.main(container.root)
    found = container.results
    assert found["extra_data"].get("factor") == 0.8, found


def test_warnings(tiny: Path, tmp_path: Path) -> None:
    """Who has the zip has the keys; without a secret seed, hidden cases are no secret."""
    said = "\n".join(make(tiny, tmp_path / "x.zip", questions=("Q5",)))
    assert "answer keys and references: upload it to Gradescope" in said
    assert "drawn from the public seed" in said


def test_what_does_not_go_together(tiny: Path, tmp_path: Path) -> None:
    """Unconfined code could read a seed; a seed file has to be one."""
    (tmp_path / "seed").write_text("short")
    with pytest.raises(UsageError, match="cannot be combined with --seed-file"):
        make(tiny, tmp_path / "x.zip", seed_file=tmp_path / "seed", unsafe_no_sandbox=True)
    with pytest.raises(UsageError, match="at least"):
        make(tiny, tmp_path / "x.zip", seed_file=tmp_path / "seed")
    assert not (tmp_path / "x.zip").exists()
