"""The kinds of problems that a bank can have, each with an id, a sentence and a hint.

Ids are stable: scripts may rely on them. ``make docs`` lists them in ``docs/author-guide.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from grader.core.errors import CourseError
from grader.core.model import Message, Text


class Kind(Enum):
    """A kind of problem: its id, what is wrong, and what to do."""

    # files
    NO_QUESTIONS = (
        "no-questions",
        Message("The course has no question."),
        Message("Add files such as questions/q05_attention.yaml."),
    )
    NOT_UTF8 = (
        "not-utf8",
        Message("A file is not UTF-8."),
        Message("Save it as UTF-8."),
    )
    NOT_YAML = (
        "not-yaml",
        Message("A file is not YAML, or uses a part of YAML that the bank does not support."),
        Message("Correct the line."),
    )
    NOT_PYTHON = (
        "not-python",
        Message("A reference is not Python."),
        Message("Correct the line; `python FILE` also shows the error."),
    )
    STRAY_FILE = (
        "stray-file",
        Message("A file in questions/ is never read."),
        Message("Name it like q05_topic.yaml, or remove it."),
    )
    FILE_NAME = (
        "file-name",
        Message("A question's id does not match the number in its file name."),
        Message("Change one of them."),
    )

    # the shape of a file
    MISSING_KEY = (
        "missing-key",
        Message("A key is missing."),
        Message("Add it."),
    )
    UNKNOWN_KEY = (
        "unknown-key",
        Message("A key does not belong there."),
        Message("Correct its spelling, or remove it."),
    )
    MISPLACED_KEY = (
        "misplaced-key",
        Message("A key in questions/course.yaml is never read."),
        Message("Move it to course.yaml."),
    )
    UNKNOWN_CHOICE = (
        "unknown-choice",
        Message("A value is not one of those that its key allows."),
        Message("Choose one of the listed values."),
    )
    WRONG_TYPE = (
        "wrong-type",
        Message("A value has the wrong type for its key."),
        Message("Write a value of the expected type."),
    )
    WRONG_FORM = (
        "wrong-form",
        Message("A value has the wrong format."),
        Message("Write it like the example."),
    )
    WRONG_LENGTH = (
        "wrong-length",
        Message("A list or text is too short or too long."),
        Message("Add or remove entries."),
    )
    OUT_OF_RANGE = (
        "out-of-range",
        Message("A number is out of range."),
        Message("Choose one within the range."),
    )
    EMPTY_TEXT = (
        "empty-text",
        Message("A text is empty in one of the languages."),
        Message("Write it in English and in Chinese."),
    )

    # names
    DUPLICATE_NAME = (
        "duplicate-name",
        Message("A name is used twice."),
        Message("Rename one of them."),
    )
    REPEATED_ALIAS = (
        "repeated-alias",
        Message("An item repeats an alias of course.yaml."),
        Message("Remove it from the item."),
    )
    UNKNOWN_GROUP = (
        "unknown-group",
        Message("A group is not in course.yaml."),
        Message("Correct it, or add the group."),
    )
    UNKNOWN_SOURCE = (
        "unknown-source",
        Message("A source is not in sources.yaml."),
        Message("Correct it, or add the source."),
    )
    UNKNOWN_QUESTION = (
        "unknown-question",
        Message("course.yaml refers to a question that does not exist."),
        Message("Correct the id."),
    )
    UNKNOWN_EXERCISE = (
        "unknown-exercise",
        Message("course.yaml refers to an exercise that does not exist."),
        Message("Correct the name."),
    )
    UNKNOWN_ITEM = (
        "unknown-item",
        Message("An id refers to an item that does not exist."),
        Message("Correct the id."),
    )
    UNKNOWN_ENTRY = (
        "unknown-entry",
        Message("An item refers to an entry that it does not have."),
        Message("Correct the id."),
    )
    UNKNOWN_MISCONCEPTION = (
        "unknown-misconception",
        Message("An id refers to a misconception that the question does not declare."),
        Message("Correct the id, or declare it under misconceptions:."),
    )
    UNKNOWN_REFERENCE = (
        "unknown-reference",
        Message("There is no such reference."),
        Message("Correct the name, or write the reference."),
    )
    UNKNOWN_CHECK = (
        "unknown-check",
        Message("There is no such check, or the exercise does not use it."),
        Message("Correct the name."),
    )
    UNKNOWN_CASE = (
        "unknown-case",
        Message("The exercise has no such case."),
        Message("Correct the name."),
    )
    UNKNOWN_ARGUMENT = (
        "unknown-argument",
        Message("There is no such argument."),
        Message("Correct the name, or the signature."),
    )
    UNKNOWN_HELPER = (
        "unknown-helper",
        Message("The sandbox has no such helper."),
        Message("Correct the name."),
    )
    UNKNOWN_SYMBOL = (
        "unknown-symbol",
        Message("A symbol is used but never drawn."),
        Message("Correct it, or add it under draw:."),
    )
    UNKNOWN_CONDITION = (
        "unknown-condition",
        Message("There is no such condition."),
        Message("Choose one from the table in docs/author-guide.md."),
    )
    UNKNOWN_EXCEPTION = (
        "unknown-exception",
        Message("A case cannot require this exception."),
        Message("Choose one of the listed exceptions."),
    )

    # items, exercises and their cases
    CORRECT_OPTIONS = (
        "correct-options",
        Message("An item has too few or too many correct options."),
        Message("Mark the correct ones with correct: true."),
    )
    FORMULA = (
        "formula",
        Message("A formula, shape, number or pattern of an item cannot be read."),
        Message("Write it like the example."),
    )
    WRONG_IS_RIGHT = (
        "wrong-is-right",
        Message("An answer listed for a misconception is correct, or is listed for two misconceptions."),
        Message("Change or remove it."),
    )
    OWN_ANSWER = (
        "own-answer",
        Message("An item does not accept its own answer."),
        Message("Correct the answer, or what it must show."),
    )
    GIVEN_AWAY = (
        "given-away",
        Message("An item can be answered without knowing anything."),
        Message("Change the order or the ideas, so that not just any answer passes."),
    )
    PAIRS = (
        "pairs",
        Message("Entries of an item have no partner, or share one."),
        Message("Give each its own, or write reuse: true."),
    )
    ITEM_ID = (
        "item-id",
        Message("The id of an item does not begin with the id of its question."),
        Message("Change the id."),
    )
    PLACEHOLDER = (
        "placeholder",
        Message("A question does not ask about a number that it draws."),
        Message("Write {name} in both texts."),
    )
    SEALED = (
        "sealed",
        Message("A key of learners' editions is used in a course."),
        Message("Remove it; `bank publish` writes it."),
    )
    NOTHING_GRADED = (
        "nothing-graded",
        Message("A question has points but nothing that is graded."),
        Message("Remove the points."),
    )
    CHECK_WITHOUT_CASE = (
        "check-without-case",
        Message("A check has no case to run on."),
        Message("Add a case, or name some under on:."),
    )
    EMPTY_VARIANT = (
        "empty-variant",
        Message("A variant changes nothing."),
        Message("Add expand: or give:, or remove it."),
    )
    MISSING_ARGUMENT = (
        "missing-argument",
        Message("A case does not give a required argument."),
        Message("Add it, or raises:."),
    )
    UNUSED_KEY = (
        "unused-key",
        Message("A case sets values that no check uses."),
        Message("Remove them, or add something that uses them."),
    )
    RECIPE = (
        "recipe",
        Message("A value of a case is not a recipe."),
        Message("Write a constant, or one of the recipes."),
    )
    SIZE = (
        "size",
        Message("A size has no value, or one that is too small."),
        Message("Change it, or change the values that are drawn."),
    )
    EDIT = (
        "edit",
        Message("An edit of a mistake cannot be applied."),
        Message("Adapt it to the current reference."),
    )

    # what is checked after loading
    FEW_ITEMS = (
        "few-items",
        Message("A question has too few items."),
        Message("Write more under items:."),
    )
    FEW_MISTAKES = (
        "few-mistakes",
        Message("An exercise has too few mistakes."),
        Message("Add typical wrong solutions under mistakes:."),
    )
    FEW_HINTS = (
        "few-hints",
        Message("An exercise has too few hints."),
        Message("Add some under hints:, from a guiding question to almost the final line."),
    )
    FEW_IDEAS = (
        "few-ideas",
        Message("A derivation has fewer ideas than points."),
        Message("Add under ideas: what a line between start and end must show, or make it an expression."),
    )
    EMPTY_DERIVATION = (
        "empty-derivation",
        Message("A derivation gives points for lines that derive nothing."),
        Message("Add ideas that only a real step shows."),
    )
    UNKNOWN_LANDMARK = (
        "unknown-landmark",
        Message("A landmark names an expression that the reference does not have."),
        Message("Write the expression exactly as in the reference, or use at: to say which occurrence is meant."),
    )
    FEW_LANDMARKS = (
        "few-landmarks",
        Message("An exercise has too few landmarks."),
        Message("List intermediate values of the reference under `landmarks:`."),
    )
    UNUSED_MISCONCEPTION = (
        "unused-misconception",
        Message("A misconception is revealed by no item and by no mistake."),
        Message("Refer to it in an option or a mistake, or remove it."),
    )
    NO_GUIDING_QUESTION = (
        "no-guiding-question",
        Message("A misconception has no guiding question."),
        Message("Add ask: or ask_next:."),
    )
    ASKS_ABOUT_CODE = (
        "asks-about-code",
        Message("After a wrong answer to an item, the guiding question is about code."),
        Message("Add ask_item: with a question for learners who wrote no code."),
    )
    CIRCULAR_FOLLOW_UP = (
        "circular-follow-up",
        Message("ask_next leads back to the only item that shows the misconception."),
        Message("Refer to another item, or leave out ask_next."),
    )
    ANSWERS_ALIKE = (
        "answers-alike",
        Message("One wrong answer points to two misconceptions."),
        Message("Draw other numbers, or name only one of them."),
    )
    NO_LEVEL = (
        "no-level",
        Message("An item does not say how hard it is, but others do."),
        Message("Add level: 1, 2 or 3."),
    )
    FEW_HARD_ITEMS = (
        "few-hard-items",
        Message("A question has too few hard items."),
        Message("Add items of level 3."),
    )
    LENGTH_TELLS = (
        "length-tells",
        Message("The length of options gives answers away."),
        Message("Rewrite options until the correct one is the longest, or the shortest, about as often as by chance."),
    )
    WORDING_TELLS = (
        "wording-tells",
        Message("Some words are much more frequent, or much less, in correct options than in wrong ones."),
        Message("Reword correct or wrong options."),
    )
    STEM_TELLS = (
        "stem-tells",
        Message("The question and its correct option share a word that no other option has."),
        Message("Use another word, or use it in a wrong option as well."),
    )
    KEY_SHOWN = (
        "key-shown",
        Message("A text of the course shows the key of a graded item, or solves an exercise."),
        Message("Ask for something else, or remove the formula from the text."),
    )
    NO_PUBLIC_CASE = (
        "no-public-case",
        Message("An exercise has no public case."),
        Message("Mark a small case with public: true."),
    )
    NO_HIDDEN_CASE = (
        "no-hidden-case",
        Message("An exercise has no hidden case."),
        Message("Add cases without public: true."),
    )
    UNTESTED_CONDITION = (
        "untested-condition",
        Message("No case covers a condition under which wrong code often fails."),
        Message("Add a case that covers it, or explain under not_applicable: why no case can."),
    )
    NEEDLESS_REASON = (
        "needless-reason",
        Message("A reason is given for a condition that does not apply to the exercise."),
        Message("Remove it from not_applicable:."),
    )
    STUB_PASSES = (
        "stub-passes",
        Message("The stub that learners start from is missing an exercise or earns points."),
        Message("A check that passes without code is useless: give it a better case."),
    )
    REFERENCE_FAILS = (
        "reference-fails",
        Message("A reference does not pass."),
        Message("Fix the reference or the case."),
    )
    ALTERNATIVE_FAILS = (
        "alternative-fails",
        Message("Another correct way to write an exercise does not pass."),
        Message("Fix the code that it names, or remove it."),
    )
    BROKEN_CHECK = (
        "broken-check",
        Message("A check itself raises an exception."),
        Message("Fix the check: judge must handle any result."),
    )
    REACHABLE = (
        "reachable",
        Message("A forbidden function can still be called."),
        Message("Also forbid the functions that it is built from, or remove the name."),
    )
    MISTAKE_PASSES = (
        "mistake-passes",
        Message("A mistake passes every check."),
        Message("Add a case or a check that catches it."),
    )
    MISTAKE_FAILS_ELSEWHERE = (
        "mistake-fails-elsewhere",
        Message("A mistake does not fail the check that it declares."),
        Message("Correct fails:, or add a case that catches it."),
    )
    MISTAKE_NOT_NAMED = (
        "mistake-not-named",
        Message("A mistake is not recognised as itself."),
        Message("Make its results differ from the others' on some case."),
    )
    MISTAKES_ALIKE = (
        "mistakes-alike",
        Message("No check tells two mistakes apart."),
        Message("Add a case on which they differ, or merge them."),
    )

    def __init__(self, id_: str, sentence: Text, hint: Text) -> None:
        self.id, self.sentence, self.hint = id_, sentence, hint


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the bank: its kind, ``where`` it is (file, line and key, or question and exercise), and details."""

    kind: Kind
    where: str
    text: str

    @property
    def id(self) -> str:
        """The id of its kind."""
        return self.kind.id

    @property
    def hint(self) -> Text:
        """What to do."""
        return self.kind.hint

    @property
    def said(self) -> Text:
        """One line, with the id in brackets. In Chinese, the kind's sentence is before the details."""
        sentence = self.kind.sentence.zh.removesuffix("。")
        return Text(str(self), f"{self.where}：{sentence}（{self.text}）[{self.id}]")

    def __str__(self) -> str:
        """One line, with the id in brackets."""
        return f"{self.where}: {self.text} [{self.id}]"


class ProblemsError(CourseError):
    """A course that cannot be read, with every ``problem`` that was found."""

    def __init__(self, message: Text, problems: Sequence[Problem]) -> None:
        super().__init__(message)
        self.args = message, problems  # so that it can be pickled
        self.problems = tuple(problems)
