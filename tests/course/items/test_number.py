from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from grader.core import marks
from grader.core.marks import plain
from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, Judgment, draw, number
from grader.course.items._values import KnownWrongAnswer
from grader.course.items.number import Spec, read

ADA = Context("spring", "ada", "Q3.size")
PLAIN = Spec(512, wrong=(KnownWrongAnswer(1024, "both-ways"), KnownWrongAnswer("2**8", "half")), unit="MiB")
DRAWN = Spec("sqrt(d)", {"d": (16, 49, 256)}, wrong=(KnownWrongAnswer("d", "no-root"),))
TIMES = Text("times", "倍")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (8, 8),
        (-0.5, -0.5),
        *((text, 8) for text in ("8", " 8. ", "+8", "√64", "√(16 * 4)", "2√16", "sqrt(64)")),
        *((text, 8) for text in ("= 8", "≈8", "×8", "约 8", "eight", "eight tokens back", "八", "`8`")),
        ("−8", -8),
        ("５１２", 512),
        ("１．５", 1.5),
        *((text, 1536) for text in ("1,536", "1,536.", "1,536.00")),
        ("1，048，576", 1048576),
        ("1 048 576", 1048576),
        ("1\u202f024", 1024),
        ("1_024", 1024),
        ("1.5e3", 1500),
        ("1.5E-3", 0.0015),
        ("3/4", 0.75),
        ("３／４", 0.75),
        ("½", 0.5),
        ("√ 2.25", 1.5),
        ("1/√64", 0.125),
        ("2^10", 1024),
        ("2**10", 1024),
        ("2¹⁰", 1024),
        ("10⁻³", 0.001),
        ("4 × 10^3", 4000),
        ("4·512²", 1048576),
        ("8÷2", 4),
        ("1.5万", 15000),
        ("3 亿", 300_000_000),
        ("66.5%", 0.665),
        ("log(8)/log(2)", 3),
        ("exp(0)", 1),
        ("1,5", 1.5),
        ("1,02", 1.02),
        ("0,988", 0.988),
        ("1.234,5", 1234.5),
        ("164'352'000", 164_352_000),
        ("164.352.000", 164_352_000),
        ("7½", 7.5),
        ("-7 1/2", -7.5),
        ("3⅓", 10 / 3),
        ("-3 (a penalty)", -3),
        ("7.5 (= 30/4)", 7.5),
        ("minus 3", -3),
        ("负3", -3),
        ("one hundred and twenty-eight", 128),
        ("seven point five", 7.5),
        ("164.352 million", 164_352_000),
        ("七点五", 7.5),
        ("百分之四", 0.04),
        ("一千零二十四", 1024),
        ("三亿两千万", 320_000_000),
        ("164352千", 164_352_000),
        ("一共 12 个", 12),
        ("log_0.9(0.5)", math.log(0.5) / math.log(0.9)),
        ("log_{0.9} 0.5", math.log(0.5) / math.log(0.9)),
        ("log_e(8000)", math.log(8000)),
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
        *yaml.safe_load(Path(__file__).with_name("no_numbers.yaml").read_text("utf-8")),
    ],
)
def test_what_is_no_number_is_not_read(value: object) -> None:
    """No guessing, no exception, no long computation."""
    assert read(value) is None


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        *((value, "MiB") for value in ("512 MiB", "512MiB", "512 mib", "512", 512, "512 ＭｉＢ")),
        *((value, "MiB") for value in ("512 mebibytes", "512 Mi", "512 兆字节", "512 MiB (2^29 bytes)")),
        ("512 倍", TIMES),
        ("512 times", TIMES),
        ("512%", "%"),
        ("512", None),
        ("512 兆字节", "MB"),
        ("4096 bits", "bytes"),
    ],
)
def test_the_unit_may_be_written(value: object, unit: Text | str | None) -> None:
    """In either language; a percentage is one only where that is not the unit."""
    assert read(value, unit) == 512


@pytest.mark.parametrize("value", [512, "512 MiB", 507, 517.1, "2^9"])
def test_near_enough_passes(value: object) -> None:
    """One per cent, unless the item says otherwise."""
    assert number.judge(PLAIN, value, ADA) == Judgment(Status.PASSED, 1.0)


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
    judged = [number.judge(spec, value, ADA) for value in fails]
    assert all((each.status, each.fraction, each.misconception) == (Status.FAILED, 0.0, None) for each in judged)


@pytest.mark.parametrize(("value", "misconception"), [(1024, "both-ways"), ("256 MiB", "half"), (7, None)])
def test_a_wrong_number_names_its_misconception(value: object, misconception: str | None) -> None:
    """What is true instead is told by the misconception."""
    assert number.judge(PLAIN, value, ADA) == Judgment(Status.FAILED, 0.0, None, misconception)


def test_everybody_has_numbers_of_their_own() -> None:
    """The right answer follows the learner's draw; the wrong ones do, too."""
    for name in ("ada", "bo", "chen", "dia"):
        context = replace(ADA, learner=name)
        d = draw(DRAWN, context)["d"]
        assert number.judge(DRAWN, math.sqrt(d), context).status is Status.PASSED
        assert number.judge(DRAWN, d, context).misconception == "no-root"


def test_a_wrong_answer_says_which_numbers_are_the_learners() -> None:
    """What would be right for others says nothing about how somebody came to it."""
    assert draw(DRAWN, ADA) == {"d": 49}
    for value in (8, "√256"):
        message = number.judge(DRAWN, value, ADA).message
        assert message is not None
    mine = marks.formula("d = 49")
    right = Text(f"Not right for your numbers: {mine}.", f"对你的数据来说不对：{mine}。")
    assert number.judge(DRAWN, 8, ADA).message == right


@pytest.mark.parametrize(
    ("spec", "value", "start"),
    [
        (Spec(512), 1024, "That differs from the answer by a factor of 2"),
        (Spec(512), 256, "That differs from the answer by a factor of 2"),
        (Spec(512), -512, "The size is right; check the sign"),
        (Spec("log(1000)", tolerance=0.005), "9.966", "That would be right with another base"),
        (Spec(1000), "9.966", None),
        (Spec(16, unit="MiB"), "16 KiB", "The number is right, but its unit is not"),
        (Spec("1/65"), "1.5%", "Close, but not exact enough"),
        (Spec(16777216, tolerance=0), "16800000", "Close, but the exact number"),
        (Spec(16777216, tolerance=0), "17000000", "Close, but the exact number"),
        (Spec(16777216, tolerance=0), "16777217", None),
        (Spec(1536), 2000, None),
        (Spec(0.982, decimals=2), 1, None),
    ],
)
def test_a_slip_is_named_as_what_it_is(spec: Spec, value: object, start: str | None) -> None:
    """A factor, a sign, a base, a unit, too few digits; and nothing where it is none of them."""
    message = number.judge(spec, value, ADA).message
    assert message is None if start is None else message is not None and plain(message.en).startswith(start)


def test_a_misconception_needs_more_evidence_than_a_slip_gives() -> None:
    """Where a wrong answer equals a slip for some draws alone, it is the slip that is named for these."""
    spec = Spec("n", {"n": (16, 30)}, wrong=(KnownWrongAnswer(8, "eight"), KnownWrongAnswer("2 * n", "double")))
    by_draw = {draw(spec, who)["n"]: who for who in (replace(ADA, learner=name) for name in "abcdefgh")}
    assert number.judge(spec, 8, by_draw[30]).misconception == "eight"
    assert number.judge(spec, 8, by_draw[16]).misconception is None
    assert {number.judge(spec, 2 * n, who).misconception for n, who in by_draw.items()} == {"double"}


@pytest.mark.parametrize(("answer", "passes"), [(1875, True), (1.875, True), (18.75, False)])
def test_a_comma_that_could_be_either_is_taken_as_meant(answer: float, passes: bool) -> None:
    """Thousands or decimals: whichever is right; the reading is shown, and a quiz asks."""
    spec = Spec(answer, tolerance=0.001)
    assert (number.judge(spec, "1,875", ADA).status is Status.PASSED) is passes
    assert number.reading(spec, "1,875") == (("1,875", "1875"),)
    assert number.reading(spec, "0,5") == (("0,5", "0.5"),)
    assert number.reading(spec, "√16") == (("4", "4"),)
    assert number.reading(Spec(1, unit="MiB"), "eight") == (("eight", "8 MiB"),)
    assert number.reading(Spec(1, unit="MiB"), "8.0 MiB") == number.reading(spec, "-3.5e2") == ()
    assert number.reading(spec, "?") == number.reading(spec, 3) == ()
    assert [line.shown for line in number.read_lines(spec, "1,875")] == ["1875"]


@pytest.mark.parametrize(("value", "passes"), [("0.55", True), ("0.545", True), ("6/11", True), ("0.54", False)])
def test_decimal_places(value: str, passes: bool) -> None:
    """Whatever rounds to the same second place is right, and so is a number with more places."""
    spec = Spec("6/11", decimals=2)
    assert (number.judge(spec, value, ADA).status is Status.PASSED) is passes
    assert number.prompt(spec, ADA).facts[0].en == "Round it to 2 decimal places."
    assert number.prompt(replace(spec, decimals=1), ADA).facts[0].en == "Round it to one decimal place."
    assert plain(number.key(spec, ADA).en) == "0.55" and number.without_key(spec).decimals == 2


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (Spec(1, decimals=0), "decimals"),
        (Spec(1, decimals=2, digits=2), "decimals"),
        (Spec("1/n", {"n": (3, 8)}, tolerance=0), "tolerance"),
        (Spec("1/n", {"n": (7, 8)}, tolerance=0.0001), "tolerance"),
    ],
)
def test_roundings_that_learners_could_not_know(spec: Spec, path: str) -> None:
    """Who refuses three significant digits has to say how many they want."""
    assert path in [show_path(problem.path) for problem in number.validate(spec)]


@pytest.mark.parametrize(
    ("value", "en"),
    [
        ("many", "“many” cannot be read as a number"),
        (math.nan, "“nan” cannot be read"),
        (True, "“true” cannot be read"),
        pytest.param(10**30000, "“…” cannot be read", id="huge"),
        ([8] * 10_000, "“…” cannot be read"),
        ("x" * 5000, f"“{'x' * 39}…” cannot be read"),
        ("\x1b[31m", "“[31m” cannot be read"),
        ("{0}", "“{0}” cannot be read"),
    ],
)
def test_what_is_no_number_is_told_what_one_looks_like(value: object, en: str) -> None:
    """With examples, and with the unit where there is one."""
    found = number.judge(PLAIN, value, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, 0.0, None)
    assert found.message is not None
    assert en in plain(found.message.en)
    assert "`1.5e3`, `3/4`, `√64` or `2^10` (in MiB; the unit is optional)." in plain(found.message.en)
    assert "`√64` 或 `2^10`（单位：MiB，可以不写）。" in plain(found.message.zh)
    bare = number.judge(DRAWN, value, ADA).message
    assert bare is not None and plain(bare.en).endswith("or `2^10`.")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (PLAIN, []),
        (DRAWN, []),
        (Spec("sqrt(d"), ["answer: found 'sqrt(d'; expected a number, or arithmetic such as"]),
        (Spec("sin(1)"), ["answer: found 'sin(1)'; expected a number, or arithmetic such as"]),
        (Spec("m", {"d": (1,)}), ["answer: found 'm'; expected a symbol that the item draws: d"]),
        (Spec("d_K", {"d_k": (1,)}), ["answer: found 'd_K'; expected a symbol that the item draws: d_k; did you mean"]),
        (
            Spec("1 / (d - 4)", {"d": (2, 4)}),
            ["answer: found '1 / (d - 4)'; expected arithmetic that always has a value"],
        ),
        (Spec(math.inf), ["answer: found Infinity; expected arithmetic that always has a value, but inf is too large"]),
        (Spec(1, tolerance=1), ["tolerance: found 1; expected a number from 0 up to"]),
        (Spec(1, tolerance=-0.1), ["tolerance: found -0.1"]),
        (Spec(1, {"d": ()}), ["draw.d: found []; expected one number or more"]),
        (Spec(1, {"sqrt": (1,)}), ["draw.sqrt: found 'sqrt'; expected a name such as d_k"]),
        (Spec(1, {"d k": (1,)}), ["draw.d k: found 'd k'; expected a name"]),
        (Spec(1, {"a": tuple(range(40)), "b": tuple(range(40))}), ["draw: expected at most 1000 combinations"]),
        (
            Spec(4, wrong=(KnownWrongAnswer("n", "m"),)),
            ["wrong[0].answer: found 'n'; expected a symbol that the item draws"],
        ),
        (
            Spec(4, wrong=(KnownWrongAnswer(2, "m"), KnownWrongAnswer("2*2", "n"))),
            ["wrong[1].answer: found '2*2'; expected an answer that is"],
        ),
        (
            Spec("sqrt(d)", {"d": (4, 25)}, wrong=(KnownWrongAnswer("d / 2", "m"),)),
            ["wrong[0].answer: found 'd / 2'; expected an answer that is never right, but it is with d = 4"],
        ),
        (Spec("8 / 3", digits=3, wrong=(KnownWrongAnswer("3 / 8", "upside-down"),)), []),
        (Spec(1, digits=0), ["digits: found 0; expected a whole number from 1 to 9"]),
        (Spec(1, digits=10), ["digits: found 10"]),
        (Spec("d - 4", {"d": (2, 4)}, digits=2), ["digits: expected none, since the answer can be 0"]),
        (
            Spec(2.71, digits=3, wrong=(KnownWrongAnswer(2.714, "m"),)),
            ["wrong[0].answer: found 2.714; expected an answer that is"],
        ),
        (Spec(2.71, digits=3, wrong=(KnownWrongAnswer(2.72, "m"),)), []),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """Every answer has a value whatever is drawn, and digits to count; no wrong one is ever right."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in number.validate(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)


# ------------------------------------------------------------------------------------------------- digits

THREE = Spec("8 / 3", digits=3, wrong=(KnownWrongAnswer("3 / 8", "upside-down"),))
PERCENT = Spec(0.6652, digits=3)
ROUND = Spec(2.7, digits=3)
LARGE = Spec(1234567, digits=2)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (THREE, "2.67"),
        (THREE, 2.67),
        (replace(THREE, answer=2.665), "2.66"),
        (replace(THREE, answer=2.665), "2.67"),
        (THREE, " ＋２．６７"),
        (THREE, "≈ 2.67"),
        (THREE, "2.67e0"),
        (THREE, "0.267e1"),
        (THREE, "26.7e-1"),
        (THREE, "2.67×10^0"),
        (PERCENT, "66.5%"),
        (PERCENT, "0.665"),
        (ROUND, "2.70"),
        (ROUND, 2.7),
        (ROUND, "2.70e0"),
        (LARGE, "1.2e6"),
        (LARGE, "1200000"),
        (LARGE, "1,200,000"),
        (LARGE, 1200000),
        (LARGE, 1200000.0),
        (LARGE, "120万"),
        (LARGE, "1.2×10⁶"),
    ],
)
def test_a_rounded_number_passes(spec: Spec, value: object) -> None:
    """Rounded up or down at the last digit; zeros at the end of a whole number may count or not."""
    assert number.judge(spec, value, ADA) == Judgment(Status.PASSED, 1.0)


@pytest.mark.parametrize(
    ("spec", "value", "fraction", "en"),
    [
        (THREE, "2.667", 0.5, "The value is right, but the question asks for 3 significant digits; this has 4."),
        (THREE, "2.66666666", 0.5, "; this has 9. Round it."),
        (THREE, 8 / 3, 0.5, "; this has"),
        (THREE, "8/3", 0.5, "as a decimal number with 3 significant digits"),
        (THREE, "√(64/9)", 0.5, "as a decimal number"),
        (THREE, "2.7", 0, "Right as far as it goes, but the question asks for 3 significant digits; this has 2."),
        (THREE, 3, 0, "; this has 1."),
        (THREE, "3.", 0, "; this has 1."),
        (PERCENT, "67%", 0, "; this has 2."),
        (PERCENT, "66.52%", 0.5, "; this has 4."),
        (ROUND, "2.7", 0.5, "Right as far as it goes, but the question asks for 3 significant digits; this has 2."),
        (ROUND, "2.700", 0.5, "; this has 4."),
        (LARGE, "1234567", 0.5, "; this has 7."),
        (LARGE, "1300000", 0, None),
        (LARGE, "1e6", 0, "; this has 1."),
        (THREE, "2.65", 0, None),
        (THREE, "2.6", 0, None),
        (THREE, "267", 0, None),
    ],
)
def test_digits_are_counted(spec: Spec, value: object, fraction: float, en: str | None) -> None:
    """A right value with too many or too few of them is told so, and earns half."""
    found = number.judge(spec, value, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.FAILED, fraction, None)
    assert found.readable
    assert (found.message is None) is (en is None)
    message = found.message
    assert en is None or (message is not None and en in message.en and "位有效数字" in message.zh)


@pytest.mark.parametrize("value", [10**100, -(10**20), 0, "0", "0.00", -0.0, "9" * 80])
def test_any_number_has_digits_to_count(value: object) -> None:
    """Long ones and zeros are wrong, and no exception."""
    assert number.judge(THREE, value, ADA) == Judgment(Status.FAILED, 0.0)


def test_a_wrong_number_of_three_digits_names_its_misconception() -> None:
    """The half of its last digit is the tolerance for wrong answers, too."""
    assert number.judge(THREE, "0.375", ADA).misconception == "upside-down"
    assert number.judge(THREE, "0.38", ADA).misconception is None


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (THREE, "2.67"),
        (PERCENT, "0.665"),
        (ROUND, "2.70"),
        (Spec(1.5, digits=1, unit="GiB"), "2 GiB"),
        (Spec("sqrt(d)", {"d": (2,)}, digits=4), "1.414"),
        (Spec(0.000123456, digits=2), "0.00012"),
    ],
)
def test_the_key_is_rounded(spec: Spec, expected: str) -> None:
    """As it is asked for."""
    assert plain(number.key(spec, ADA).en) == expected
    assert number.judge(spec, expected, ADA).status is Status.PASSED
    assert f"{spec.digits} significant" in number.prompt(spec, ADA).facts[0].en


# -------------------------------------------------------------------------------------------------- units

BYTES = Text("bytes", "字节")
FLOPS = Text("FLOPs", "次浮点运算")
MILLIONS = Text("parameters", "个参数")


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("512 MiB", "GiB", 0.5),
        ("0.5GiB", "MiB", 512),
        ("0.5 gib", "MiB", 512),
        ("1 GB", "GiB", 1e9 / 2**30),
        ("1 TiB", "GiB", 1024),
        ("3", "GiB", 3),
        ("2 KB", BYTES, 2000),
        ("2 KiB", BYTES, 2048),
        ("2^10 B", BYTES, 1024),
        ("3 byte", BYTES, 3),
        ("1.5万字节", BYTES, 15000),
        ("1.5 megabytes", BYTES, 1.5e6),
        ("1024 字节", "KiB", 1),
        ("4 GFLOPs", FLOPS, 4e9),
        ("4 TFLOP", "GFLOPs", 4000),
        ("3 次浮点运算", FLOPS, 3),
        ("1.5 ms", "s", 0.0015),
        ("２０ µｓ", "ms", 0.02),
        ("2 分钟", "秒", 120),
        ("124M", MILLIONS, 124e6),
        ("7 B parameters", MILLIONS, 7e9),
        ("1.24亿个参数", MILLIONS, 1.24e8),
        ("50k params", MILLIONS, 50_000),
    ],
)
def test_units_are_converted(value: str, unit: Text | str, expected: float) -> None:
    """Where the unit of the item has multiples: 1000 by 1000 without i, 1024 by 1024 with it."""
    assert read(value, unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("3 MiB", None),
        ("3 MiB", "tokens"),
        ("3 s", "MiB"),
        ("3 xMiB", "MiB"),
        ("3 MFLOPs", "bytes"),
        ("124M", "tokens"),
        ("MiB", "GiB"),
        ("1e308 TiB", "B"),
    ],
)
def test_other_units_are_not_read(value: str, unit: str | None) -> None:
    """Nor is a unit without a number, or more than a number can hold."""
    assert read(value, unit) is None


def test_a_unit_that_does_not_fit_is_said() -> None:
    """GB for GiB is a small mistake and a frequent one."""
    spec = Spec(4, unit="GiB")
    assert number.judge(spec, "4096 MiB", ADA).status is Status.PASSED
    found = number.judge(spec, "4 GB", ADA)
    assert (found.status, found.fraction, found.message is not None) == (Status.FAILED, 0.0, True)
    assert plain(found.message.en) == "The number is right, but its unit is not: 4 GB is 3.725 GiB."
    assert plain(found.message.zh) == "数字是对的，单位却不对：4 GB 等于 3.725 GiB。"
    assert number.judge(spec, "5 GB", ADA).message is None


def test_units_that_are_converted_are_named() -> None:
    """Beforehand, with examples; a unit of its own is only named."""
    (fact,) = number.prompt(Spec(4, unit="GiB"), ADA).facts
    assert fact == Text(
        "Unit: GiB unless you write another, such as KiB or MiB; it is converted.",
        "单位：不写时为 GiB；写 KiB、MiB 等其他单位会自动换算。",
    )
    (fact,) = number.prompt(Spec(4, unit=TIMES), ADA).facts
    assert fact == Text("Unit: times (optional).", "单位：倍（可以不写）。")


@pytest.mark.parametrize(
    "spec",
    [Spec("d / 7", {"d": (4, 50)}, tolerance=0.01), Spec("d / 7", {"d": (4, 50)}, decimals=2), Spec(0, decimals=1)],
)
def test_other_systems_allow_the_same_error(spec: Spec) -> None:
    """What is just within the range of a quiz item is right here, and what is just outside is wrong."""
    right = number.quiz_item(spec, ADA).numbers[0]
    assert right.margin > 0
    for share, status in ((0.99, Status.PASSED), (1.01, Status.FAILED)):
        for sign in (-1, 1):
            assert number.judge(spec, right.value + sign * share * right.margin, ADA).status is status
