"""``attncheck doctor`` and ``attncheck bank schema``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import get_args, get_type_hints

import pytest
from rich.cells import cell_len

from grader.classroom import doctor
from grader.classroom.doctor import MachineFact, in_chinese
from grader.core.model import Text
from grader.core.tables import texts
from grader.grading import checks
from grader.sandbox.canaries import attacks

Attncheck = Callable[..., object]

OK = MachineFact("versions", "torch", "ok", Text("2.13.0", "2.13.0"))
WEAK = MachineFact(
    "sandbox", "namespaces", "weak", Text("not allowed " * 9, "不允许，" * 9), Text("sysctl a=1 " * 9, "设置 a=1 " * 9)
)
MISSING = MachineFact("sandbox", "seccomp", "missing", Text("", ""), Text("install libseccomp2", "安装 libseccomp2"))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[MachineFact]:
    """What the examination finds."""
    findings = [OK, WEAK, MISSING]
    monkeypatch.setattr(doctor, "examine", lambda folder, workers: tuple(findings))
    return findings


@pytest.mark.parametrize(
    ("lang", "fragments"),
    [
        (
            "en",
            [
                "Versions\n  ✓ torch: 2.13.0\nSandbox layers\n",
                "  ! namespaces (weak): not allowed",
                "      to fix: sysctl",
                "  ✗ seccomp (missing)\n      to fix: install libseccomp2\nSomething is missing (✗);",
            ],
        ),
        (
            "zh",
            [
                "版本\n",
                "! namespaces（较弱）：",
                "✗ seccomp（缺少）\n",
                "（较弱）：不允许",
                "解决办法：安装 libseccomp2",
                "有缺少的部分（✗）",
            ],
        ),
    ],
)
def test_for_people(lang: str, fragments: list[str], attncheck: Attncheck, found: list[MachineFact]) -> None:
    """Findings stand under their areas, on 80 columns, with the remedy where one is needed."""
    ran = attncheck("doctor", "--lang", lang)
    for fragment in fragments:
        assert fragment in ran.out
    assert max(map(cell_len, ran.out.splitlines())) <= 80


def test_for_programs(attncheck: Attncheck, found: list[MachineFact]) -> None:
    """The same as data."""
    assert json.loads(attncheck("doctor", "--json").out)[0] == {
        "area": "versions",
        "name": "torch",
        "state": "ok",
        "detail": "2.13.0",
        "remedy": None,
    }


@pytest.mark.parametrize(("missing", "code"), [(True, 1), (False, 0)])
def test_exit_codes(missing: bool, code: int, attncheck: Attncheck, found: list[MachineFact]) -> None:
    """Only what is missing makes the examination fail; what is weak does not."""
    if not missing:
        found.remove(MISSING)
    assert attncheck("doctor").code == code


def test_every_area_and_state_has_words() -> None:
    """Whatever an examination can find can be said."""
    hints = get_type_hints(doctor.MachineFact)
    named = {*get_args(hints["area"]), *get_args(hints["state"])}
    assert named <= texts(doctor.__file__, "words.yaml").keys()


def test_bank_schema(attncheck: Attncheck) -> None:
    """The schema is JSON on stdout, and says which draft it is written in."""
    ran = attncheck("bank", "schema")
    assert ran.code == 0
    assert json.loads(ran.out)["$schema"].startswith("https://json-schema.org/")


def test_names_are_in_both_languages() -> None:
    """Of every kind of check, and of every trial attack."""
    for name, check in checks.kinds().items():
        about = check.KIND.about
        assert about.en.replace("-", " ") == name.replace("_", " ") and about.zh != about.en
    assert all(in_chinese(name) not in ("", name) for name in attacks())
