from __future__ import annotations

import math

import pytest
import yaml

from grader.core import yaml_positions
from grader.core.errors import CourseError, SubmissionError
from grader.core.yaml_positions import parse


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers: the fast one, and the one that is always there."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML without libyaml")
    monkeypatch.setattr(yaml_positions, "_LOADER", getattr(yaml, request.param))
    return str(request.param)


def test_lines_are_those_of_keys_and_entries(loader: str) -> None:
    """Every part of a document knows the line it begins on."""
    document = parse(TEXT, "f.yaml", CourseError)
    assert document.value == {"a": 1, "b": ["x", {"c": "y", "d": [1, 2]}], "e": "text\n"}
    assert document.lines == {
        (): 1,
        ("a",): 2,
        ("b",): 4,
        ("b", 0): 5,
        ("b", 1): 6,
        ("b", 1, "c"): 6,
        ("b", 1, "d"): 7,
        ("b", 1, "d", 0): 7,
        ("b", 1, "d", 1): 7,
        ("e",): 8,
    }


TEXT = """# a comment
a: 1

b:
  - x
  - {c: y,
     d: [1, 2]}
e: |
  text
"""


def test_the_line_of_what_is_missing_is_that_of_what_is_around_it() -> None:
    """A key that is not there is looked for where it should be."""
    document = parse(TEXT, "f.yaml", CourseError)
    assert document.line(("b", 1, "nothing", 3)) == 6
    assert document.line(("nothing",)) == 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("y", "y"),
        ("Off", "Off"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("007", "007"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("9" * 200, "9" * 200),
        ("１", "１"),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1e-5", 1e-5),
        ("2.5E+3", 2500.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("1e", "1e"),
        ("2017-06-12", "2017-06-12"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("=", "="),
        ("<<", "<<"),
        ("注意力", "注意力"),
    ],
)
def test_scalars_are_read_as_yaml_1_2(loader: str, written: str, value: object) -> None:
    """What is not plainly a number, a boolean or null stays the text that was written."""
    found = parse(f"k: {written}\n", "f.yaml", CourseError).value["k"]
    assert found == value
    assert type(found) is type(value)


def test_not_a_number_is_one(loader: str) -> None:
    """``.nan`` is the float."""
    assert math.isnan(parse("[.nan]", "f.yaml", CourseError).value[0])


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n", "null", "\ufeff"])
def test_an_empty_document_is_none(text: str) -> None:
    """Nothing is a value, too; whether it will do is for the reader to say."""
    assert parse(text, "f.yaml", CourseError).value is None


@pytest.mark.parametrize(
    ("text", "line", "fragments"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, ["the key 'a' is given twice", "first on line 1"]),
        ("x:\n  - {en: a, en: b}\n", 2, ["x[0]: ", "'en'", "twice"]),
        ("a: &anchor 1\n", 1, ["a: an anchor (&anchor)", "expected a value without one"]),
        ("a: 1\nb: *anchor\n", 2, ["b: an alias (*anchor)", "expected the value itself"]),
        (
            "a: !!python/object/apply:os.system [ls]\n",
            1,
            ["a: a tag (tag:yaml.org,2002:python/object/apply:os.system)"],
        ),
        ("a: ! 1\n", 1, ["a: a tag (!)"]),
        ("!!str a: 1\n", 1, ["a tag"]),
        ("--- 1\n--- 2\n", 2, ["a second document"]),
        ("a: 1\n1: b\n", 2, ["the key 1 is not a string", "put it in quotes"]),
        ("true: b\n", 1, ["the key true is not a string"]),
        ("~: b\n", 1, ["the key ~ is not a string"]),
        ("? [a]\n: b\n", 1, ["a list or mapping is used as a key"]),
        ("[" * 60 + "]" * 60, 1, ["nested more than 40 levels"]),
        ("a: b: c\n", 1, ["not YAML", "a text that contains ': ' needs quotes"]),
        ("a: 1\n\tb: 2\n", 2, ["not YAML"]),
        ("a:\n  - [1, 2\nb: 3\n", 3, ["not YAML", "',' or ']'", "begins on line 2"]),
        ("a: @b\n", 1, ["not YAML", "begins with @", "in quotes"]),
        ('a: "\\q"\n', 1, ["not YAML", "escape"]),
        ("a: 1\nb: \x07\n", 2, ["not YAML", "a character that is not allowed"]),
    ],
)
def test_faults_name_file_line_and_remedy(loader: str, text: str, line: int, fragments: list[str]) -> None:
    """Everything outside the subset is refused in the caller's own kind of error, with its place."""
    with pytest.raises(SubmissionError) as caught:
        parse(text, "answers.yaml", SubmissionError)
    message = str(caught.value)
    assert message.startswith(f"answers.yaml:{line}: ")
    for fragment in fragments:
        assert fragment in message


def test_half_a_character_is_refused() -> None:
    """Text that cannot be encoded is a fault with a line, not a crash."""
    with pytest.raises(CourseError, match=r"f\.yaml:2: .*surrogate"):
        parse("a: 1\nb: \ud800\n", "f.yaml", CourseError)
