"""The order in which the hints of an exercise are shown: what fits the failure first, the line of code last."""

from __future__ import annotations

from grader.core.model import Exercise, ExerciseResult, Message, Question

HINT = Message("{name}, hint {rung} of {rungs}:")

#: Shorter words ("the", "of", "and") say nothing about what a hint is about.
_SHORTEST = 4


def order(exercise: Exercise, about: str) -> tuple[int, ...]:
    """The numbers of the hints, from 1, in the order in which to show them to somebody whose failure is ``about`` this.

    The last hint is nearly the line of code and stays last. Of the others, the one that shares most of its own words
    with ``about`` comes first; the rest keep their order.
    """
    early = [_words(hint.en) for hint in exercise.hints[:-1]]
    common = set.intersection(*early) if len(early) > 1 else set()
    fits = [len((words - common) & _words(about)) for words in early]
    best = fits.index(max(fits)) if fits else 0
    numbers = list(range(1, len(exercise.hints) + 1))
    return tuple(numbers[best : best + 1] + numbers[:best] + numbers[best + 1 :])


def about(question: Question, misconception: str | None, result: ExerciseResult | None = None) -> str:
    """English words on what went wrong: the misconception, and the check and case that failed first."""
    belief = question.misconception(misconception)
    words = [] if belief is None else [belief.id, belief.truth.en, *([belief.ask.en] if belief.ask else [])]
    first = result.first_failure if result is not None else None
    words += [] if first is None else [first.check, first.case]
    return " ".join(words)


def _words(text: str) -> set[str]:
    letters = "".join(char if char.isalpha() else " " for char in text.lower())
    return {word.removesuffix("s") for word in letters.split() if len(word) >= _SHORTEST}
