"""Messages about the command line exist in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Attncheck = Callable[..., Any]

GRADER = Path(__file__).parents[2] / "grader"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
RAISED = {"UsageError", "StateError", "GradebookError"}


def test_usage_errors_are_in_both_languages() -> None:
    """No message of these errors is a mere string: a ``Text`` has both."""
    wrong = []
    for path in sorted(GRADER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in RAISED and any(
                    isinstance(arg, (ast.Constant, ast.JoinedStr, ast.BinOp)) for arg in node.args
                ):
                    wrong.append(f"{path.relative_to(GRADER)}:{node.lineno}")
    assert not wrong


def test_messages_are_filled_completely() -> None:
    """Both languages of a message that is filled on the spot use no name that it is not given."""
    wrong = []
    for path in sorted(GRADER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Call(func=ast.Name(id="Text"), args=texts), attr="fill"),
                    keywords=given,
                ) if all(keyword.arg for keyword in given):
                    names = {keyword.arg for keyword in given}
                    used = [set(re.findall(r"{(\w+)", str(ast.literal_eval(text)))) for text in texts]
                    if any(each != names for each in used):
                        wrong.append((f"{path.relative_to(GRADER)}:{node.lineno}", names, used))
    assert not wrong


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["grade", "--nowhere"], "没有选项 --nowhere"),
        (["show"], "缺少参数"),
        (["quiz", "--lang"], "选项 --lang 用法不对"),
        (["hint", "softmax", "--rung", "x"], "选项 --rung 的值不对：应为"),
        (["show", "Q5", "--lang=de"], ""),
        (["submit", "a", "b", "c"], "多出了参数：b c。"),
        (["quix"], "没有命令“quix”。是不是 quiz？"),
        (["show", "Q99"], "“Q99”"),
        (["plot", "nothing"], "没有图“nothing”。"),
    ],
)
def test_chinese(args: list[str], said: str, attncheck: Attncheck, monkeypatch: pytest.MonkeyPatch) -> None:
    """What click and the commands say about a wrong call is Chinese when Chinese is asked for."""
    monkeypatch.setenv("ATTNCHECK_LANG", "zh")
    ran = attncheck(*args)
    assert ran.code == 2
    assert said in ran.err and CHINESE.search(ran.err), ran.err
    assert not re.search(r"Error:|Usage:|Try ", ran.err)
