"""The course's own derivations: what derives passes, in several styles; what derives nothing earns nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.authoring import selfcheck
from grader.core.model import Status
from grader.course import items
from grader.course.items import derivation
from grader.grading import courses

CONTEXT = items.Context("spring", "ada", "Q1.example")
COURSE = courses.load(Path(__file__).parents[3])
ITEMS = {
    item.id: item for question in COURSE.questions for item in question.items if isinstance(item.spec, derivation.Spec)
}
GIVEN = "given q: iid(mean=0, var=1, size=d_k)\ngiven k: iid(mean=0, var=1, size=d_k)\n"

#: At least two correct derivations of each item, in other styles than the key, which is one more.
RIGHT: dict[str, list[str]] = {
    "Q3.chain": [
        GIVEN + "Var(Σ_i q_i k_i)\nΣ_i Var(q_i k_i)\nΣ_i Var(q_i) Var(k_i)\nd_k",
        GIVEN + "E[(q·k)²]\nΣ_i Σ_j E[q_i k_i q_j k_j]\nΣ_i E[q_i²] E[k_i²]\nd_k·1·1\nd_k",
        GIVEN + "d_k Var(q_1 k_1)\nd_k Var(q_1) Var(k_1)\nd_k",
        GIVEN + "Σ_i (E[q_i² k_i²] − E[q_i k_i]²)\nΣ_i E[q_i²] E[k_i²]\nd_k",
    ],
    "Q3.unit": [
        "Var(q·k)/d_k\nd_k/d_k\n1",
        "(1/d_k) Var(q·k)\n1",
        "Σ_i Var(q_i k_i)/d_k\nd_k/d_k\n1",
        "E[(q·k)²]/d_k\n1",
    ],
    "Q4.chain": [
        "h (6 n d d/h + 4 n^2 d/h) + 2 n d d\n6 n d^2 + 4 n^2 d + 2 n d^2\n4 n^2 d + 8 n d^2",
        "h d_k (6 n d + 4 n^2) + 2 n h d_k d\nd (6 n d + 4 n²) + 2 n d²\n4n²d + 8nd²",
        "6 n d (h d_k) + 2 n² (h d_k) + 2 n² (h d_k) + 2 n (h d_k) d\n"
        "6 n d² + 2 n² d + 2 n² d + 2 n d²\n8 n d² + 4 n² d",
        "h (6 n d d_k + 4 n^2 d_k) + 2 n d d\n4 n^2 d + 8 n d^2",
    ],
    "Q6.flat": ["exp(c)/(n exp(c)) = 1/n", "1/Σ_{j=1}^{n} 1\n1/n", "1/Σ_{j=1}^{n} exp(c − c)\n1/Σ_{j=1}^{n} 1\n1/n"],
    "Q6.jacobian": [
        "∂(exp(s)/sum(exp(s)))/∂s\ndiag(exp(s))/sum(exp(s)) − exp(s) exp(s)ᵀ/(sum(exp(s)))²\ndiag(p) − p pᵀ",
        "∂(e^{s_i}/Σ_k e^{s_k})/∂s_j\nδ_ij e^{s_i}/Σ_k e^{s_k} − e^{s_i} e^{s_j}/(Σ_k e^{s_k})²\ndiag(p) − p pᵀ",
        "p_i ∂(s_i − log Σ_k e^{s_k})/∂s_j\np_i (δ_ij − e^{s_j}/Σ_k e^{s_k})\np_i δ_ij − p_i p_j\ndiag(p) − p pᵀ",
    ],
    "Q6.query-gradient": [
        "Kᵀ (diag(p) − p pᵀ) v\nKᵀ diag(p) v − Kᵀ p pᵀ v\nKᵀ (p ⊙ (v − (p·v) ones(n)))",
        "Kᵀ (diag(p) − p pᵀ)ᵀ v\nKᵀ (diag(p) v − p (p·v))\nKᵀ (p ⊙ v) − (p·v) Kᵀ p\nKᵀ (p ⊙ (v − (p·v) ones(n)))",
    ],
    "Q7.chain": [
        "4 n² h d_k\n4 n² d_model",
        "h (4 n² d_model / h)\n4 n² d_model",
        "2 n² (h d_k) + 2 n² (h d_k)\n4 n² d_model",
    ],
    "Q8.chain": [
        "3 d_model d_model + d_model²\n4 d_model²",
        "d_model (3 h d_k + d_model)\nd_model (3 d_model + d_model)\n4 d_model²",
        "3 h d_model (d_model/h) + d_model^2\n4 d_model^2",
        "d_{model} (3 d_{model} + d_{model})\n4 d_{model}^2",
    ],
    "Q13.scores": [
        "P X A Bᵀ Xᵀ Pᵀ\nP (X A)(X B)ᵀ Pᵀ",
        "P X A (Bᵀ Xᵀ) Pᵀ\nP (X A) (X B)^T P^T",
        "(P X A) Bᵀ (P X)ᵀ\nP X A Bᵀ Xᵀ Pᵀ\nP (X A)(X B)ᵀ Pᵀ",
    ],
    "Q14.chain": [
        "(sin(ω(p+δ)), cos(ω(p+δ)))\n"
        "(sin(ωp) cos(ωδ) + cos(ωp) sin(ωδ), cos(ωp) cos(ωδ) − sin(ωp) sin(ωδ))\n"
        "[[cos(ωδ), sin(ωδ)], [−sin(ωδ), cos(ωδ)]] (sin(ωp), cos(ωp))",
        "(cos(ωδ) sin(ωp) + sin(ωδ) cos(ωp), −sin(ωδ) sin(ωp) + cos(ωδ) cos(ωp))\nR(−ωδ) PE(p)",
        "(sin(pω) cos(δω) + cos(pω) sin(δω), cos(pω) cos(δω) − sin(pω) sin(δω))\nR(ωδ)ᵀ PE(p)",
        "(sin(ωp) cos(ωδ) + cos(ωp) sin(ωδ), cos(ωp) cos(ωδ) − sin(ωp) sin(ωδ))\nR(−ωδ) (sin(ωp), cos(ωp))",
    ],
    "Q15.cost": [
        "3 d² + 3 p d − 3 d²\n3 p d",
        "3 d (d + p − d)\n3 d p",
        "3 ((d + p) d − d²)\n3 (d² + p d − d²)\n3 p d",
    ],
    "Q16.relative": [
        "qᵀ R_mᵀ R_n k = qᵀ R_{n−m} k",
        "⟨R_{−n} R_m q, k⟩\n⟨R_{m−n} q, k⟩",
        "(R_m q)ᵀ R_n k\nqᵀ R_{−m} R_n k\n⟨q, R_{n-m} k⟩",
    ],
    "Q17.chain": ["∂x/∂x + F'(x)\nI + F'(x)", "∂x/∂x + ∂F(x)/∂x\nI + ∂F(x)/∂x", "I + ∂F(x)/∂x\nI + F'(x)"],
    "Q18.standard": [
        "(1/√(v + ε))² Var(X − μ)\nVar(X)/(v + ε)\nv/(v + ε)",
        "Var(X − μ)/(v + ε)\nv/(v + ε)",
        "E[(X − μ)²]/(v + ε)\nv/(v + ε)",
        "Var(X)·(v + ε)^(-1)\nv/(v + ε)",
    ],
    "Q18.mean": ["E[X − μ]/√(v + ε)\n0", "(E[X] − μ)/√(v + ε)\n0", "E[X/√(v + ε)] − μ/√(v + ε)\n0"],
    "Q19.parameters": [
        "4 d_model² + 4 d_model²\n8 d_model²",
        "2 d_model d_ff\n8 d_model^2",
        "d_model·4 d_model + 4 d_model·d_model\n8 d_model²",
    ],
    "Q19.share": [
        "8 d²/(4 d² + 8 d²)\n8 d²/(12 d²)\n2/3",
        "d_ff/(2 d + d_ff)\n4 d/(2 d + 4 d)\n2/3",
        "2 d (4 d)/(4 d² + 2 d (4 d))\n8/12\n2/3",
    ],
    "Q21.bytes-chain": [
        "L B n h (d_k s + d_k s)\n2 L B n h d_k s",
        "Σ_{l=1}^{L} Σ_{b=1}^{B} Σ_{t=1}^{n} 2 h d_k s\nΣ_{l=1}^{L} Σ_{b=1}^{B} 2 n h d_k s\n2 L B n h d_k s",
        "Σ_{l=1}^{L} Σ_{b=1}^{B} Σ_{t=1}^{n} h (d_k s + d_k s)\nΣ_{l=1}^{L} 2 B n h d_k s\n2 L B n h d_k s",
    ],
    "Q21.rescaling": [
        "Σ_{j=1}^{n} exp(s_j − m) exp(m − M)\nexp(m − M) Σ_{j=1}^{n} exp(s_j − m)",
        "Σ_j exp(s_j − m + m − M)\nΣ_j exp(s_j − m) exp(m − M)\nexp(m − M) Σ_j exp(s_j − m)",
        "Σ_{j=1}^{n} exp(s_j) exp(−M)\nexp(m − M) Σ_{j=1}^{n} exp(s_j) exp(−m)\nexp(m − M) Σ_{j=1}^{n} exp(s_j - m)",
    ],
    "Q22.moved-brackets": [
        "Σ_{l=1}^{n} (Q Kᵀ)_{il} V_{lj}\nΣ_{l=1}^{n} Σ_{c=1}^{d} Q_{ic} K_{lc} V_{lj}\n"
        "Σ_{c=1}^{d} Q_{ic} (Kᵀ V)_{cj}\n(Q (Kᵀ V))_{ij}",
        "Σ_{l=1}^{n} (Σ_{c=1}^{d} Q_{ic} K_{lc}) V_{lj}\n"
        "Σ_{c=1}^{d} Q_{ic} (Σ_{l=1}^{n} K_{lc} V_{lj})\n(Q (Kᵀ V))_{ij}",
        "Σ_{b=1}^{n} Σ_{a=1}^{d} Q_{ia} K_{ba} V_{bj}\nΣ_{a=1}^{d} Σ_{b=1}^{n} Q_{ia} K_{ba} V_{bj}\n(Q (Kᵀ V))_{ij}",
    ],
    "Q22.saving": ["4 n² d/(4 n d²)\nn/d", "2 n² (d + d)/(2 n d (d + d))\nn/d", "n²/(n d)\nn/d"],
    "Q23.gradient": [
        "∂(−log(exp(z_t)/sum(exp(z))))/∂z\n∂(log(sum(exp(z))) − z_t)/∂z\nexp(z)/sum(exp(z)) − onehot(t)\np − onehot(t)",
        "∂(log Σ_j e^{z_j})/∂z − ∂z_t/∂z\nexp(z)/sum(exp(z)) − onehot(t)\np − onehot(t)",
        "−(1/p_t) ∂p_t/∂z\n−(1/p_t) p_t (onehot(t) − p)\np − onehot(t)",
    ],
    "Q24.share": [
        "r (d_in + d_out)/(d_in d_out)\nr/d_out + r/d_in",
        "r (d_in + d_out)/(d_in d_out)\nr (1/d_out + 1/d_in)\nr/d_in + r/d_out",
        "(r (d_out + d_in))/(d_in d_out) = r d_in/(d_in d_out) + r d_out/(d_in d_out) = r/d_out + r/d_in",
    ],
}


def test_all_of_them_are_in_the_table() -> None:
    """Each with at least three correct derivations, the key among them."""
    assert RIGHT.keys() == ITEMS.keys()
    assert all(len(answers) >= 2 for answers in RIGHT.values())


@pytest.mark.parametrize(("name", "answer"), [(name, answer) for name, found in RIGHT.items() for answer in found])
def test_what_derives_passes(name: str, answer: str) -> None:
    """With full points, whatever the style."""
    judged = items.judge(ITEMS[name], answer, CONTEXT)
    assert (judged.status, judged.fraction) == (Status.PASSED, 1.0), judged.message


@pytest.mark.parametrize("name", ITEMS)
def test_what_derives_nothing_earns_nothing(name: str) -> None:
    """Ends copied, rearranged and padded, givens restated and circles; the key earns everything."""
    spec = ITEMS[name].spec
    earned = {
        attack: derivation.judge(spec, answer, CONTEXT).fraction for attack, answer in derivation.empty_answers(spec)
    }
    assert len(earned) > 15
    assert {attack for attack, fraction in earned.items() if fraction} == set()
    assert len(spec.ideas) >= ITEMS[name].points
    lines = [line.line for line in spec.chain]
    assert derivation.judge(spec, {"given": spec.given, "lines": lines}, CONTEXT).status is Status.PASSED


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Q14.chain", "[[sin(ωp+ωδ)/sin(ωp), 0],[0, cos(ωp+ωδ)/cos(ωp)]] PE(p)"),
        ("Q14.chain", "[[1,0],[0,1]] (sin(ωp+ωδ), cos(ωp+ωδ))"),
        ("Q14.chain", "0 PE(p) + (sin(ωp+ωδ), cos(ωp+ωδ))"),
        ("Q16.relative", "⟨R_m q, R_n k⟩ + 0 cos(mθ)\n⟨q, R_{n−m} k⟩"),
        ("Q15.cost", "3 d (d + p) − 3 d²\n3 p d"),
        ("Q15.cost", "3 p d\n3 (d + p) d − 3 d d\n3 p d"),
        ("Q4.chain", "8 n d^2 + 4 n^2 d\n4 n^2 d + 8 n d^2"),
        ("Q8.chain", "4 d_model^2\n4 d_model^2"),
        ("Q7.chain", "4 n^2 d_model + 0\n4 n^2 d_model"),
        ("Q6.flat", "1/n + 0\n1/n"),
        ("Q3.chain", GIVEN + "d_k + 0\nd_k Var(q_1) Var(k_1) + 0\nd_k"),
        ("Q3.unit", "Var(q·k)/Var(q·k)\n1"),
        ("Q13.scores", "(P X A)(P X B)^T\n(P X A)(P X B)^T\nP (X A)(X B)^T P^T"),
    ],
)
def test_what_once_passed_does_not(name: str, answer: str) -> None:
    """Answers that learners found: they are right, but derive nothing, or not all of it."""
    judged = items.judge(ITEMS[name], answer, CONTEXT)
    assert judged.status is Status.FAILED and judged.fraction < 1
    assert judged.message is not None and judged.message.en and judged.message.zh


def test_the_bank_is_told_of_a_derivation_that_can_be_had_for_nothing() -> None:
    """Without ideas, halves of the end pass: both problems are reported, each with its id."""
    item = ITEMS["Q7.chain"]
    question = next(one for one in COURSE.questions if item in one.items)
    bare = replace(question, items=(replace(item, spec=replace(item.spec, ideas=())),))
    found = {problem.id for problem in selfcheck._derivations(bare)}
    assert found == {"few-ideas", "empty-derivation"}
    assert list(selfcheck._derivations(replace(question, items=(item,)))) == []


def test_a_hidden_end_is_not_shown() -> None:
    """Neither below the question, nor in what is said of an unfinished chain or of other assumptions."""
    spec = ITEMS["Q18.standard"].spec
    said = [fact.en for fact in derivation.prompt(spec, CONTEXT).facts]
    said += [derivation.judge(spec, "Var(X)/(v + ε)", CONTEXT).message.en]  # type: ignore[union-attr]
    wrong = {"given": {"X": "random(mean=μ, var=2 v)"}, "lines": "Var(X)/(v + ε)"}
    said += [derivation.judge(spec, wrong, CONTEXT).message.en]  # type: ignore[union-attr]
    assert not any("v/(v + ε)" in text for text in said), said
    assert derivation.without_key(spec).to == spec.from_


@pytest.mark.parametrize("answer", ["2 n n d_k\n4 n^2 d_model", "4 n^2 d_model", "h (4 n^2 d_model)", "h ("])
def test_a_hidden_start_is_not_shown(answer: str) -> None:
    """Neither below the question nor after a first line that is not equal to it; other items ask for what it says."""
    spec = ITEMS["Q7.chain"].spec
    judged = derivation.judge(spec, answer, CONTEXT)
    assert judged.status is Status.FAILED and judged.fraction == 0
    said = [fact.en for fact in derivation.prompt(spec, CONTEXT).facts]
    said += [judged.message.en] if judged.message else []
    assert not any("2 n d_k n" in text or "d_k n +" in text for text in said), said
    assert derivation.without_key(spec).from_ == "0"
    assert derivation.judge(derivation.without_key(spec), "4 n² d_model", CONTEXT).readable


def test_a_first_line_is_compared_with_the_hidden_start() -> None:
    """With the value of the learner's line, not that of the start."""
    judged = derivation.judge(ITEMS["Q7.chain"].spec, "3 h n^2 d_k\n3 n^2 d_model", CONTEXT)
    assert judged.message is not None
    assert "not equal to what the question asks you to begin with" in judged.message.en
