"""The kinds of problems that a bank can have, each with an id, a sentence and a hint.

Ids are stable: scripts may rely on them. ``make docs`` lists them in ``docs/author-guide.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from grader.core.errors import CourseError
from grader.core.model import Text


class Kind(Enum):
    """A kind of problem: its id, what is wrong, and what to do."""

    # files
    NO_QUESTIONS = (
        "no-questions",
        Text("The course has no question.", "课程里没有问题。"),
        Text("Add files such as questions/q05_attention.yaml.", "添加文件，如 questions/q05_attention.yaml。"),
    )
    NOT_UTF8 = (
        "not-utf8",
        Text("A file is not UTF-8.", "文件不是 UTF-8 编码。"),
        Text("Save it as UTF-8.", "另存为 UTF-8。"),
    )
    NOT_YAML = (
        "not-yaml",
        Text(
            "A file is not YAML, or uses a part of YAML that the bank does not support.",
            "文件不是 YAML，或用了题库不支持的 YAML 写法。",
        ),
        Text("Correct the line.", "改正这一行。"),
    )
    NOT_PYTHON = (
        "not-python",
        Text("A reference is not Python.", "参考实现不是 Python 代码。"),
        Text("Correct the line; `python FILE` also shows the error.", "改正这一行；运行 `python FILE` 也会显示它。"),
    )
    STRAY_FILE = (
        "stray-file",
        Text("A file in questions/ is never read.", "questions/ 里有没人读取的文件。"),
        Text("Name it like q05_topic.yaml, or remove it.", "按 q05_topic.yaml 的样子命名，或删除它。"),
    )
    FILE_NAME = (
        "file-name",
        Text("A question's id does not match the number in its file name.", "问题的编号与文件名里的数字不同。"),
        Text("Change one of them.", "改其中一个。"),
    )

    # the shape of a file
    MISSING_KEY = (
        "missing-key",
        Text("A key is missing.", "缺少一个键。"),
        Text("Add it.", "补上它。"),
    )
    UNKNOWN_KEY = (
        "unknown-key",
        Text("A key does not belong there.", "这里不该有这个键。"),
        Text("Correct its spelling, or remove it.", "改正拼写，或删除它。"),
    )
    MISPLACED_KEY = (
        "misplaced-key",
        Text("A key in questions/course.yaml is never read.", "questions/course.yaml 里有没人读取的键。"),
        Text("Move it to course.yaml.", "移到 course.yaml。"),
    )
    UNKNOWN_CHOICE = (
        "unknown-choice",
        Text("A value is not one of those that its key allows.", "这个键不接受这个值。"),
        Text("Choose one of the listed values.", "从列出的值里选一个。"),
    )
    WRONG_TYPE = (
        "wrong-type",
        Text("A value has the wrong type for its key.", "值的类型与这个键要求的不同。"),
        Text("Write a value of the expected type.", "按要求填写。"),
    )
    WRONG_FORM = (
        "wrong-form",
        Text("A value has the wrong format.", "值的格式与这个键要求的不同。"),
        Text("Write it like the example.", "照示例填写。"),
    )
    WRONG_LENGTH = (
        "wrong-length",
        Text("A list or text is too short or too long.", "列表或文本太短或太长。"),
        Text("Add or remove entries.", "增加或删除条目。"),
    )
    OUT_OF_RANGE = (
        "out-of-range",
        Text("A number is out of range.", "数值超出范围。"),
        Text("Choose one within the range.", "选一个范围内的数。"),
    )
    EMPTY_TEXT = (
        "empty-text",
        Text("A text is empty in one of the languages.", "文本缺少一种语言。"),
        Text("Write it in English and in Chinese.", "中英文都要写。"),
    )

    # names
    DUPLICATE_NAME = (
        "duplicate-name",
        Text("A name is used twice.", "同一个名称用了两次。"),
        Text("Rename one of them.", "给其中一个改名。"),
    )
    REPEATED_ALIAS = (
        "repeated-alias",
        Text("An item repeats an alias of course.yaml.", "题目重复了 course.yaml 里已有的别名。"),
        Text("Remove it from the item.", "从题目里删除它。"),
    )
    UNKNOWN_GROUP = (
        "unknown-group",
        Text("A group is not in course.yaml.", "course.yaml 里没有这个分组。"),
        Text("Correct it, or add the group.", "改正名称，或添加这个分组。"),
    )
    UNKNOWN_SOURCE = (
        "unknown-source",
        Text("A source is not in sources.yaml.", "sources.yaml 里没有这个来源。"),
        Text("Correct it, or add the source.", "改正名称，或添加这个来源。"),
    )
    UNKNOWN_QUESTION = (
        "unknown-question",
        Text("course.yaml refers to a question that does not exist.", "course.yaml 提到了不存在的问题。"),
        Text("Correct the id.", "改正编号。"),
    )
    UNKNOWN_EXERCISE = (
        "unknown-exercise",
        Text("course.yaml refers to an exercise that does not exist.", "course.yaml 提到了不存在的练习。"),
        Text("Correct the name.", "改正名称。"),
    )
    UNKNOWN_ITEM = (
        "unknown-item",
        Text("An id refers to an item that does not exist.", "提到了不存在的题目。"),
        Text("Correct the id.", "改正编号。"),
    )
    UNKNOWN_ENTRY = (
        "unknown-entry",
        Text("An item refers to an entry that it does not have.", "题目提到了自己没有的条目。"),
        Text("Correct the id.", "改正编号。"),
    )
    UNKNOWN_MISCONCEPTION = (
        "unknown-misconception",
        Text("An id refers to a misconception that the question does not declare.", "提到了问题没有声明的误解。"),
        Text("Correct the id, or declare it under misconceptions:.", "改正编号，或在 misconceptions: 下声明它。"),
    )
    UNKNOWN_REFERENCE = (
        "unknown-reference",
        Text("There is no such reference.", "没有这个参考实现。"),
        Text("Correct the name, or write the reference.", "改正名称，或写出参考实现。"),
    )
    UNKNOWN_CHECK = (
        "unknown-check",
        Text("There is no such check, or the exercise does not use it.", "没有这项检查，或练习没有用到它。"),
        Text("Correct the name.", "改正名称。"),
    )
    UNKNOWN_CASE = (
        "unknown-case",
        Text("The exercise has no such case.", "练习没有这个用例。"),
        Text("Correct the name.", "改正名称。"),
    )
    UNKNOWN_ARGUMENT = (
        "unknown-argument",
        Text("There is no such argument.", "没有这个参数。"),
        Text("Correct the name, or the signature.", "改正名称，或改函数签名。"),
    )
    UNKNOWN_HELPER = (
        "unknown-helper",
        Text("The sandbox has no such helper.", "沙箱里没有这个辅助函数。"),
        Text("Correct the name.", "改正名称。"),
    )
    UNKNOWN_SYMBOL = (
        "unknown-symbol",
        Text("A symbol is used but never drawn.", "用了没有抽取的符号。"),
        Text("Correct it, or add it under draw:.", "改正它，或在 draw: 下添加。"),
    )
    UNKNOWN_CONDITION = (
        "unknown-condition",
        Text("There is no such condition.", "没有这个条件。"),
        Text("Choose one from the table in docs/author-guide.md.", "从 docs/author-guide.md 的表里选一个。"),
    )
    UNKNOWN_EXCEPTION = (
        "unknown-exception",
        Text("A case cannot require this exception.", "用例不能要求这种异常。"),
        Text("Choose one of the listed exceptions.", "从列出的异常里选一个。"),
    )

    # items, exercises and their cases
    CORRECT_OPTIONS = (
        "correct-options",
        Text("An item has too few or too many correct options.", "题目的正确选项太少或太多。"),
        Text("Mark the correct ones with correct: true.", "用 correct: true 标出正确的选项。"),
    )
    FORMULA = (
        "formula",
        Text("A formula, shape, number or pattern of an item cannot be read.", "题目的公式、形状、数或模式无法读取。"),
        Text("Write it like the example.", "照示例填写。"),
    )
    WRONG_IS_RIGHT = (
        "wrong-is-right",
        Text(
            "An answer listed for a misconception is correct, or is listed for two misconceptions.",
            "题目里代表误解的答案其实是对的，或同时代表两种误解。",
        ),
        Text("Change or remove it.", "修改或删除它。"),
    )
    OWN_ANSWER = (
        "own-answer",
        Text("An item does not accept its own answer.", "题目不接受自己的答案。"),
        Text("Correct the answer, or what it must show.", "改正答案，或改它必须体现的内容。"),
    )
    GIVEN_AWAY = (
        "given-away",
        Text("An item can be answered without knowing anything.", "什么都不懂也能答对这道题。"),
        Text(
            "Change the order or the ideas, so that not just any answer passes.",
            "改变顺序或要点，让随便一个答案不能通过。",
        ),
    )
    PAIRS = (
        "pairs",
        Text("Entries of an item have no partner, or share one.", "题目的条目没有对应项，或共用一个。"),
        Text("Give each its own, or write reuse: true.", "让每个条目各有对应项，或写 reuse: true。"),
    )
    ITEM_ID = (
        "item-id",
        Text("The id of an item does not begin with the id of its question.", "题目的编号不以所属问题的编号开头。"),
        Text("Change the id.", "改编号。"),
    )
    PLACEHOLDER = (
        "placeholder",
        Text("A question does not ask about a number that it draws.", "题面没有用到它抽取的数。"),
        Text("Write {name} in both texts.", "在两种语言的题面里写 {name}。"),
    )
    SEALED = (
        "sealed",
        Text("A key of learners' editions is used in a course.", "课程用了只属于学习者版的键。"),
        Text("Remove it; `bank publish` writes it.", "删除它；`bank publish` 会写。"),
    )
    NOTHING_GRADED = (
        "nothing-graded",
        Text("A question has points but nothing that is graded.", "给没有评分内容的问题设了分数。"),
        Text("Remove the points.", "删除这些分数。"),
    )
    CHECK_WITHOUT_CASE = (
        "check-without-case",
        Text("A check has no case to run on.", "检查没有可用的用例。"),
        Text("Add a case, or name some under on:.", "添加用例，或在 on: 下列出一些。"),
    )
    EMPTY_VARIANT = (
        "empty-variant",
        Text("A variant changes nothing.", "变体什么都没有改。"),
        Text("Add expand: or give:, or remove it.", "添加 expand: 或 give:，或删除它。"),
    )
    MISSING_ARGUMENT = (
        "missing-argument",
        Text("A case does not give a required argument.", "用例没有给出必需的参数。"),
        Text("Add it, or raises:.", "补上它，或写 raises:。"),
    )
    UNUSED_KEY = (
        "unused-key",
        Text("A case sets values that no check uses.", "用例里有用不到的值。"),
        Text("Remove them, or add something that uses them.", "删除它们，或添加用到它们的内容。"),
    )
    RECIPE = (
        "recipe",
        Text("A value of a case is not a recipe.", "用例里的值不是生成方法。"),
        Text("Write a constant, or one of the recipes.", "写一个常量，或一种生成方法。"),
    )
    SIZE = (
        "size",
        Text("A size has no value, or one that is too small.", "大小没有值，或太小。"),
        Text("Change it, or change the values that are drawn.", "改它，或改抽取的内容。"),
    )
    EDIT = (
        "edit",
        Text("An edit of a mistake cannot be applied.", "典型错误里的修改无法进行。"),
        Text("Adapt it to the current reference.", "让它适合现在的参考实现。"),
    )

    # what is checked after loading
    FEW_ITEMS = (
        "few-items",
        Text("A question has too few items.", "问题的题目太少。"),
        Text("Write more under items:.", "在 items: 下多写几道。"),
    )
    FEW_MISTAKES = (
        "few-mistakes",
        Text("An exercise has too few mistakes.", "练习的典型错误太少。"),
        Text("Add typical wrong solutions under mistakes:.", "在 mistakes: 下添加常见的错误解法。"),
    )
    FEW_HINTS = (
        "few-hints",
        Text("An exercise has too few hints.", "练习的提示太少。"),
        Text(
            "Add some under hints:, from a guiding question to almost the final line.",
            "在 hints: 下添加，从一个问题到几乎写出那一行。",
        ),
    )
    FEW_IDEAS = (
        "few-ideas",
        Text("A derivation has fewer ideas than points.", "推导题的要点少于分数。"),
        Text(
            "Add under ideas: what a line between start and end must show, or make it an expression.",
            "在 ideas: 下写出首尾之间必须体现什么，或改成表达式题。",
        ),
    )
    EMPTY_DERIVATION = (
        "empty-derivation",
        Text("A derivation gives points for lines that derive nothing.", "推导题给没有推导的行也算分。"),
        Text("Add ideas that only a real step shows.", "写出只有真正的一步才能体现的要点。"),
    )
    UNKNOWN_LANDMARK = (
        "unknown-landmark",
        Text("A landmark names an expression that the reference does not have.", "路标里的表达式在参考实现里不存在。"),
        Text(
            "Write the expression exactly as in the reference, or use at: to say which occurrence is meant.",
            "按参考实现里的写法填写，或用 at: 指明是第几个。",
        ),
    )
    FEW_LANDMARKS = (
        "few-landmarks",
        Text("An exercise has too few landmarks.", "练习的路标太少。"),
        Text(
            "List intermediate values of the reference under `landmarks:`.",
            "在 `landmarks:` 下写出参考实现的中间值。",
        ),
    )
    UNUSED_MISCONCEPTION = (
        "unused-misconception",
        Text("A misconception is revealed by no item and by no mistake.", "没有题目或典型错误会暴露这个误解。"),
        Text("Refer to it in an option or a mistake, or remove it.", "在选项或典型错误里写上它，或删除它。"),
    )
    NO_GUIDING_QUESTION = (
        "no-guiding-question",
        Text("A misconception has no guiding question.", "误解没有引导问题。"),
        Text("Add ask: or ask_next:.", "添加 ask: 或 ask_next:。"),
    )
    ASKS_ABOUT_CODE = (
        "asks-about-code",
        Text(
            "After a wrong answer to an item, the guiding question is about code.",
            "答错题目之后，引导问题问的却是代码。",
        ),
        Text(
            "Add ask_item: with a question for learners who wrote no code.",
            "添加 ask_item:，写一个给没写代码的人的问题。",
        ),
    )
    CIRCULAR_FOLLOW_UP = (
        "circular-follow-up",
        Text(
            "ask_next leads back to the only item that shows the misconception.",
            "ask_next 又回到唯一暴露这个误解的题目。",
        ),
        Text("Refer to another item, or leave out ask_next.", "换一道题，或不写 ask_next。"),
    )
    ANSWERS_ALIKE = (
        "answers-alike",
        Text("One wrong answer points to two misconceptions.", "同一个错误答案对应两种误解。"),
        Text("Draw other numbers, or name only one of them.", "换一组抽取的数，或只写其中一种误解。"),
    )
    NO_LEVEL = (
        "no-level",
        Text("An item does not say how hard it is, but others do.", "题目没有写难度，而别的题目写了。"),
        Text("Add level: 1, 2 or 3.", "添加 level: 1、2 或 3。"),
    )
    FEW_HARD_ITEMS = (
        "few-hard-items",
        Text("A question has too few hard items.", "问题的难题太少。"),
        Text("Add items of level 3.", "添加 level 为 3 的题目。"),
    )
    LENGTH_TELLS = (
        "length-tells",
        Text("The length of options gives answers away.", "选项的长短泄露了答案。"),
        Text(
            "Rewrite options until the correct one is the longest, or the shortest, about as often as by chance.",
            "改写选项，让正确选项成为最长或最短的次数接近随机情况。",
        ),
    )
    WORDING_TELLS = (
        "wording-tells",
        Text(
            "Some words are much more frequent, or much less, in correct options than in wrong ones.",
            "有些词在正确选项里明显多于或少于错误选项。",
        ),
        Text("Reword correct or wrong options.", "改写其中一类选项。"),
    )
    STEM_TELLS = (
        "stem-tells",
        Text(
            "The question and its correct option share a word that no other option has.",
            "题面与正确选项有一个别的选项都没有的词。",
        ),
        Text("Use another word, or use it in a wrong option as well.", "换一个词，或让错误选项也用它。"),
    )
    KEY_SHOWN = (
        "key-shown",
        Text(
            "A text of the course shows the key of a graded item, or solves an exercise.",
            "课程里的文本写出了计分题的答案，或给出了练习的解法。",
        ),
        Text("Ask for something else, or remove the formula from the text.", "换一个问法，或从文本里去掉这个公式。"),
    )
    NO_PUBLIC_CASE = (
        "no-public-case",
        Text("An exercise has no public case.", "练习没有公开用例。"),
        Text("Mark a small case with public: true.", "给一个小用例加上 public: true。"),
    )
    NO_HIDDEN_CASE = (
        "no-hidden-case",
        Text("An exercise has no hidden case.", "练习没有隐藏用例。"),
        Text("Add cases without public: true.", "添加不带 public: true 的用例。"),
    )
    UNTESTED_CONDITION = (
        "untested-condition",
        Text("No case covers a condition under which wrong code often fails.", "有一个容易出错的条件，没有用例覆盖。"),
        Text(
            "Add a case that covers it, or explain under not_applicable: why no case can.",
            "添加满足它的用例，或在 not_applicable: 下说明为什么没有。",
        ),
    )
    NEEDLESS_REASON = (
        "needless-reason",
        Text(
            "A reason is given for a condition that does not apply to the exercise.",
            "为不适用于这个练习的条件写了理由。",
        ),
        Text("Remove it from not_applicable:.", "从 not_applicable: 里删除它。"),
    )
    STUB_PASSES = (
        "stub-passes",
        Text(
            "The stub that learners start from is missing an exercise or earns points.",
            "初始代码缺少一个练习，或能得分。",
        ),
        Text(
            "A check that passes without code is useless: give it a better case.",
            "没有代码也能通过的检查什么都没检查：给它一个更好的用例。",
        ),
    )
    REFERENCE_FAILS = (
        "reference-fails",
        Text("A reference does not pass.", "参考实现没有通过。"),
        Text("Fix the reference or the case.", "改正参考实现或用例。"),
    )
    ALTERNATIVE_FAILS = (
        "alternative-fails",
        Text("Another correct way to write an exercise does not pass.", "某个练习的另一种写法没有通过。"),
        Text("Fix the code that it names, or remove it.", "改正它所指的代码，或删掉这一项。"),
    )
    BROKEN_CHECK = (
        "broken-check",
        Text("A check itself raises an exception.", "检查自己抛出了异常。"),
        Text("Fix the check: judge must handle any result.", "改正检查：judge 要能处理任何结果。"),
    )
    REACHABLE = (
        "reachable",
        Text("A forbidden function can still be called.", "禁用的名称仍然可以用到。"),
        Text(
            "Also forbid the functions that it is built from, or remove the name.",
            "把构成它的部分也禁用，或不再禁用它。",
        ),
    )
    MISTAKE_PASSES = (
        "mistake-passes",
        Text("A mistake passes every check.", "典型错误通过了所有检查。"),
        Text("Add a case or a check that catches it.", "添加能发现它的用例或检查。"),
    )
    MISTAKE_FAILS_ELSEWHERE = (
        "mistake-fails-elsewhere",
        Text("A mistake does not fail the check that it declares.", "典型错误没有在它声明的检查上失败。"),
        Text("Correct fails:, or add a case that catches it.", "改正 fails:，或添加能发现它的用例。"),
    )
    MISTAKE_NOT_NAMED = (
        "mistake-not-named",
        Text("A mistake is not recognised as itself.", "典型错误没有被认出来。"),
        Text("Make its results differ from the others' on some case.", "让它的结果在某个用例上与其他错误不同。"),
    )
    MISTAKES_ALIKE = (
        "mistakes-alike",
        Text("No check tells two mistakes apart.", "没有检查能区分两个典型错误。"),
        Text("Add a case on which they differ, or merge them.", "添加能区分它们的用例，或合并它们。"),
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
