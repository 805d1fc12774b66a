"""Source files import each other, are executed once each, and fail with a place and a name."""

from __future__ import annotations

import importlib
import itertools
import sys
import traceback

import pytest

from grader.sandbox.inside.loading import Failure, SourceFinder, SourceModule, namespace


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the sources below write down, by ``import itertools; itertools.ran.append(…)``."""
    noted: list[str] = []
    monkeypatch.setattr(itertools, "ran", noted, raising=False)
    return noted


def library(files: dict[str, str | list[tuple[str, str]]]) -> SourceFinder:
    """An installed library: ``pkg.__init__`` stands for a package, a list for a notebook's cells."""
    made = SourceFinder(
        [
            SourceModule(
                name.removesuffix(".__init__"),
                parts if isinstance(parts, list) else [(name.replace(".", "/") + ".py", parts)],
                name.endswith(".__init__"),
            )
            for name, parts in files.items()
        ]
    )
    sys.meta_path.insert(0, made)
    return made


def note(name: str) -> str:
    """A line that writes down that it was executed."""
    return f"import itertools; itertools.ran.append({name!r})\n"


CHAIN = {
    "load_a": note("a") + "import load_b\nx = load_b.x + 1",
    "load_b": note("b") + "from load_c import x\nx += 1",
    "load_c": note("c") + "x = 1",
}


@pytest.mark.parametrize("order", list(itertools.permutations(CHAIN)))
def test_files_import_each_other_whatever_their_order(order: tuple[str, ...], ran: list[str]) -> None:
    """Listing and loading in any order gives the same values, and each file runs once."""
    library({name: CHAIN[name] for name in order})
    values = {name: namespace(name)["x"] for name in order}
    assert values == {"load_a": 3, "load_b": 2, "load_c": 1}
    assert sorted(ran) == ["a", "b", "c"]


@pytest.mark.parametrize("first", ["load_odd", "load_even"])
def test_a_cycle_of_imports_works_as_in_python(first: str, ran: list[str]) -> None:
    """Two files that import each other as modules see each other's names when they are called."""
    library(
        {
            "load_odd": note("odd") + "import load_even\ndef odd(n): return n != 0 and load_even.even(n - 1)",
            "load_even": note("even") + "import load_odd\ndef even(n): return n == 0 or load_odd.odd(n - 1)",
        }
    )
    namespace(first)
    assert namespace("load_even")["even"](10) is True
    assert sorted(ran) == ["even", "odd"]


def test_a_cycle_of_names_fails_as_in_python() -> None:
    """``from … import`` of a half-loaded file is an ImportError with a line."""
    made = library({"load_x": "from load_y import b\na = 1", "load_y": "\nfrom load_x import a\nb = 1"})
    with pytest.raises(ImportError) as caught:
        namespace("load_x")
    failure = Failure.of(caught.value, made.labels)
    assert (failure.type, failure.file, failure.line) == ("ImportError", "load_y.py", 2)


def test_a_file_knows_its_name() -> None:
    """``__file__`` is there, as in Python: to name a circle by, and for a path that is put together from it."""
    library({"load_here": "import os\nhere = os.path.basename(__file__)"})
    assert namespace("load_here")["here"] == "load_here.py"


def test_packages_and_relative_imports() -> None:
    """``__init__.py``, dots of every kind, and a folder without ``__init__.py`` at any depth."""
    library(
        {
            "load_p.__init__": "from .one import x\nfrom . import two",
            "load_p.one": "x = 1",
            "load_p.two": "from .one import x as y\nfrom .deep.er.three import z",
            "load_p.deep.er.three": "from ...one import x\nfrom load_p import one\nz = x + one.x",
            "load_n.four": "from load_p import two\nw = two.z",
        }
    )
    assert namespace("load_p")["x"] == 1
    assert namespace("load_p.two")["y"] == 1
    assert namespace("load_n.four")["w"] == 2


def test_relative_import_beyond_the_top_fails() -> None:
    """A plain file has no package above it."""
    library({"load_top": "from .other import x"})
    with pytest.raises(ImportError):
        namespace("load_top")


def test_others_are_left_alone() -> None:
    """The finder knows the submission's files and no other module."""
    made = library({"load_me": "import json\nname = json.__name__"})
    assert namespace("load_me")["name"] == "json"
    assert made.find_spec("json", None) is None
    assert made.find_spec("load", None) is None


def test_a_file_is_loaded_under_its_own_name() -> None:
    """``__name__`` is the module's, so that ``if __name__ == "__main__"`` does not run."""
    library({"load_name": "main = __name__ == '__main__'\nname = __name__"})
    assert namespace("load_name")["name"] == "load_name"
    assert namespace("load_name")["main"] is False


def test_future_imports_of_ours_do_not_leak() -> None:
    """The sources are compiled as they stand: annotations are evaluated unless they ask otherwise."""
    library({"load_ann": "def f(x: 1 + 1): pass", "load_fut": "from __future__ import annotations\ndef f(x: a): 0"})
    assert namespace("load_ann")["f"].__annotations__ == {"x": 2}
    assert namespace("load_fut")["f"].__annotations__ == {"x": "a"}


def test_a_failed_import_can_be_tried_again_by_python(ran: list[str]) -> None:
    """A file that raises is not left half-loaded in ``sys.modules``."""
    library({"load_bad": note("bad") + "1 / 0"})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            namespace("load_bad")
    assert "load_bad" not in sys.modules


def test_cells_after_a_failing_one_run(ran: list[str]) -> None:
    """A notebook goes on where Python would stop, and remembers every failure in its order."""
    cells = [
        ("nb cell 1", "x = 1\n" + note("1")),
        ("nb cell 2", "\n\nundefined_name"),
        ("nb cell 3", "y = x + 1\n" + note("3")),
        ("nb cell 4", "def broken(:"),
        ("nb cell 5", "raise SystemExit"),
        ("nb cell 6", "z = y + 1"),
    ]
    made = library({"load_nb": cells})
    names = namespace("load_nb")
    assert (names["x"], names["y"], names["z"]) == (1, 2, 3)
    assert ran == ["1", "3"]
    places = [Failure.of(error, made.labels) for error in made.sources["load_nb"].failures]
    assert [(place.type, place.file, place.line) for place in places] == [
        ("NameError", "nb cell 2", 3),
        ("SyntaxError", "nb cell 4", 1),
        ("SystemExit", "nb cell 5", 1),
    ]


def test_names_of_notebooks_are_there() -> None:
    """``display`` and ``get_ipython`` do nothing, whatever is asked of them."""
    source = (
        "get_ipython().run_line_magic('matplotlib', 'inline')\ndisplay(1, raw=True)\nget_ipython().config.a = 1\nx = 2"
    )
    library({"load_ip": source})
    assert namespace("load_ip")["x"] == 2


# ------------------------------------------------------------------------------------------ failures


def failure(source: str, call: str | None = None) -> Failure:
    """What loading ``source`` (or then calling ``call``) raises, as plain words."""
    made = library({"load_f": source})
    try:
        names = namespace("load_f")
        if call:
            names[call]()
    except BaseException as error:
        return Failure.of(error, made.labels)
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\n\nx = = 2\n", "SyntaxError", 3),
        ("def f():\nreturn 1", "IndentationError", 2),
        ("if True:\n\tx = 1\n        y = 2", "TabError", 3),
        ("x = (1,\n", "SyntaxError", 1),
        ("x = 'abc", "SyntaxError", 1),
        ("return 1", "SyntaxError", 1),
        ("\n\nraise ValueError('x')", "ValueError", 3),
        ("\nraise KeyboardInterrupt", "KeyboardInterrupt", 2),
        ("\nimport sys; sys.exit(1)", "SystemExit", 2),
        ("class E(BaseException): pass\nraise E", "E", 2),
        ("from json import not_there", "ImportError", 1),
        ("def f():\n    return f()\n\nf()", "RecursionError", 2),
        ("def f():\n    import json\n    json.loads('{')\n\n\nf()", "JSONDecodeError", 3),
        ("eval('1 +')", "SyntaxError", 1),
        ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise OSError('later')", "OSError", 4),
        ("\nexec(compile('x', 'elsewhere', 'exec'))", "NameError", 2),
    ],
)
def test_failures_have_a_name_and_a_line(source: str, kind: str, line: int) -> None:
    """The line is the last one of the submission that the exception came through."""
    found = failure(source)
    assert (found.type, found.file, found.line) == (kind, "load_f.py", line)


def test_failures_in_a_call_have_the_line_of_the_call() -> None:
    """The deepest line of the learner's own, not one of a library."""
    found = failure("def g(x):\n    return x + None\n\ndef f():\n    return g(1)\n", "f")
    assert (found.type, found.line) == ("TypeError", 2)
    assert "unsupported operand" in found.text


def test_failures_in_another_file_name_that_file() -> None:
    """The file is the one that raised, not the one that was asked for."""
    made = library({"load_i": "import load_j", "load_j": "\n\nx = []\nx[3]"})
    with pytest.raises(IndexError) as caught:
        namespace("load_i")
    found = Failure.of(caught.value, made.labels)
    assert (found.file, found.line) == ("load_j.py", 4)


def test_failures_outside_have_no_place() -> None:
    """An exception that met no line of the submission says nothing about lines."""
    try:
        importlib.import_module("not_installed_either")
    except ImportError as error:
        found = Failure.of(error, {"load_f.py"})
    assert (found.file, found.line) == (None, None)


def test_bases_are_the_builtin_ones() -> None:
    """A learner's own exception is known by what it derives from."""
    found = failure("class Mine(ValueError, KeyError): pass\nraise Mine('x')")
    assert found.type == "Mine"
    assert set(found.bases) >= {"ValueError", "KeyError", "LookupError", "Exception", "BaseException", "object"}
    assert "Mine" not in found.bases


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("def __str__(self): raise RuntimeError", ""),
        ("def __str__(self): raise KeyboardInterrupt", ""),
        ("def __str__(self): import sys; sys.exit(3)", ""),
        ("def __str__(self): return 7", ""),
        ("def __str__(self): return str(self)", ""),
        ("def __str__(self): return 'x' * 10_000_000", "x" * 600),
    ],
)
def test_exceptions_that_cannot_be_written_have_no_text(method: str, text: str) -> None:
    """An exception whose text fails is still an exception with a name; a long text is cut."""
    found = failure(f"class E(Exception):\n    {method}\nraise E")
    assert (found.type, found.text, found.line) == ("E", text, 3)


def test_tracebacks_can_show_the_source() -> None:
    """The lines are there for ``traceback``, which some learners print."""
    library({"load_t": "def f():\n    1 / 0  # here"})
    names = namespace("load_t")
    with pytest.raises(ZeroDivisionError) as caught:
        names["f"]()
    assert "1 / 0  # here" in "".join(traceback.format_exception(caught.value))


MISSING = """\
import json, nowhere, itertools
import nowhere.deep as deep
from nowhere import tool, other as another
"""
SURVIVES = {
    "an attribute": "tool.style.use('x')\nx = json.dumps(1)",
    "a call": "figure, (axis, *rest) = another()\naxis.plot()\nx = json.dumps(1)",
    "a loop": "for step in tool(range(3)):\n    pass\nx = json.dumps(1)",
    "a block": "with tool.style() as s:\n    y = 1\nx = json.dumps(1)",
    "an annotation": "def f(q: tool[int, 'b n'] | None, *, k: deep.T = tool) -> tool[0]: return '1'\nx = f(0)",
    "an annotated class": "class C:\n    q: tool[int]\n    def f(self, q: deep.T): return '1'\nx = C().f(0)",
    "an alias of a type": "V = tool[int, 'n']\nW = V | None\ndef f(q: V, k: W): return '1'\nx = f(0, 0)",
    "a decorator": "@tool\ndef f(): pass\nx = json.dumps(1)",
    "a base class": "class C(tool.Module): pass\nclass D(C): pass\nx = json.dumps(1)",
    "an assignment to it": "deep.option = 1\ntool['a'] = 2\nx = json.dumps(1)",
    "an operator": "y = 3 * tool\ny += 1\nx = json.dumps(1)",
    "a condition": "x = json.dumps(1) if tool is not None and isinstance(1, int) else 0",
    "a function that is not called": "def f(): return tool(1)\nx = json.dumps(1)",
    "a caught import": "try:\n    import nowhere2\nexcept ImportError:\n    x = json.dumps(1)",
    "a suppressed import": "import contextlib\nwith contextlib.suppress(ImportError):\n    import nowhere2\nx = '1'",
    "an import in a condition": "if json:\n    import nowhere2\nx = json.dumps(1)",
    "all names": "from nowhere import *\nx = json.dumps(1)",
    "a library's own import": "from torch.utils.tensorboard import SummaryWriter\nx = json.dumps(1)",
}


@pytest.mark.parametrize("name", SURVIVES)
def test_a_module_that_is_not_there_costs_only_what_uses_it(name: str) -> None:
    """Whatever the top level does with it, the definitions that do without it are there."""
    made = library({"load_absent": MISSING + SURVIVES[name]})
    assert namespace("load_absent")["x"] == "1"
    assert made.absent["nowhere"] == ("load_absent.py", 1)


@pytest.mark.parametrize(
    "use",
    [
        *(
            "tool(1)",
            "tool.x",
            "tool['a']",
            "deep.y.z",
            "list(another)",
            "1 + tool",
            "tool @ 1",
            "made()",
            "made.x",
            "-tool",
        ),
        *(
            "isinstance(1, tool)",
            "float(tool)",
            "tool < 1",
            "setattr(tool, 'x', 1)",
            "Lost()",
            "len(tool)",
            "1 in tool",
        ),
    ],
)
def test_what_uses_it_raises_an_import_error_that_names_it(use: str) -> None:
    """Also what was to be made with it, and whenever it is used."""
    lost = "made = tool.figure()\nclass Lost(tool): pass\n"
    made = library({"load_used": MISSING + lost + f"def f():\n    return {use}"})
    with pytest.raises(ImportError) as caught:
        namespace("load_used")["f"]()
    failure = Failure.of(caught.value, made.labels)
    assert failure.type == "ModuleNotFoundError"
    assert failure.text == "nowhere is not available here (imported in load_used.py, line 1)"
    assert (failure.file, failure.line) == ("load_used.py", 7)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from json import nothing", ImportError),
        ("raise ModuleNotFoundError('mine')", ModuleNotFoundError),
        ("import nowhere\nnothing", NameError),
        ("import nowhere\ndef f(:", SyntaxError),
        ("def f():\n    import nowhere\nf.x.y", AttributeError),
    ],
)
def test_other_exceptions_still_end_the_file(text: str, kind: type[Exception]) -> None:
    """Only a module that is not there is forgiven."""
    library({"load_other": text})
    with pytest.raises(kind):
        namespace("load_other")


def test_an_import_in_a_function_fails_as_in_python() -> None:
    """No stand-in is in the way of ``except ImportError``, of a later import or of other files."""
    library(
        {
            "load_real": "import nowhere\ndef f():\n    try:\n        import nowhere\n"
            "    except ImportError as error:\n        return error.name\nfirst = f()",
            "load_beside": "try:\n    import nowhere\nexcept ImportError:\n    x = 1",
        }
    )
    assert namespace("load_real")["first"] == "nowhere"
    assert namespace("load_beside")["x"] == 1


def test_one_file_is_executed_as_python_does() -> None:
    """The docstring, annotations and the future are those of the file."""
    library(
        {
            "load_plain": '"""first"""\nimport json\n"""second"""\nx: int = 1\ndef f(a: x): pass',
            "load_future": "from __future__ import annotations\ndef f(a: nothing): pass",
        }
    )
    plain = namespace("load_plain")
    assert plain["__doc__"] == "first"
    assert plain["f"].__annotations__ == {"a": 1}
    assert namespace("load_future")["f"].__annotations__ == {"a": "nothing"}


def test_the_future_of_one_cell_is_that_of_the_notebook() -> None:
    """``from __future__ import annotations`` holds for the cells after it, as in Jupyter."""
    cells = [("nb cell 1", "from __future__ import annotations"), ("nb cell 2", "def f(a: nothing): pass")]
    made = library({"load_nb_future": cells})
    assert namespace("load_nb_future")["f"].__annotations__ == {"a": "nothing"}
    assert not made.sources["load_nb_future"].failures


def test_a_cell_goes_on_after_an_import_that_fails() -> None:
    """The imports after it, in the same cell, are made."""
    library({"load_cell": [("nb cell 1", "import nowhere\nimport json"), ("nb cell 2", "x = json.dumps(1)")]})
    assert namespace("load_cell")["x"] == "1"
