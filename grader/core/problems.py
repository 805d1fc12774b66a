"""Everything that can be wrong with a bank: an id, a sentence and a hint for each kind of problem.

Ids are stable: scripts may rely on them. ``docs/author-guide.md`` lists them, held by a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from grader.core.errors import CourseError


class Kind(Enum):
    """A kind of problem: its id, what is wrong, and what to do."""

    # files
    NO_QUESTIONS = "no-questions", "The course has no question.", "Add files such as questions/q05_attention.yaml."
    NOT_UTF8 = "not-utf8", "A file is not UTF-8.", "Save it as UTF-8."
    NOT_YAML = "not-yaml", "A file is not YAML, or uses a part of YAML that the bank does without.", "Correct the line."
    NOT_PYTHON = "not-python", "A reference is not Python.", "Correct the line; `python FILE` shows it, too."
    STRAY_FILE = "stray-file", "Nothing reads a file in questions/.", "Name it like q05_topic.yaml, or remove it."
    FILE_NAME = "file-name", "The id of a question is not the number in its file's name.", "Change one of them."

    # the shape of a file
    MISSING_KEY = "missing-key", "A key is missing.", "Add it."
    UNKNOWN_KEY = "unknown-key", "A key does not belong there.", "Correct its spelling, or remove it."
    MISPLACED_KEY = "misplaced-key", "Nothing reads a key of questions/course.yaml.", "Move it to course.yaml."
    UNKNOWN_CHOICE = "unknown-choice", "A value is none of those that its key takes.", "Choose one that is listed."
    WRONG_TYPE = "wrong-type", "A value has another type than its key takes.", "Write what is expected."
    WRONG_FORM = "wrong-form", "A text does not have the form that its key takes.", "Write it like the example."
    WRONG_LENGTH = "wrong-length", "A list or text is too short or too long.", "Add or remove entries."
    OUT_OF_RANGE = "out-of-range", "A number is out of range.", "Choose one within the range."
    EMPTY_TEXT = "empty-text", "A text is empty in one of the languages.", "Write it in English and in Chinese."

    # names
    DUPLICATE_NAME = "duplicate-name", "A name is used twice.", "Rename one of them."
    REPEATED_ALIAS = "repeated-alias", "An item repeats an alias of course.yaml.", "Remove it from the item."
    UNKNOWN_GROUP = "unknown-group", "A group is not in course.yaml.", "Correct it, or add the group."
    UNKNOWN_SOURCE = "unknown-source", "A source is not in sources.yaml.", "Correct it, or add the source."
    UNKNOWN_QUESTION = "unknown-question", "course.yaml names a question that does not exist.", "Correct the id."
    UNKNOWN_EXERCISE = "unknown-exercise", "course.yaml names an exercise that does not exist.", "Correct the name."
    UNKNOWN_ITEM = "unknown-item", "An item is named that does not exist.", "Correct the id."
    UNKNOWN_ENTRY = "unknown-entry", "An item names an entry that it does not have.", "Correct the id."
    UNKNOWN_MISCONCEPTION = (
        "unknown-misconception",
        "A misconception is named that the question does not declare.",
        "Correct the id, or declare it under misconceptions:.",
    )
    UNKNOWN_REFERENCE = "unknown-reference", "There is no such reference.", "Correct the name, or write the reference."
    UNKNOWN_CHECK = "unknown-check", "There is no such check, or the exercise does not make it.", "Correct the name."
    UNKNOWN_CASE = "unknown-case", "The exercise has no such case.", "Correct the name."
    UNKNOWN_ARGUMENT = "unknown-argument", "There is no such argument.", "Correct the name, or the signature."
    UNKNOWN_HELPER = "unknown-helper", "The sandbox has no such helper.", "Correct the name."
    UNKNOWN_SYMBOL = "unknown-symbol", "A symbol is used that is not drawn.", "Correct it, or add it under draw:."
    UNKNOWN_CONDITION = (
        "unknown-condition",
        "There is no such condition.",
        "Choose one of the table in docs/author-guide.md.",
    )
    UNKNOWN_EXCEPTION = "unknown-exception", "A case cannot ask for this exception.", "Choose one that is listed."

    # items, exercises and their cases
    CORRECT_OPTIONS = (
        "correct-options",
        "An item has too few or too many correct options.",
        "Mark the right ones with correct: true.",
    )
    FORMULA = "formula", "A formula, shape, number or pattern of an item cannot be read.", "Write it like the example."
    WRONG_IS_RIGHT = (
        "wrong-is-right",
        "An answer of an item that stands for a misconception is right, or stands for two.",
        "Change or remove it.",
    )
    OWN_ANSWER = "own-answer", "An item does not accept its own answer.", "Correct the answer, or what it must show."
    GIVEN_AWAY = (
        "given-away",
        "An item can be answered without knowing anything.",
        "Change the order or the ideas, so that not just any answer passes.",
    )
    PAIRS = "pairs", "Entries of an item have no partner, or share one.", "Give each its own, or write reuse: true."
    ITEM_ID = "item-id", "The id of an item does not begin with the id of its question.", "Change the id."
    PLACEHOLDER = "placeholder", "A question does not ask about a number that it draws.", "Write {name} in both texts."
    SEALED = "sealed", "A key of learners' editions is used in a course.", "Remove it; `bank publish` writes it."
    NOTHING_GRADED = "nothing-graded", "Points are given to a question with nothing graded.", "Remove the points."
    CHECK_WITHOUT_CASE = "check-without-case", "A check has no case to run on.", "Add a case, or name some under on:."
    EMPTY_VARIANT = "empty-variant", "A variant changes nothing.", "Add expand: or give:, or remove it."
    MISSING_ARGUMENT = "missing-argument", "A case does not give a required argument.", "Add it, or raises:."
    UNUSED_KEY = "unused-key", "A case has values that nothing takes.", "Remove them, or add what takes them."
    RECIPE = "recipe", "A value of a case is not a recipe.", "Write a constant, or one of the recipes."
    SIZE = "size", "A size has no value, or one that is too small.", "Change it, or what is drawn."
    EDIT = "edit", "An edit of a mistake cannot be made.", "Make it fit the reference as it is now."

    # what only running the code shows
    FEW_ITEMS = "few-items", "A question has too few items.", "Write more under items:."
    FEW_MISTAKES = "few-mistakes", "An exercise has too few mistakes.", "Add typical wrong solutions under mistakes:."
    FEW_HINTS = (
        "few-hints",
        "An exercise has too few hints.",
        "Add some under hints:, from a question to nearly the line.",
    )
    FEW_IDEAS = (
        "few-ideas",
        "A derivation has fewer ideas than points.",
        "Add under ideas: what a line between start and end must show, or make it an expression.",
    )
    EMPTY_DERIVATION = (
        "empty-derivation",
        "A derivation gives points for lines that derive nothing.",
        "Give it ideas that only a real step shows.",
    )
    UNKNOWN_LANDMARK = (
        "unknown-landmark",
        "A landmark names an expression that the reference does not have.",
        "Write the expression as it is in the reference, or set at: to which of several is meant.",
    )
    FEW_LANDMARKS = (
        "few-landmarks",
        "An exercise has too few landmarks.",
        "Name intermediate values of the reference under landmarks:.",
    )
    UNUSED_MISCONCEPTION = (
        "unused-misconception",
        "No item and no mistake reveals a misconception.",
        "Name it in an option or a mistake, or remove it.",
    )
    NO_GUIDING_QUESTION = "no-guiding-question", "A misconception has no guiding question.", "Add ask: or ask_next:."
    ASKS_ABOUT_CODE = (
        "asks-about-code",
        "After a wrong answer to an item, the guiding question is about code.",
        "Add ask_item: with a question for those who wrote none.",
    )
    CIRCULAR_FOLLOW_UP = (
        "circular-follow-up",
        "ask_next leads back to the only item that shows the misconception.",
        "Name another item, or leave ask_next out.",
    )
    ANSWERS_ALIKE = (
        "answers-alike",
        "One wrong answer shows two misconceptions.",
        "Draw other numbers, or name only one of them.",
    )
    NO_LEVEL = "no-level", "An item does not say how hard it is, but others do.", "Add level: 1, 2 or 3."
    FEW_HARD_ITEMS = "few-hard-items", "A question has too few hard items.", "Add items of level 3."
    LENGTH_TELLS = (
        "length-tells",
        "The length of options gives answers away.",
        "Rewrite options until the right one is the longest, and the shortest, about as often as chance makes it.",
    )
    WORDING_TELLS = (
        "wording-tells",
        "Some words are much more frequent among right options than among wrong ones, or less.",
        "Reword options of either kind.",
    )
    STEM_TELLS = (
        "stem-tells",
        "The question and its right option share a word that no other option has.",
        "Use another word, or use it in a wrong option, too.",
    )
    KEY_SHOWN = (
        "key-shown",
        "A text of the course shows the key of a graded item, or solves an exercise.",
        "Ask for something else, or take the formula out of the text.",
    )
    NO_PUBLIC_CASE = "no-public-case", "An exercise has no public case.", "Mark a small case with public: true."
    NO_HIDDEN_CASE = "no-hidden-case", "An exercise has no hidden case.", "Add cases without public: true."
    UNTESTED_CONDITION = (
        "untested-condition",
        "No case has a condition under which wrong code often fails.",
        "Add a case that has it, or say under not_applicable: why none can.",
    )
    NEEDLESS_REASON = (
        "needless-reason",
        "A reason is given for a condition that does not apply to the exercise.",
        "Remove it from not_applicable:.",
    )
    STUB_PASSES = (
        "stub-passes",
        "The stub that learners start from is missing an exercise or earns points.",
        "A check that passes without code checks nothing: give it a better case.",
    )
    REFERENCE_FAILS = "reference-fails", "A reference does not pass.", "Fix the reference or the case."
    BROKEN_CHECK = (
        "broken-check",
        "A check raises an exception of its own.",
        "Fix the check: judge has to cope with any result.",
    )
    REACHABLE = (
        "reachable",
        "A name that is forbidden can still be reached.",
        "Forbid what it is made of, too, or drop the name.",
    )
    MISTAKE_PASSES = "mistake-passes", "A mistake passes every check.", "Add a case or a check that catches it."
    MISTAKE_FAILS_ELSEWHERE = (
        "mistake-fails-elsewhere",
        "A mistake does not fail the check that it declares.",
        "Correct fails:, or add a case that catches it.",
    )
    MISTAKE_NOT_NAMED = (
        "mistake-not-named",
        "A mistake is not recognised as itself.",
        "Make its results differ from the others' on some case.",
    )
    MISTAKES_ALIKE = (
        "mistakes-alike",
        "No check tells two mistakes apart.",
        "Add a case on which they differ, or join them.",
    )

    def __init__(self, id_: str, sentence: str, hint: str) -> None:
        self.id, self.sentence, self.hint = id_, sentence, hint


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the bank: of which kind, where (file, line, key; or question and exercise), and what."""

    kind: Kind
    where: str
    text: str

    @property
    def id(self) -> str:
        """The id of its kind."""
        return self.kind.id

    @property
    def hint(self) -> str:
        """What to do."""
        return self.kind.hint

    def __str__(self) -> str:
        """One line, with the id in brackets."""
        return f"{self.where}: {self.text} [{self.id}]"


class ProblemsError(CourseError):
    """A course that cannot be read, with every ``problem`` that was found."""

    def __init__(self, message: str, problems: Sequence[Problem]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
