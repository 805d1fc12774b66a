from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.errors import CourseError, UsageError
from grader.core.model import Case, Causal, CheckSpec, Integers, Literal_, Normal, RandomMask, Recipe, Same, Symbol
from grader.grading.inputs import Seed, draw, draw_for, make, random_mask
from tests.helpers import case

HIDDEN = replace(
    case("hidden", public=False, q=Normal((2, "n", 8)), k=Normal((2, "n + 1", 8))), draw=(("n", tuple(range(1, 40))),)
)


def drawn(one: Case = HIDDEN, seed: Seed | None = None) -> dict[str, Any]:
    """The arguments of a case."""
    return dict(draw(one, "attend", seed or Seed.number(1)).args)


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two sets of arguments are equal in everything."""
    return a.keys() == b.keys() and all(
        a[name].dtype == b[name].dtype and np.array_equal(a[name], b[name]) for name in a
    )


# ----------------------------------------------------------------------------------------------- seeds


def test_a_seed_gives_the_same_inputs_again() -> None:
    """Grading again is grading the same."""
    assert same(drawn(), drawn())


def test_hidden_cases_follow_the_seed() -> None:
    """Other seeds give other numbers and, in the long run, other sizes."""
    several = [drawn(seed=Seed.number(number)) for number in range(8)]
    assert len({each["q"].tobytes() for each in several}) == 8
    assert len({each["q"].shape for each in several}) > 1
    assert all(each["k"].shape[1] == each["q"].shape[1] + 1 for each in several)


def test_public_cases_do_not_depend_on_the_seed() -> None:
    """Everybody can talk about the same numbers."""
    public = replace(HIDDEN, public=True)
    assert same(drawn(public, Seed.number(1)), drawn(public, Seed.number(2)))
    assert same(drawn(public, Seed.public()), drawn(public, Seed.number(2)))


def test_exercises_and_cases_have_numbers_of_their_own() -> None:
    """No two draw the same."""
    q = drawn()["q"]
    assert not np.array_equal(q, drawn(replace(HIDDEN, name="other"))["q"])
    assert not np.array_equal(q, dict(draw(HIDDEN, "other", Seed.number(1)).args)["q"])


def test_adding_an_argument_moves_no_other() -> None:
    """Each array has a generator of its own, and each symbol."""
    before = drawn()
    wider = replace(HIDDEN, args=(("mask", RandomMask((3, 3))), *HIDDEN.args[::-1]), draw=(("m", (1, 2)), *HIDDEN.draw))
    after = drawn(wider)
    del after["mask"]
    assert same(before, dict(sorted(after.items(), reverse=True)))


def test_arguments_construction_and_parameters_do_not_share_numbers() -> None:
    """The same name in another place is another array."""
    both = replace(HIDDEN, construct=(("q", Normal((2, 1, 8))),), parameters=(("q", Normal((2, 1, 8))),))
    found = draw(both, "attend", Seed.public())
    assert len({dict(part)["q"][0, 0].tobytes() for part in (found.args, found.construct, found.parameters)}) == 3


def test_a_secret_seed_comes_from_a_file(tmp_path: Path) -> None:
    """Its label gives nothing of it away; white space around it does not count."""
    file = tmp_path / "seed"
    file.write_bytes(b"0123456789abcdef\n")
    seed = Seed.from_file(file)
    assert (seed.label[:5], len(seed.label), seed.secret) == ("file:", 13, True)
    assert b"0123456789abcdef" in seed.key
    file.write_bytes(b" 0123456789abcdef")
    assert Seed.from_file(file) == seed
    assert not Seed.public().secret
    assert not Seed.number(1).secret
    assert not same(drawn(seed=seed), drawn(seed=Seed.number(1)))


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read: No such file"), (b" short \n", "has 5 bytes")])
def test_a_seed_file_that_is_none(tmp_path: Path, content: bytes | None, said: str) -> None:
    """A missing or too short one is refused with what to do."""
    file = tmp_path / "seed"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        Seed.from_file(file)
    assert str(file) in str(caught.value)


# --------------------------------------------------------------------------------------------- recipes


def one(recipe: Recipe, **symbols: int) -> Any:
    """What a recipe makes."""
    return make(recipe, symbols, np.random.default_rng(0))


def test_normal_numbers_are_scaled_then_shifted() -> None:
    """Float32, with about the moments that were asked for."""
    found = one(Normal((100, "n"), scale=3.0, shift=5.0), n=100)
    assert (found.shape, found.dtype) == ((100, 100), np.float32)
    assert abs(found.mean() - 5) < 0.2
    assert abs(found.std() - 3) < 0.2


def test_integers_lie_in_their_range() -> None:
    """From ``low``, below ``high``, all of them possible; sizes may be drawn symbols."""
    found = one(Integers((200,), low="n - 1", high="n + 3"), n=4)
    assert found.dtype == np.int64
    assert set(found.tolist()) == {3, 4, 5, 6}


@pytest.mark.parametrize("shape", [(3, 5), (4, 2, 6), (2, 1, 1, 4), (3, 2, 5, 2)])
@pytest.mark.parametrize("keep", [0.0, 0.3, 1.0])
def test_every_row_of_a_mask_keeps_and_hides(shape: tuple[int, ...], keep: float) -> None:
    """A mask that says nothing in some row would not be a test of it."""
    found = random_mask(shape, keep, (), np.random.default_rng(0))
    assert (found.shape, found.dtype) == (shape, bool)
    assert found.any(-1).all()
    assert not found.all(-1).any()


def test_a_mask_of_one_key_keeps_it() -> None:
    """There is nothing that could be hidden."""
    assert one(RandomMask((3, 1))).all()


def test_a_mask_keeps_about_what_it_should() -> None:
    """``keep`` is a share."""
    assert abs(one(RandomMask((50, 50), keep=0.3)).mean() - 0.3) < 0.05


def test_empty_rows_in_every_second_sample() -> None:
    """Only the rows that were named, only in samples 0, 2, …"""
    found = one(RandomMask((3, 2, 4, 5), empty=(0, -1))).reshape(6, 4, 5)
    assert found.any(-1).tolist() == [[False, True, True, False], [True] * 4] * 3


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [(2, 2, [[1, 0], [1, 1]]), (1, 3, [[1, 1, 1]]), (2, 3, [[1, 1, 0], [1, 1, 1]]), (3, 2, [[0, 0], [1, 0], [1, 1]])],
)
def test_a_causal_mask_aligns_the_last_query_with_the_last_key(
    rows: int, columns: int, expected: list[list[int]]
) -> None:
    """With more queries than keys the first rows are empty."""
    found = one(Causal(("r", "c")), r=rows, c=columns)
    assert found.dtype == bool
    assert found.astype(int).tolist() == expected


@pytest.mark.parametrize("value", [3, 2.5, "add", True, None, [1, 2]])
def test_a_literal_is_what_it_is(value: object) -> None:
    """Without a dtype nothing becomes an array."""
    assert one(Literal_(value)) is value


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_a_literal_with_dtype_is_an_array(dtype: str) -> None:
    """Of exactly that type."""
    found = one(Literal_([[1, 0]], dtype))
    assert (found.dtype, found.tolist()) == (dtype, [[1, 0]])


def test_symbols_and_references() -> None:
    """A symbol is a Python integer; the same array again is left to the call."""
    assert one(Symbol("h * d"), h=2, d=3) == 6
    assert type(one(Symbol("h"), h=2)) is int
    assert one(Same("q")) == Same("q")


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Normal(("m",)), "'m' is not drawn"),
        (Normal((-1,)), "negative"),
        (Integers((2,), low=3, high=3), "low >= high"),
        (RandomMask((5,)), "not enough values"),
        (RandomMask((2, 0)), "size 0"),
        (RandomMask((2, 3), empty=(2,)), "out of bounds"),
        (Literal_([[1], [2, 3]], "float32"), "inhomogeneous"),
    ],
)
def test_a_recipe_that_makes_no_sense_names_its_place(recipe: Recipe, said: str) -> None:
    """Exercise, case and argument: an author finds it without a traceback."""
    with pytest.raises(CourseError, match=said) as caught:
        draw(case("odd", x=recipe), "attend", Seed.public())
    assert str(caught.value).startswith("attend, case 'odd', args.x: ")


def test_a_check_may_ask_for_several_sizes() -> None:
    """``of`` and ``at`` fix one symbol, in turn; everything else is drawn as ever."""
    spec = CheckSpec("operations", 1.0, options=(("of", "n"), ("at", [16, 32, 64])))
    found = draw_for(spec, HIDDEN, "attend", Seed.number(1))
    assert [each.value("q").shape for each in (found, *found.larger)] == [(2, 16, 8), (2, 32, 8), (2, 64, 8)]
    plain = draw_for(CheckSpec("operations", 1.0), HIDDEN, "attend", Seed.number(1))
    assert same(dict(plain.args), drawn())
    assert plain.larger == ()


@pytest.mark.parametrize(
    ("of", "at", "said"),
    [
        ("m", [1, 2], "of: found 'm'.*draws: n"),
        ("n", [2], "at: found"),
        ("n", [2, 1], "at: found"),
        ("n", ["a", 2], "at: "),
    ],
)
def test_sizes_that_make_no_sense_name_their_place(of: str, at: list[Any], said: str) -> None:
    """The symbol has to be one that the case draws, the sizes have to grow."""
    spec = CheckSpec("operations", 1.0, options=(("of", of), ("at", at)))
    with pytest.raises(CourseError, match=f"attend, check operations, {said}"):
        draw_for(spec, HIDDEN, "attend", Seed.number(1))


def test_a_value_is_found_through_references() -> None:
    """What is the same array gives that array; a changed one is seen by all that refer to it."""
    found = draw(case(x=Normal((2,)), y=Same("x")), "attend", Seed.public())
    assert found.value("y") is found.value("x")
    assert found.changed(x=3).value("y") == 3
