"""What ``attncheck bank new`` writes: a small question that works as it is, to be edited into a new one."""

from __future__ import annotations

QUESTION = """\
# A question is one file. Change everything below; `attncheck bank check DIR` says what is missing, and
# `attncheck bank schema` tells your editor the keys. Every text is in both languages.
id: {id}
title: {{en: "What does scaling do?", zh: 缩放起什么作用？}}
group: {group}
prompt:
  en: |
    Write the function below. Arrays have any number of leading dimensions; nothing is changed in place.
  zh: |
    写出下面的函数。数组可以有任意多个前导维度，不要就地修改任何参数。

# Wrong beliefs of learners: the truth that corrects each, and a question that leads to it.
misconceptions:
  adds-instead:
    truth:
      en: Scaling multiplies; adding moves all entries by the same amount.
      zh: 缩放是相乘；相加只是把所有元素平移同样的距离。
    ask: {{en: "What should happen to an entry that is zero?", zh: 值为零的元素应当变成什么？}}
  divides-instead:
    truth:
      en: Multiplying by the factor makes entries larger where it is above one.
      zh: 因子大于一时，乘以因子会使元素变大。
    ask: {{en: "Does an entry of 1 become larger or smaller with a factor of 3?", zh: 因子是 3 时，1 会变大还是变小？}}
  ignores-factor:
    truth:
      en: "The factor is an argument: another factor gives another result."
      zh: 因子是参数：因子不同，结果也不同。
    ask: {{en: "What should come out for a factor of 5?", zh: 因子是 5 时，结果应当是多少？}}
  squares-input:
    truth: {{en: "Each entry is used once; squaring loses its sign.", zh: 每个元素只用一次；平方会丢掉它的正负号。}}
    ask: {{en: "What does a negative entry become?", zh: 负数会变成什么？}}

items:
  - id: {id}.zero
    kind: choice            # the kinds are the files in grader/course/items/
    ask: {{en: "What does an entry of zero become?", zh: 值为零的元素会变成什么？}}
    options:
      - {{id: a, text: {{en: the factor, zh: 等于因子}}, misconception: adds-instead}}
      - {{id: b, text: {{en: zero, zh: 仍然是零}}, correct: true}}
    explain: {{en: "Zero times anything is zero.", zh: 零乘以任何数都是零。}}
  - id: {id}.negative
    kind: choice
    ask: {{en: "The factor is 3. What does −2 become?", zh: 因子是 3，−2 会变成什么？}}
    options:
      - {{id: a, text: {{en: "−6", zh: "−6"}}, correct: true}}
      - {{id: b, text: {{en: "12", zh: "12"}}, misconception: squares-input}}
      - {{id: c, text: {{en: "−2/3", zh: "−2/3"}}, misconception: divides-instead}}
  - id: {id}.two-factors
    kind: choice
    ask: {{en: "Can the result for a factor of 5 be that for a factor of 2?", zh: 因子为 5 和为 2 时，结果会相同吗？}}
    options:
      - {{id: a, text: {{en: always, zh: 总是相同}}, misconception: ignores-factor}}
      - {{id: b, text: {{en: only where entries are zero, zh: 只在元素为零处相同}}, correct: true}}

exercises:
  - function: {name}
    signature: (x, factor=2.0)
    summary: {{en: Multiply every entry of x by factor., zh: 把 x 的每个元素乘以 factor。}}
    result: {{en: the shape of x, zh: 与 x 同形状}}
    reference: {module}.{name}
    points: 4
    hints:
      - {{en: "What is the result for a single number?", zh: 对单个数，结果是什么？}}
      - {{en: One multiplication does it for all entries at once., zh: 一次乘法就能同时处理所有元素。}}
    cases:
      - {{name: default factor, public: true, args: {{x: {{value: [[1, -2], [0, 3]], dtype: float32}}}},
         then: [{{factor: 3.0}}, {{x: {{normal: [4, 3]}}}}]}}  # more calls, which the check repeatable makes
      - {{name: another factor, public: true, args: {{x: {{normal: [2, 3]}}, factor: 3.0}}}}
      - {{name: any sizes, draw: {{n: [4, 5]}}, args: {{x: {{normal: [2, n, 3]}}, factor: 0.5}}}}
      # Conditions under which wrong code often fails: `attncheck bank check` says which of them no case has.
      - {{name: one row, args: {{x: {{normal: [1, 3]}}}}}}
      - {{name: many rows, args: {{x: {{normal: [1, 131, 2]}}, factor: -1.5}}}}
      - {{name: two leading dimensions, args: {{x: {{normal: [2, 3, 4, 2]}}}}}}
    checks: [values, gradients, dtype, unchanged_inputs, repeatable, non_contiguous]
    mistakes:                # edits of the reference; each is graded, must fail, and must be recognised as itself
      - {{misconception: adds-instead, replace: "x * factor", with: "x + factor", fails: [values]}}
      - {{misconception: divides-instead, replace: "x * factor", with: "x / factor", fails: [values]}}
      - {{misconception: ignores-factor, replace: "x * factor", with: "x * 2.0", fails: [values]}}
      - {{misconception: squares-input, replace: "x * factor", with: "x * x * factor", fails: [values]}}
"""

COURSE = """\
title: {{en: A course, zh: 一门课程}}
public_id: a-course        # the learners' numbers depend on it; never change it
groups:
  {group}: {{en: Basics, zh: 基础}}
"""

PACKAGE = '''"""What learners may copy once they have solved it."""
'''

REFERENCE = '''\
"""{title}: the reference of {id}. References may import torch, NumPy and each other."""

from __future__ import annotations

from torch import Tensor


def {name}(x: Tensor, factor: float = 2.0) -> Tensor:
    """factor · x, entry by entry: (..., n) → (..., n)."""
    return x * factor  # (..., n)
'''


def files(number: int, group: str | None) -> dict[str, str]:
    """The text of each file for a new question ``Q<number>``, by its path in the course folder.

    ``group`` is the group of the question; None means that it is the first question of a new course, which needs a
    few files more.
    """
    names = {"id": f"Q{number}", "name": f"scaled_by_{number}", "module": f"question_{number}", "title": "Scaling"}
    texts = {
        f"questions/q{number:02}_scaling.yaml": QUESTION,
        f"reference/question_{number}.py": REFERENCE,
    }
    if group is None:
        texts |= {"course.yaml": COURSE, "reference/__init__.py": PACKAGE}
    return {path: text.format(**names, group=group or "basics") for path, text in texts.items()}
