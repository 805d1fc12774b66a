from __future__ import annotations

import re

import pytest

from grader.core.model import Died, NotRun, Observation, Raised, Status, TimedOut, TooBig, Unreadable
from grader.grading.failures import failure_verdict, reference_failure, verdict
from tests.helpers import case, returned

SECRET = "0.12345"
TABLE: list[tuple[Observation, Status, bool, str]] = [
    (
        Raised("ValueError", f"bad q: {SECRET}.", "q05.py", 7),
        Status.RAISED,
        False,
        f"it raised ValueError: bad q: {SECRET} at q05.py, line 7",
    ),
    (Raised("KeyError", "", None, None), Status.RAISED, False, "it raised KeyError"),
    (Raised("ValueError", "{0} {name}\nsecond", "q{5}.py", 1), Status.RAISED, False, "{0} {name} second at q{5}.py"),
    (Raised("NotImplementedError", "", "q05.py", 3), Status.RAISED, True, "not written yet at q05.py, line 3"),
    (
        Raised("NameError", "name 'troch' is not defined", "q05.py", 1, "import"),
        Status.RAISED,
        True,
        "while the file was loaded, it raised NameError: name 'troch' is not defined at q05.py, line 1",
    ),
    (
        Raised("ModuleNotFoundError", "No module named 'pandas'", "q05.py", 1, "import"),
        Status.RAISED,
        True,
        "line 1. Only the files you submitted, NumPy, torch, the standard library and packages that the course",
    ),
    (Raised("ModuleNotFoundError", "No module named 'x'", "q05.py", 1), Status.RAISED, False, "No module named 'x' at"),
    (Raised("MemoryError", "", "q05.py", 2), Status.RAISED, True, "line 2. A submission may use about 1 GB"),
    (
        TimedOut(2.0, "cpu"),
        Status.TIMED_OUT,
        True,
        "it used more than 2 s of CPU time and was stopped: is there an infinite loop",
    ),
    (TimedOut(2.5, "wall"), Status.TIMED_OUT, True, "it took more than 2.5 s and was stopped: is the code waiting"),
    (TimedOut(4.0, "cpu", "import"), Status.TIMED_OUT, True, "loading the file used more than 4 s"),
    (Died(11, None), Status.DIED, False, "the program crashed: segmentation fault"),
    (
        Died(9, None, "import"),
        Status.DIED,
        True,
        "the program crashed while the file was loaded: memory or time limit exceeded",
    ),
    (Died(42, None), Status.DIED, False, "crashed: signal 42"),
    (Died(None, 3), Status.DIED, False, "the program exited with exit code 3"),
    (Died(None, 0, "import"), Status.DIED, True, "exited while the file was loaded with exit code 0"),
    (TooBig(64 << 20), Status.FAILED, False, "the result is larger than 64 MB"),
    (
        Unreadable("type", ("Linear",)),
        Status.FAILED,
        False,
        "the result is of type Linear; expected an array or a tensor",
    ),
    (Unreadable("dtype", ("complex64",)), Status.FAILED, False, "has the data type complex64, which cannot be graded"),
    (Unreadable("tensor", ("torch.sparse_coo, cpu",)), Status.FAILED, False, "not an ordinary CPU tensor (torch.spar"),
    (Unreadable("undefined", ("attend",)), Status.FAILED, False, "attend is no longer defined once the file"),
    (
        Raised("EOFError", "EOF when reading a line", "q05.py", 7, "import"),
        Status.RAISED,
        True,
        "while the file was loaded, it called input() at q05.py, line 7, but nobody can type",
    ),
    (
        Raised("ImportError", "cannot import name 'a' from partially initialized module 'q04'", "q05.py", 1, "import"),
        Status.RAISED,
        True,
        "module 'q04' at q05.py, line 1. These files import each other in a circle",
    ),
    (
        Raised(
            "AttributeError", "partially initialized module 'einops' has no attribute 'x'", "einops.py", 1, "import"
        ),
        Status.RAISED,
        True,
        "The file has the same name as the module it imports, so it imports itself: rename the file",
    ),
    (Unreadable("class", ("softmax", "q.py", "3")), Status.FAILED, True, "softmax is a class (q.py, line 3), but this"),
    (
        Unreadable("class", ("softmax",)),
        Status.FAILED,
        True,
        "softmax is a class, but this exercise asks for a function",
    ),
    (Unreadable("function", ("MHA", "q.py", "3")), Status.FAILED, True, "MHA is not a class (q.py, line 3), and"),
    (
        Unreadable("not-callable", ("f", "int", "q.py", "3")),
        Status.FAILED,
        True,
        "f cannot be called (q.py, line 3), be",
    ),
    (Unreadable("not-callable"), Status.FAILED, True, " cannot be called, because it is of type ;"),
    (Unreadable("no-forward", ("A",)), Status.FAILED, True, "an object of type A has no method forward(…) or"),
    (Unreadable("protocol"), Status.FAILED, False, "wrote to the pipe reserved for results"),
    (Unreadable("nested"), Status.FAILED, False, "the result is nested too deeply"),
    (Unreadable("type"), Status.FAILED, False, "the result is of type ;"),
    (
        Unreadable("forbidden", ("torch.softmax", "q03.py", "7")),
        Status.FAILED,
        True,
        "it called torch.softmax (q03.py, line 7), which this exercise forbids",
    ),
    (Unreadable("forbidden", ("torch.softmax",)), Status.FAILED, True, "it called torch.softmax, which this exercise"),
    (
        Unreadable("projections", ("w_q,w_o", "w_q,to_q", "layer", "norm")),
        Status.FAILED,
        False,
        "no projection was found for w_q, w_o; looked for attributes such as w_q, to_q; your class has layer, norm",
    ),
    (Unreadable("projections", ("w_q", "w_q,to_q")), Status.FAILED, False, "your class has none"),
    (
        Unreadable("projection-shape", ("w_q", "w_q.weight", "(4, 2)", "(4, 4)")),
        Status.FAILED,
        False,
        "w_q (found as w_q.weight) maps (4, 2); expected (d_in, d_out) = (4, 4)",
    ),
    (
        Unreadable("table", ("(4, 3)", "p (3, 4)", "scale (1,)")),
        Status.FAILED,
        False,
        "no table of shape (4, 3) was found among the parameters; your class has p (3, 4), scale (1,)",
    ),
    (Unreadable("table", ("(4, 3)",)), Status.FAILED, False, "your class has none"),
    (NotRun("budget"), Status.SKIPPED, False, "this submission has used up its time"),
    (NotRun("group"), Status.SKIPPED, False, "earlier calls used up the time for this exercise"),
    (NotRun("memory"), Status.SKIPPED, False, "earlier calls used up the memory"),
    (NotRun("children"), Status.SKIPPED, False, "this submission crashed too many times"),
]


@pytest.mark.parametrize(("seen", "status", "final", "said"), TABLE)
def test_each_trouble_has_its_words(seen: Observation, status: Status, final: bool, said: str) -> None:
    """What happened, where, and what it may be; in Chinese, too, and nothing is left unfilled."""
    found = verdict(seen, public=True)
    assert (found.status, found.final, found.applies) == (status, final, True)
    assert found.message is not None
    assert said in found.message.en
    assert re.search("[\u4e00-\u9fff]", found.message.zh)
    assert "\n" not in found.message.en


@pytest.mark.parametrize("seen", [row[0] for row in TABLE])
def test_hidden_cases_do_not_show_what_an_exception_says(seen: Observation) -> None:
    """``raise ValueError(q)`` would print a hidden input: type and line are all that is told."""
    found = verdict(seen, public=False)
    assert found.message is not None
    assert SECRET not in found.message.en + found.message.zh
    if isinstance(seen, Raised) and seen.during == "import" and seen.text and seen.type != "EOFError":
        assert seen.text in found.message.en  # at import no input is known
    elif isinstance(seen, Raised) and seen.type == "ValueError":
        assert seen.text.split()[0] not in found.message.en


def test_the_first_trouble_speaks() -> None:
    """Of several observations the first that did not return."""
    observations = (returned(1), TooBig(1 << 20), Died(11, None))
    assert failure_verdict(observations, case()) == verdict(TooBig(1 << 20), public=True)
    assert failure_verdict((returned(1),), case()) is None
    hidden = failure_verdict((Raised("ValueError", SECRET, None, None),), case(public=False))
    assert hidden is not None
    assert hidden.message is not None
    assert SECRET not in hidden.message.en


def test_a_reference_that_fails_is_our_trouble() -> None:
    """Unmarked, with what happened."""
    found = reference_failure((returned(1), Raised("TypeError", "no", "reference/bank.py", 3)))
    assert found is not None
    assert found.status is Status.UNMARKED
    assert found.message is not None
    assert (
        "the course's own reference failed (it raised TypeError: no at reference/bank.py, line 3)" in found.message.en
    )
    assert reference_failure((returned(1),)) is None


def test_what_returned_is_no_trouble() -> None:
    """Asking for its words is a mistake of ours."""
    with pytest.raises(ValueError, match="has not failed"):
        verdict(returned(1), public=True)
