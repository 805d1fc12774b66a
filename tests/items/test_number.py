from __future__ import annotations

import math
from dataclasses import replace

import pytest

from grader.faults import show_path
from grader.items import Context, Judged, draw, number
from grader.items.number import Spec, Wrong, read
from grader.model import Status, Text

ADA = Context("spring", "ada", "Q3.size")
PLAIN = Spec(512, wrong=(Wrong(1024, "both-ways"), Wrong("2**8", "half")), unit="MiB")
DRAWN = Spec("sqrt(d)", {"d": (16, 64, 256)}, wrong=(Wrong("d", "no-root"),))
TIMES = Text("times", "倍")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (8, 8),
        (-0.5, -0.5),
        ("8", 8),
        (" 8. ", 8),
        ("+8", 8),
        ("−8", -8),
        ("５１２", 512),
        ("１．５", 1.5),
        ("1,536", 1536),
        ("1，048，576", 1048576),
        ("1 048 576", 1048576),
        ("1\u202f024", 1024),
        ("1_024", 1024),
        ("1.5e3", 1500),
        ("1.5E-3", 0.0015),
        ("3/4", 0.75),
        ("３／４", 0.75),
        ("½", 0.5),
        ("√64", 8),
        ("√ 2.25", 1.5),
        ("√(16 * 4)", 8),
        ("2√16", 8),
        ("sqrt(64)", 8),
        ("1/√64", 0.125),
        ("2^10", 1024),
        ("2**10", 1024),
        ("2¹⁰", 1024),
        ("10⁻³", 0.001),
        ("4 × 10^3", 4000),
        ("4·512²", 1048576),
        ("8÷2", 4),
        ("= 8", 8),
        ("≈8", 8),
        ("约 8", 8),
        ("1.5万", 15000),
        ("3 亿", 300_000_000),
        ("66.5%", 0.665),
        ("log(8)/log(2)", 3),
        ("exp(0)", 1),
    ],
)
def test_numbers_are_read_as_people_write_them(value: object, expected: float) -> None:
    """Full width, separators of thousands, powers, roots, fractions, percentages."""
    assert read(value) == pytest.approx(expected)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        [8],
        {"a": 8},
        math.nan,
        math.inf,
        10**400,
        "",
        " ",
        "nan",
        "inf",
        "∞",
        "eight",
        "八",
        "8 MiB",
        "1,5",
        "1,02",
        "1,024,5",
        "3 4",
        "1½",
        "2^^3",
        "√",
        "√-4",
        "1/0",
        "1e999",
        "9^9^9^9",
        "d_k",
        "(" * 79,
        "1" * 81,
        "__import__('os')",
        "0 if 1 else 2",
        "1or 2",
        "\x00",
    ],
)
def test_what_is_no_number_is_not_read(value: object) -> None:
    """No guessing, no exception, no long computation."""
    assert read(value) is None


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("512 MiB", "MiB"),
        ("512MiB", "MiB"),
        ("512 mib", "MiB"),
        ("512", "MiB"),
        (512, "MiB"),
        ("512 ＭｉＢ", "MiB"),
        ("512 倍", TIMES),
        ("512 times", TIMES),
        ("512%", "%"),
        ("512", None),
    ],
)
def test_the_unit_may_be_written(value: object, unit: Text | str | None) -> None:
    """In either language; a percentage is one only where that is not the unit."""
    assert read(value, unit) == 512


@pytest.mark.parametrize("value", [512, "512 MiB", 507, 517.1, "2^9"])
def test_near_enough_passes(value: object) -> None:
    """One per cent, unless the item says otherwise."""
    assert number.judge(PLAIN, value, ADA) == Judged(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("answer", "tolerance", "passes", "fails"),
    [
        (512, 0.01, (506.88, 517.12), (506.8, 517.2)),
        (-512, 0.01, (-506.88, -517.12), (-506.8, 512)),
        (0, 0.01, (0.01, -0.01), (0.011, -0.011)),
        (1 / 3, 0, ("1/3", 1 / 3), (0.3333, 0.3334)),
        (0, 0, (0,), (0.001,)),
        ("2**60", 0, (2**60,), (2**60 + 2**40,)),
    ],
)
def test_tolerance_is_relative_but_not_at_zero(
    answer: float | str, tolerance: float, passes: tuple[object, ...], fails: tuple[object, ...]
) -> None:
    """A tolerance of 0 asks for the number itself, up to what floats lose."""
    spec = Spec(answer, tolerance=tolerance)
    assert all(number.judge(spec, value, ADA).status is Status.PASSED for value in passes)
    assert all(number.judge(spec, value, ADA) == Judged(Status.FAILED, 0.0) for value in fails)


@pytest.mark.parametrize(("value", "misconception"), [(1024, "both-ways"), ("256 MiB", "half"), (7, None)])
def test_a_wrong_number_names_its_misconception(value: object, misconception: str | None) -> None:
    """What is true instead is told by the misconception."""
    assert number.judge(PLAIN, value, ADA) == Judged(Status.FAILED, 0.0, None, misconception)


def test_everybody_has_numbers_of_their_own() -> None:
    """The right answer follows the learner's draw; the wrong ones do, too."""
    for name in ("ada", "bo", "chen", "dia"):
        context = replace(ADA, learner=name)
        d = draw(DRAWN, context)["d"]
        assert number.judge(DRAWN, math.sqrt(d), context).status is Status.PASSED
        assert number.judge(DRAWN, d, context).misconception == "no-root"


def test_a_wrong_answer_says_for_which_numbers_it_was() -> None:
    """Who reads another's numbers, or mistypes the name, is told so."""
    assert draw(DRAWN, ADA) == {"d": 64}
    assert number.judge(DRAWN, 7, ADA).message == Text(
        "Not right for your numbers: d = 64.", "对你的数来说不对：d = 64。"
    )
    found = number.judge(DRAWN, "√16", replace(ADA, learner="ADA\x1b")).message
    assert found is not None
    assert "right for d = 16, but you have d = 64" in found.en
    assert "“ADA”" in found.en
    assert "如果是 d = 16，这个答案是对的；但你的数是 d = 64。" in found.zh


@pytest.mark.parametrize(
    ("value", "en"),
    [
        ("eight", "“eight” is not a number"),
        (math.nan, "“nan” is not"),
        (True, "“true” is not"),
        pytest.param(10**30000, "“…” is not", id="huge"),
        ([8] * 10_000, "“…” is not"),
        ("x" * 5000, f"“{'x' * 39}…” is not"),
        ("\x1b[31m", "“[31m” is not"),
        ("{0}", "“{0}” is not"),
    ],
)
def test_what_is_no_number_is_told_what_one_looks_like(value: object, en: str) -> None:
    """With examples, and with the unit where there is one."""
    found = number.judge(PLAIN, value, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, 0.0, None)
    assert found.message is not None
    assert en in found.message.en
    assert "1.5e3, 3/4, √64 or 2^10 (in MiB; the unit may be left out)." in found.message.en
    assert "√64 或 2^10（单位：MiB，可以不写）。" in found.message.zh
    bare = number.judge(DRAWN, value, ADA).message
    assert bare is not None and bare.en.endswith("or 2^10.")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (PLAIN, []),
        (DRAWN, []),
        (Spec("sqrt(d"), ["answer: saw 'sqrt(d'; expected a number, or arithmetic such as"]),
        (Spec("sin(1)"), ["answer: saw 'sin(1)'; expected a number, or arithmetic such as"]),
        (Spec("m", {"d": (1,)}), ["answer: saw 'm'; expected a symbol that the item draws: d"]),
        (Spec("d_K", {"d_k": (1,)}), ["answer: saw 'd_K'; expected a symbol that the item draws: d_k; did you mean"]),
        (
            Spec("1 / (d - 4)", {"d": (2, 4)}),
            ["answer: saw '1 / (d - 4)'; expected arithmetic that always has a value"],
        ),
        (Spec(math.inf), ["answer: saw Infinity; expected arithmetic that always has a value, but inf is too large"]),
        (Spec(1, tolerance=1), ["tolerance: saw 1; expected a number from 0 up to"]),
        (Spec(1, tolerance=-0.1), ["tolerance: saw -0.1"]),
        (Spec(1, {"d": ()}), ["draw.d: saw []; expected one number or more"]),
        (Spec(1, {"sqrt": (1,)}), ["draw.sqrt: saw 'sqrt'; expected a name such as d_k"]),
        (Spec(1, {"d k": (1,)}), ["draw.d k: saw 'd k'; expected a name"]),
        (Spec(1, {"a": tuple(range(40)), "b": tuple(range(40))}), ["draw: expected at most 1000 combinations"]),
        (Spec(4, wrong=(Wrong("n", "m"),)), ["wrong[0].answer: saw 'n'; expected a symbol that the item draws"]),
        (Spec(4, wrong=(Wrong(2, "m"), Wrong("2*2", "n"))), ["wrong[1].answer: saw '2*2'; expected an answer that is"]),
        (
            Spec("sqrt(d)", {"d": (4, 16)}, wrong=(Wrong("d / 2", "m"),)),
            ["wrong[0].answer: saw 'd / 2'; expected an answer that is never right, but it is with d = 4"],
        ),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """Every answer has a value whatever is drawn, and no wrong one is ever right."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in number.faults(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)
