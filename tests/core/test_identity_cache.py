"""A function is called once for each object."""

from __future__ import annotations

from grader.core.cache import cached_by_identity


def test_once_for_each_object() -> None:
    """Equal objects are different objects; what is too much to remember is computed again."""
    asked: list[list[int]] = []

    @cached_by_identity(2)
    def total(values: list[int]) -> int:
        asked.append(values)
        return sum(values)

    one, twin, more = [1], [1], [2]
    assert [total(one), total(one), total(twin), total(twin)] == [1] * 4
    assert [each is wanted for each, wanted in zip(asked, (one, twin), strict=True)] == [True, True]
    assert [total(more), total(more), total(one)] == [2, 2, 1]
    assert len(asked) == 4


def test_another_object_with_the_same_id_is_another() -> None:
    """What is remembered is kept, so that its id cannot be used again."""
    total = cached_by_identity(1000)(sum)
    assert [total([number]) for number in range(100)] == list(range(100))
