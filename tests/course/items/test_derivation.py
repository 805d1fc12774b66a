from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from grader.core.marks import plain
from grader.core.model import Status, Text
from grader.core.text import show_path
from grader.course.items import Context, derivation
from grader.course.items._properties import Operators, Property
from grader.course.items._stages import Route, Stage
from grader.course.items.derivation import DerivationLine, Spec, WrongLine

ADA = Context("spring", "ada", "Q3.chain")
MISSING_SUM = Text("Why may the variances be added?", "为什么方差可以相加？")
MISSING_PRODUCT = Text("What is the variance of one product?", "单个乘积的方差是多少？")

MOMENTS = ("Var", "E", "Cov")
EACH = Stage(
    Property(
        some=Operators(MOMENTS, inside=Property(mentions=("q", "k"))),
        every=Operators(MOMENTS, inside=Property(free_of=("Σ", "dot"))),
    ),
    MISSING_SUM,
)
APART = Stage(
    Property(
        some=Operators(MOMENTS, inside=Property(mentions=("q",))),
        every=Operators(MOMENTS, inside=Property(free_of=("Σ", "dot"), only_one_of=("q", "k"))),
    ),
    MISSING_PRODUCT,
)
ROUTE = Route((EACH, APART), Property(free_of=(*MOMENTS, "Σ")))

SCORE = Spec(
    symbols={"d_k": "positive integer"},
    given={"q": "iid(mean=0, var=1, size=d_k)", "k": "iid(mean=0, var=1, size=d_k)"},
    from_="Var(q·k)",
    to="d_k",
    chain=(
        DerivationLine("Var(q·k)"),
        DerivationLine("Var(Σ_i q_i k_i)", Text("a dot product is a sum", "点积是一个和")),
        DerivationLine("Σ_i Var(q_i k_i)", Text("independent terms", "各项独立")),
        DerivationLine("Σ_i E[q_i²] E[k_i²]", Text("mean 0, independent factors", "均值为 0，因子独立")),
        DerivationLine("d_k", Text("d_k ones", "d_k 个 1")),
    ),
    routes=(ROUTE,),
    wrong=(
        WrongLine("Σ_i (Var(q_i) + Var(k_i))", "variances-add"),
        WrongLine("d_k²", "terms-move-together"),
        WrongLine("Σ_i E[q_i⁴]", "squares-are-not-fourth-powers"),
    ),
)
NAMED = replace(
    SCORE,
    symbols={"d_k": "positive integer", "v_q": "positive real", "v_k": "positive real"},
    given={"q": "iid(mean=0, var=v_q, size=d_k)", "k": "iid(mean=0, var=v_k, size=d_k)"},
    to="d_k v_q v_k",
    chain=(DerivationLine("Σ_i Var(q_i k_i)"), DerivationLine("Σ_i Var(q_i) Var(k_i)"), DerivationLine("d_k v_q v_k")),
    wrong=(),
)
STATED = replace(SCORE, state_givens=True)
TURNED = Spec(
    symbols={"m": "integer", "n": "integer", "θ": "real", "R": "rotation(θ)", "q": "vector(2)", "k": "vector(2)"},
    from_="⟨R_m q, R_n k⟩",
    to="⟨q, R_{n−m} k⟩",
    routes=(
        Route(
            (
                Stage(
                    Property(
                        neighbours=(
                            Property(mentions=("m",), free_of=("n", "q", "k")),
                            Property(mentions=("n",), free_of=("m", "q", "k")),
                        ),
                        every=Operators(("R",), Property(not_both=("m", "n"))),
                    ),
                    Text("Turn R_m back.", "把 R_m 转回去。"),
                ),
            ),
            Property(mentions=("R",), every=Operators(("R",), Property(mentions=("m", "n")))),
        ),
    ),
    chain=(
        DerivationLine("(R_m q)ᵀ (R_n k)"),
        DerivationLine("qᵀ R_mᵀ R_n k"),
        DerivationLine("qᵀ R_{−m} R_n k"),
        DerivationLine("qᵀ R_{n−m} k"),
    ),
    wrong=(WrongLine("qᵀ R_{m+n} k", "angles-add-up"), WrongLine("qᵀ R_{m−n} k", "turned-backwards")),
)

#: The derivative of one weight with respect to one score, for any two of them.
JACOBIAN = Spec(
    symbols={
        **{"n": "positive integer", "s": "vector(n)", "p": "softmax(s) (definition)"},
        **{"i": "index(n)", "j": "index(n)"},
    },
    from_="∂p_i/∂s_j",
    to="p_i (δ_ij − p_j)",
    chain=(DerivationLine("δ_ij p_i − p_i p_j"), DerivationLine("p_i (δ_ij − p_j)")),
    routes=(Route((Stage(Property(free_of=("∂",)), MISSING_SUM),), Property(free_of=("∂",))),),
)

RIGHT = [
    (SCORE, "Var(q·k)\n= Var(Σ_i q_i k_i)\n= Σ_i Var(q_i k_i)\n= Σ_i E[q_i²]E[k_i²]\n= Σ_i 1\n= d_k"),
    (SCORE, "Var(q·k) = Σ Var(q_i k_i) = Σ Var(q_i) Var(k_i) = d_k"),
    (SCORE, "Σᵢ Var(qᵢkᵢ)  (independence)\nΣᵢ Var(qᵢ)Var(kᵢ)  (mean 0)\ndₖ"),
    (
        SCORE,
        "Var(q_1 k_1 + … + q_{d_k} k_{d_k})\n= d_k Var(q_1 k_1)  # alike\n= d_k Var(q_1) Var(k_1)\n= d_k·1·1\n= d_k",
    ),
    (SCORE, "方差(q·k) ＝ Σ_i Var(q_i k_i)，因为相互独立\n＝ Σ_i E[q_i²]E[k_i²] （均值为零）\n所以 = d_k。"),
    (
        SCORE,
        "= E[(q·k)²] − E[q·k]²\n= E[(q·k)²]  since E[q·k] = 0\n= Σ_i Σ_j E[q_i k_i q_j k_j]\n"
        "= Σ_i E[q_i²]E[k_i²]  because cross terms vanish\n= d_k",
    ),
    (
        SCORE,
        "1. Var(q·k)\n2. Σ_i Var(q_i k_i) + Σ_{i≠j} Cov(q_i k_i, q_j k_j)\n3. Σ_i Var(q_i k_i)\n"
        "4. Σ_i Var(q_i)Var(k_i)\n5. d_k",
    ),
    (SCORE, ["Σ_i Var(q_i k_i)", {"line": "d_k Var(q)Var(k)", "because": "alike"}, "d_k"]),
    (
        SCORE,
        r"\mathrm{Var}\left(\sum_{i=1}^{d_k} q_i k_i\right) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i)" + "\n"
        r"= \sum_i \mathbb{E}[q_i^2]\,\mathbb{E}[k_i^2] = d_k",
    ),
    (SCORE, {"given": dict(SCORE.given), "lines": ["Σ_i Var(q_i k_i)", "Σ_i Var(q_i) Var(k_i)", "d_k"]}),
    (NAMED, "Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nΣ_i v_q v_k\nd_k v_q v_k"),
    (NAMED, "d_k Var(q_1 k_1)\nd_k Var(q)Var(k)\nv_q v_k d_k"),
    (
        STATED,
        "given q: iid(mean=0, var=1, size=d_k)\ngiven k: iid(mean=0, var=1, size=d_k)\n"
        "Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nd_k",
    ),
    (STATED, "已知 q：iid(均值=0，方差=1)\n设 k：iid(0, 1)\nΣ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nd_k"),
    (
        STATED,
        {
            "given": {"q": "normal(mean=0, var=1)", "k": "iid(mean=0, var=1)"},
            "lines": "Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nd_k",
        },
    ),
    (TURNED, "(R_m q)ᵀ(R_n k)\nqᵀR_mᵀR_n k\nqᵀR_{−m}R_n k\nqᵀR_{n−m}k"),
    (TURNED, "q^T R_m^T R_n k\n= q·(R_{n-m} k)"),
    (TURNED, "= qᵀR_mᵀR_nk = ⟨R_{m−n}q, k⟩"),
]


@pytest.mark.parametrize(("spec", "answer"), RIGHT)
def test_right_chains_pass(spec: Spec, answer: object) -> None:
    """In many notations, with words between the lines and steps of any size."""
    found = derivation.judge(spec, answer, ADA)
    assert (found.status, found.fraction, found.misconception) == (Status.PASSED, 1.0, None), found.message
    assert found.message is None


WRONG = [
    # the first line that does not follow, with an instance
    (SCORE, "Var(q·k)\n= Σ_i Var(q_i k_i)\n= Σ_i E[q_i^3]", None, "Line 3: “Σ_i E[q_i³]” does not follow from"),
    (
        SCORE,
        "Σ_i Var(q_i k_i)\nΣ_i (Var(q_i) + Var(k_i))\nd_k",
        "variances-add",
        "for d_k = 1, “Σ_i Var(q_i k_i)” is 1, and",
    ),
    (SCORE, "Σ_i Var(q_i k_i)\n2 d_k\nd_k", "variances-add", "“2 d_k” is 2"),
    (
        SCORE,
        "Σ_i Var(q_i k_i)\nd_k^2\nd_k",
        "terms-move-together",
        "for d_k = 2, “Σ_i Var(q_i k_i)” is 2, and “d_k²” is 4",
    ),
    (SCORE, "Σ_i Var(q_i k_i)\nΣ_i E[q_i^4]", "squares-are-not-fourth-powers", "That line depends on E[q⁴]"),
    (SCORE, "E[(q·k)²]\nE[q·k]²", None, "“E[q·k]²” is 0"),
    (SCORE, "(E[q·k])^2", None, "is 0"),
    (SCORE, "Σ_{i=1}^{d_k−1} Var(q_i k_i)", None, "for d_k = 1"),
    (SCORE, "Σ_i Var(q_i k_i)\nΣ_i Var(q_i) Var(k_i)\n√d_k", None, "“√d_k” is 1.41421"),
    (SCORE, "q·k", None, "q_1 ="),
    (SCORE, "Σ_i Var(q_i k_i) = Σ_i E[q_i²k_i²] = Σ_i E[q_i]²E[k_i]²", None, "is 0"),
    (NAMED, "Σ_i Var(q_i k_i)\nd_k Var(q)²\nd_k v_q v_k", None, "does not follow"),
    (NAMED, "Σ_i Var(q_i k_i)\nd_k (Var(q) + Var(k))/2", None, "does not follow"),
    (NAMED, "Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nd_k", None, "v_q ="),
    # right as far as it goes
    (SCORE, "Var(q·k) = d_k", None, MISSING_SUM.en),
    (SCORE, "d_k", None, MISSING_SUM.en),
    (SCORE, "Σ_i Var(q_i k_i)\nd_k", None, MISSING_PRODUCT.en),
    (SCORE, "Σ_i Var(q_i k_i)\nΣ_i Var(q_i) Var(k_i)", None, "is not the end yet: continue to d_k"),
    (SCORE, "Σ_i Var(q_i k_i)\nΣ_i Var(q_i) Var(k_i)\nΣ_i 1", None, "is not the end yet"),
    (SCORE, "Var(q·k) = Var(k·q)", None, "Line 1 rewrites the start"),
    (TURNED, "(R_m q)ᵀ(R_n k)", None, "Turn R_m back."),
    (TURNED, "⟨q, R_{n−m} k⟩", None, "Turn R_m back."),
    # shapes
    (SCORE, "Σ_i Var(q_i k_i)\nVar(q k)", None, "Line 2, “Var(q k)”: Which product"),
    (TURNED, "R_m q R_n k", None, "Shapes do not fit"),
    # rotations the wrong way
    (TURNED, "qᵀR_mᵀR_n k\nqᵀR_{m+n}k", "angles-add-up", "does not follow"),
    (TURNED, "qᵀR_mᵀR_n k\nqᵀR_{m−n}k", "turned-backwards", "does not follow"),
    (TURNED, "qᵀR_m R_n k", "angles-add-up", "is not equal to the start"),
    (TURNED, "qᵀR_mᵀR_n k\nqᵀk", None, "does not follow"),
    # equations
]


@pytest.mark.parametrize(("spec", "answer", "misconception", "words"), WRONG)
def test_wrong_chains_are_shown_where(spec: Spec, answer: object, misconception: str | None, words: str) -> None:
    """The first line that does not follow with an instance, or what is still missing; never full points."""
    found = derivation.judge(spec, answer, ADA)
    assert found.message is not None
    assert words in plain(found.message.en)
    assert (found.status, found.misconception, found.readable) == (Status.FAILED, misconception, True)
    assert 0 <= found.fraction < 1
    assert any("\u4e00" <= char <= "\u9fff" for char in found.message.zh)


@pytest.mark.parametrize(
    ("answer", "fraction"),
    [
        ("d_k", 0),
        ("d_k^2", 0),
        ("Σ_i Var(q_i k_i)\nd_k", 1 / 3),
        ("Σ_i Var(q_i k_i)\nd_k^2", 1 / 3),
        ("Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)\nd_k²", 2 / 3),
        ("Σ_i Var(q_i k_i)\nΣ_i Var(q_i)Var(k_i)", 2 / 3),
        ("\n".join(["Var(q·k)", "Var(k·q)"] * 9 + ["7"]), 0),
    ],
)
def test_part_of_the_points_is_for_stages_that_are_there(answer: str, fraction: float) -> None:
    """Steps in circles earn nothing."""
    assert derivation.judge(SCORE, answer, ADA).fraction == pytest.approx(fraction, abs=1e-3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"k": "q (the same variable)"},
            ["for d_k = 1 it is 9/4", "depends on E[q⁴]", "For normally distributed components it would be 2"],
        ),
        ({"k": "q"}, ["for d_k = 1 it is 9/4"]),
        ({"q": "iid(mean=1/2, var=1, size=d_k)", "k": "iid(mean=1/2, var=1, size=d_k)"}, ["for d_k = 1 it is 3/2"]),
        ({"q": "random(mean=0, var=1)", "k": "random(mean=0, var=1)"}, ["for d_k = 2 it is 4, and d_k is 2"]),
        ({"q": "iid(mean=0, var=4)"}, ["it is 4"]),
        ({"q": "normal(0, 1)", "k": "q"}, ["it is 2"]),
    ],
)
def test_wrong_assumptions_are_refused_with_what_they_lead_to(given: dict[str, str], words: list[str]) -> None:
    """The true value of the start under the learner's own assumptions."""
    lines = ["Σ_i Var(q_i k_i)", "Σ_i Var(q_i) Var(k_i)", "d_k"]
    found = derivation.judge(SCORE, {"given": given, "lines": lines}, ADA)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, True)
    assert found.message is not None
    assert all(word in plain(found.message.en) for word in ["Under your assumptions", *words])


def test_weaker_assumptions_that_suffice_are_accepted() -> None:
    """That one of the two has independent components of mean 0 is enough for the variance."""
    given = {"q": "random(mean=0, var=1)", "k": "iid(mean=0, var=1)"}
    lines = ["Σ_i Var(q_i k_i)", "Σ_i Var(q_i) Var(k_i)", "d_k"]
    assert derivation.judge(SCORE, {"given": given, "lines": lines}, ADA).status is Status.PASSED


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Σ_i Var(q_i k_i)\nd_k", "State what you assume about q, k"),
        ({"given": {"q": "iid(0, 1)"}, "lines": "d_k"}, "about k"),
        ({"given": {"q": "something", "k": "iid(0,1)"}, "lines": "d_k"}, "“something” is not known here"),
        ({"given": {"q": "iid()", "k": "iid(0,1)"}, "lines": "d_k"}, "write it as `iid"),
        ({"given": {"q": "iid(median=1)", "k": "iid(0,1)"}, "lines": "d_k"}, "write it as `iid"),
        ({"given": {"q": "iid(0, 1)", "k": "k"}, "lines": "d_k"}, "uses “k” itself. Write it as `iid"),
        ({"given": {"q": "iid(0, 1)", "k": "iid(0, 1)", "w": "iid(0, 1)"}, "lines": "d_k"}, "about w"),
        ({"given": {"q": "iid(0, −1)", "k": "iid(0, 1)"}, "lines": "d_k"}, "square root of a negative"),
    ],
)
def test_assumptions_that_cannot_be_read_cost_nothing(answer: object, words: str) -> None:
    """They are asked for again, with their form."""
    found = derivation.judge(STATED, answer, ADA)
    assert found.message is not None and words in plain(found.message.en)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        True,
        {},
        {"lines": None},
        {"given": 3, "lines": "d_k"},
        {"given": {"q": []}, "lines": "d_k"},
        [[1]],
        "",
        [None],
        ["#"],
        "Var(q·k)",
        "# only words",
        "Var(q·k",
        "d_k =",
        "Σ",
        "Var(q·Q)",
        ["x"] * 1000,
        "d_k\n" * 100,
        "Var(q·k)\x00",
        "because",
        "= =",
        {"lines": {"a": 1}},
        pytest.param(10**5000, id="huge"),
        [10**5000],
        {"given": {"q": 10**5000}, "lines": "d_k"},
        {"given": ["q"], "lines": "d_k"},
    ],
)
def test_what_is_no_derivation_says_so(answer: object) -> None:
    """It costs no try."""
    found = derivation.judge(SCORE, answer, ADA)
    assert (found.status, found.fraction, found.readable) == (Status.FAILED, 0.0, False)
    assert found.message is not None and found.message.en and found.message.zh


def test_what_is_asked_and_the_key() -> None:
    """Start and end, the symbols, and the worked chain with its reasons."""
    asked = derivation.prompt(SCORE, ADA)
    assert asked.form == "lines"
    assert plain(asked.facts[-1].en) == "From Var(q·k) to d_k."
    assert "independent components, mean 0, variance 1, length d_k" in plain(asked.facts[1].en)
    assert "均值 0、方差 1、长度 d_k" in plain(asked.facts[1].zh)
    hidden = derivation.prompt(STATED, ADA)
    assert not any("mean=0" in fact.en for fact in hidden.facts)
    assert "given `q: iid" in plain(hidden.how.en)
    shown = derivation.key(SCORE, ADA)
    assert plain(shown.en).splitlines()[2] == "= Σ_i Var(q_i k_i)     # independent terms"
    assert shown.zh.splitlines()[2].endswith("# 各项独立")
    start = derivation.prompt(replace(TURNED, hide_to=True), ADA).facts[-1]
    assert plain(start.en) == f"Start from {TURNED.from_}."


def changed(spec: Spec = SCORE, **what: Any) -> Spec:
    """A spec with something wrong about it."""
    return replace(spec, **what)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SCORE, []),
        (NAMED, []),
        (STATED, []),
        (TURNED, []),
        (changed(symbols={"d_k": "natural"}), ["symbols.d_k: found 'natural'; expected a declaration, but: “natural”"]),
        (changed(given={"q": "iid(mean=", "k": "q"}), ["given.q: found 'iid(mean='; expected a declaration"]),
        (changed(to="d"), ["to: found 'd'; expected a formula, but: “d” is not known here"]),
        (changed(from_="Var(q·"), ["from: found 'Var(q·'; expected a formula"]),
        (changed(chain=(DerivationLine("Var(q·k"),)), ["chain[0].line: found 'Var(q·k'; expected a formula"]),
        (
            changed(chain=(DerivationLine("2 d_k"), DerivationLine("d_k"))),
            ["chain: expected a chain that passes, but: Line 1"],
        ),
        (
            changed(chain=(DerivationLine("Σ_i Var(q_i k_i)"), DerivationLine("d_k"))),
            [
                "chain: expected a chain that passes, but: Line 1: q, k still stand together in “Var(q_i k_i)”. What "
                "is the variance of one product? No line shows the stage “What is the variance of one product?”. "
                "Without what changes nothing, lines count as follows: 1 as Σ_{i0=1}^{d_k} Var(k_{i0} q_{i0}). Write"
            ],
        ),
        (changed(routes=()), ["routes: expected one route"]),
        (changed(routes=(replace(ROUTE, stages=()),)), ["routes[0].stages: expected one stage"]),
        (
            changed(routes=(replace(ROUTE, stages=(Stage(Property(mentions=("q", "w")), MISSING_SUM),)),)),
            ["routes[0].stages[0].is: found 'w'; expected a symbol or an operator"],
        ),
        (
            changed(routes=(replace(ROUTE, end=Property(free_of=("variance",))),)),
            ["routes[0].end: found 'variance'; expected a symbol or an operator"],
        ),
        (JACOBIAN, ["routes: expected stages that the end does not show"]),
        (changed(operand=True), ["operand: expected only where `from` is a derivative"]),
        (
            changed(wrong=(WrongLine("d_k·1", "m"),)),
            ["wrong[0].line: found 'd_k·1'; expected a line that is not equal"],
        ),
        (
            changed(wrong=(WrongLine("2 d_k", "m"), WrongLine("d_k + d_k", "n"))),
            ["wrong[1].line: found 'd_k + d_k'; expected a line not equal to another"],
        ),
        (changed(wrong=(WrongLine("d_q", "m"),)), ["wrong[0].line: found 'd_q'; expected a formula"]),
    ],
)
def test_specs_are_checked(spec: Spec, said: list[str]) -> None:
    """The worked chain passes, the ends alone do not, wrong lines are wrong."""
    found = [f"{show_path(fault.path)}: {fault.text}" for fault in derivation.validate(spec)]
    assert len(found) == len(said), found
    for fault, start in zip(found, said, strict=True):
        assert fault.startswith(start)


@pytest.mark.parametrize(
    ("line", "follows"),
    [("δ_ij p_i − p_i p_j", True), ("p_i (1 − p_i)", False), ("δ_ij p_i (1 − p_i)", False), ("−p_i p_j", False)],
)
def test_two_indices_are_equal_and_different(line: str, follows: bool) -> None:
    """What holds only for equal indices, or only for different ones, does not follow."""
    judged = derivation.judge(JACOBIAN, f"{line}\np_i (δ_ij − p_j)", ADA)
    assert (judged.status is Status.PASSED) is follows
