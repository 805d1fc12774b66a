"""What to say when a program did not return: every observation but ``Returned``, as a verdict."""

from __future__ import annotations

import builtins
from pathlib import PurePosixPath

from grader.core.model import (
    Case,
    Died,
    NotRun,
    Observation,
    Raised,
    Returned,
    Status,
    Text,
    TimedOut,
    TooBig,
    Unreadable,
    Verdict,
)


def trouble(observations: tuple[Observation, ...], case: Case) -> Verdict | None:
    """The verdict for the first observation that is no ``Returned``; None when all are."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    return None if failed is None else verdict(failed, public=case.public)


def our_trouble(observations: tuple[Observation, ...]) -> Verdict | None:
    """The verdict when the *reference* did not return: our fault, and nobody's lost point."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    if failed is None:
        return None
    said = verdict(failed, public=True).message or Text("", "")
    text = Text("not marked: the course's own reference failed ({said})", "未评分：课程自己的参考实现出错了（{said}）")
    return Verdict(Status.UNMARKED, text.fill(said=said))


def verdict(observation: Observation, *, public: bool) -> Verdict:
    """Status and sentence for an observation that is no ``Returned``.

    Words that the learner's code could choose (the text and name of an exception, what a result is called) are
    shown for public cases only: they could spell out a hidden input.
    """
    match observation:
        case Raised(type=kind, during=during):
            final = during == "import" or kind == "NotImplementedError" or observation.out_of_memory
            return Verdict(Status.RAISED, _raised(observation, public), final=final)
        case TimedOut(limit, clock, during):
            return Verdict(Status.TIMED_OUT, _timed_out(limit, clock, during), final=True)
        case Died(during=during):
            return Verdict(Status.DIED, _died(observation), final=during == "import")
        case TooBig(limit):
            text = Text("the result is larger than {limit} MB", "结果超过了 {limit} MB")
            return Verdict(Status.FAILED, text.fill(limit=limit >> 20))
        case Unreadable(reason, detail):
            text = _unreadable(reason, detail) if public else _HIDDEN.get(reason, FORM)
            return Verdict(Status.FAILED, text, final=reason in _FINAL)
        case NotRun(reason):
            return Verdict(Status.SKIPPED, _NOT_RUN[reason])
        case Returned():
            raise ValueError("a program that returned is no trouble")


_NOT_RUN = {
    "budget": Text("not run: the time for this submission was used up", "没有运行：这份作业的总时间已经用完"),
    "group": Text(
        "not run: an earlier call used up the time of this exercise", "没有运行：前面的调用已用完这道练习的时间"
    ),
    "memory": Text("not run: an earlier call used up the memory", "没有运行：前面的调用已用完内存"),
    "children": Text("not run: this submission crashed too many times", "没有运行：这份作业崩溃的次数太多"),
    "load": Text(
        "not run: after a crash, the file could not be loaded again", "没有运行：程序崩溃之后，文件没能再次加载"
    ),
}


def _place(file: str | None = None, line: object = None) -> Text:
    """Where something is defined; nothing where that is not known."""
    place = Text("", "") if file is None or line is None else Text(" ({file}, line {line})", "（{file} 第 {line} 行）")
    return place.fill(file=_one_line(file or ""), line=line)


def _raised(seen: Raised, public: bool) -> Text:
    place = Text("", "")
    if seen.file is not None:
        place = Text(" at {file}, line {line}", "（{file} 第 {line} 行）").fill(
            file=_one_line(seen.file), line=seen.line
        )
    # Text from import time cannot know an input, so it may always be shown.
    said = f": {seen.text}" if seen.text and (public or seen.during == "import") else ""
    when = Text("while the file was loaded, ", "加载文件时，") if seen.during == "import" else Text("", "")
    if seen.type == "NotImplementedError":
        return Text("not written yet{place}", "还没有写{place}").fill(place=place)
    text = Text("{when}it raised {type}{said}{place}", "{when}抛出了 {type}{said}{place}").fill(
        when=when, type=exception_name(seen, public), said=_one_line(said), place=place
    )
    if seen.type == "EOFError":
        return Text(
            "{when}it called input(){place}, but there is no keyboard while code is graded: remove input() and use "
            "the arguments of the function instead",
            "{when}代码调用了 input(){place}，而评分时没有键盘输入：请去掉 input()，改用函数的参数",
        ).fill(when=when, place=place)
    if seen.during == "import" and "partially initialized module" in seen.text:
        own = PurePosixPath(seen.file or "").stem
        if f"partially initialized module '{own}'" in seen.text:
            return Text(
                "{text}. The file has the same name as the module that it imports, so it imports itself: rename the "
                "file, or remove this import",
                "{text}。这个文件与它要导入的模块同名，结果导入的是它自己：请给文件改名，或者删去这行导入",
            ).fill(text=text)
        return Text(
            "{text}. These files import each other in a circle: move what both need into a file of its own, or import "
            "it inside the function that uses it",
            "{text}。这些文件互相导入，形成了循环：请把两边都要用的内容单独放进一个文件，或者在使用它的函数内部再导入",
        ).fill(text=text)
    if seen.type == "ModuleNotFoundError":
        hint = Text(
            "{text}. Besides the files of the submission, only NumPy, torch, the standard library and what the course "
            "allows are available here",
            "{text}。除了提交的文件，这里只能用 NumPy、torch、标准库和课程允许的包",
        )
        return hint.fill(text=text)
    if seen.out_of_memory:
        return Text("{text}. There is about 1 GB for a whole submission", "{text}。整份作业大约有 1 GB 内存可用").fill(
            text=text
        )
    return text


def exception_name(seen: Raised, public: bool) -> str:
    """The name of the exception; in hidden cases that of the built-in one that it is."""
    if public or seen.during == "import":
        return _one_line(seen.type)
    known = (name for name in (seen.type, *seen.bases) if name in _BUILT_IN)
    return next(known, "Exception")


_BUILT_IN = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)


def _one_line(text: str) -> str:
    """Text from a learner on one line. It is only ever a value for ``fill``, never a template."""
    return text.replace("\n", " ")


def _timed_out(limit: float, clock: str, during: str) -> Text:
    what = Text("loading the file", "加载文件") if during == "import" else Text("it", "运行")
    if clock == "cpu":
        text = Text(
            "{what} computed for more than {limit:g} s and was stopped: does a loop never end?",
            "{what}时计算超过 {limit:g} 秒，被停止：是不是有循环不会结束？",
        )
    else:
        text = Text(
            "{what} took more than {limit:g} s and was stopped: does it wait for something?",
            "{what}超过 {limit:g} 秒，被停止：是不是在等待什么？",
        )
    return text.fill(what=what, limit=limit)


_SIGNALS = {
    11: Text("a segmentation fault", "段错误"),
    6: Text("an abort", "中止（abort）"),
    9: Text("the limits on memory or time", "超出内存或时间限制"),
    24: Text("the limit on computing time", "超出计算时间限制"),
    8: Text("an arithmetic fault", "算术错误"),
    31: Text("a forbidden system call", "被禁止的系统调用"),
}


def _died(seen: Died) -> Text:
    when = Text(" while the file was loaded", "（在加载文件时）") if seen.during == "import" else Text("", "")
    if seen.signal is not None:
        why = _SIGNALS.get(seen.signal, Text(f"signal {seen.signal}", f"信号 {seen.signal}"))
        return Text("the program was ended{when} by {why}", "程序被终止{when}：{why}").fill(when=when, why=why)
    text = Text("the program ended itself{when} (exit code {code})", "程序自己退出了{when}（退出码 {code}）")
    return text.fill(when=when, code=seen.code)


FORM = Text("the result does not have the agreed form", "结果不是约定的形式")
_NOT_FOUND = Text(
    "parameters were not found where they are looked for; a public case says which",
    "没有在约定的地方找到参数；公开用例会说明是哪些",
)
_CHANNEL = Text(
    "the program wrote into the channel that results travel on, and was stopped",
    "程序往传送结果的通道里写入了内容，因此被停止",
)
FORBIDDEN = Text(
    "this exercise is to be solved without something of the library that was called",
    "调用了库里现成的功能，而这道练习要求不用它来完成",
)
_KINDS = {
    "class": Text(
        "{name} is a class{place}, but this exercise asks for a function that returns the result: def {name}(…)",
        "{name} 是类{place}，而这道练习要求的是返回结果的函数：def {name}(…)",
    ),
    "function": Text(
        "{name} is not a class{place}, and calling it does not return an object with forward(…); this exercise asks "
        "for a class: class {name}",
        "{name} 不是类{place}，调用它也得不到带 forward(…) 的对象；这道练习要求的是类：class {name}",
    ),
    "not-callable": Text(
        "{name} cannot be called{place}, because it is of type {what}; was the name assigned again after its "
        "definition?",
        "{name} 不能调用{place}，因为它的类型是 {what}；是不是定义之后又给这个名字赋了值？",
    ),
    "no-forward": Text(
        "an object of type {what} has no method forward(…) or __call__(…)",
        "{what} 的对象没有 forward(…) 或 __call__(…) 方法",
    ),
}
#: What calling the exercise in another form would not change.
_FINAL = frozenset({"forbidden", *_KINDS})
#: Results of kinds that can travel, in forms that cannot.
_FORMS = {
    "nested": Text("the result is nested too deeply", "结果嵌套得太深"),
    "integer": Text("the result holds an integer of hundreds of digits", "结果里有一个几百位的整数"),
    "keys": Text("the result is a dict whose keys are not all strings", "结果是 dict，但键不全是字符串"),
    "entries": Text("the result has too many entries; expected an array", "结果的元素太多；应为一个数组"),
    "dimensions": Text("the result has more than eight dimensions", "结果超过八个维度"),
}
#: What is said in hidden cases: nothing that the learner's code could have chosen.
_HIDDEN = {
    "projections": _NOT_FOUND,
    "projection-shape": _NOT_FOUND,
    "table": _NOT_FOUND,
    "layer": _NOT_FOUND,
    "undefined": Text("it is no longer defined when the file has been loaded", "文件加载完以后，它已经没有定义"),
    "type": Text("the result is not an array or a tensor", "结果不是数组或张量"),
    "dtype": Text("the result has a type that is not graded", "结果的类型无法评分"),
    "protocol": _CHANNEL,
    "state": Text("the step did not return (output, state)", "这一步没有返回 (output, state)"),
    "forbidden": FORBIDDEN,
    "class": Text("it is a class, but this exercise asks for a function", "它是类，而这道练习要求的是函数"),
    "function": Text("it is not a class, but this exercise asks for one", "它不是类，而这道练习要求的是类"),
    "not-callable": Text("it cannot be called", "它不能调用"),
    "no-forward": Text("it has no method forward(…) or __call__(…)", "它没有 forward(…) 或 __call__(…) 方法"),
    **_FORMS,
}


def _unreadable(reason: str, detail: tuple[str, ...]) -> Text:
    said = (*detail, "", "", "", "")
    match reason:
        case "projections":
            text = Text(
                "no projection was found for {roles}; looked for attributes such as {looked}; your class has {has}",
                "没有找到投影 {roles}；查找的属性名有 {looked} 等；你的类现有的属性：{has}",
            )
            return text.fill(
                roles=said[0].replace(",", ", "),
                looked=said[1].replace(",", ", "),
                has=", ".join(detail[2:]) or Text("none", "无"),
            )
        case "projection-shape":
            text = Text(
                "{role} (found as {path}) maps {seen}; expected (d_in, d_out) = {expected}",
                "{role}（对应属性 {path}）的形状是 {seen}，应为 (d_in, d_out) = {expected}",
            )
            return text.fill(role=said[0], path=said[1], seen=said[2], expected=said[3])
        case "table":
            text = Text(
                "no table of shape {expected} was found among the parameters; your class has {has}",
                "在参数中没有找到形状为 {expected} 的表；你的类现有的参数：{has}",
            )
            return text.fill(expected=said[0], has=", ".join(detail[1:]) or Text("none", "无"))
        case "layer":
            text = Text(
                "no linear layer {sizes} was found for {role}; your class has {has}",
                "没有找到 {role}（{sizes} 的线性层）；你的类现有的属性：{has}",
            )
            return text.fill(role=said[0], sizes=said[1], has=", ".join(detail[2:]) or Text("none", "无"))
        case "undefined":
            return Text(
                "{name} is no longer defined when the file has been loaded", "文件加载完以后，{name} 已经没有定义"
            ).fill(name=said[0])
        case "type":
            return Text("the result is a {type}; expected an array or a tensor", "结果是 {type}，应为数组或张量").fill(
                type=said[0]
            )
        case "dtype":
            return Text("the result has the type {dtype}, which is not graded", "结果的类型是 {dtype}，无法评分").fill(
                dtype=said[0]
            )
        case "tensor":
            return Text("the result is not an ordinary CPU tensor ({what})", "结果不是普通的 CPU 张量（{what}）").fill(
                what=said[0]
            )
        case "protocol":
            return _CHANNEL
        case "state":
            return Text(
                "the step returned {type}; expected (output, state)", "这一步返回了 {type}，应为 (output, state)"
            ).fill(type=said[0])
        case "forbidden":
            place = Text(" in {file}, line {line}", "（{file} 第 {line} 行）") if len(detail) > 2 else Text("", "")
            return Text(
                "it called {name}{place}; this exercise is to be solved without it",
                "调用了 {name}{place}；这道练习要求不用它来完成",
            ).fill(name=said[0], place=place.fill(file=_one_line(said[1]), line=said[2]))
        case "class" | "function":
            return _KINDS[reason].fill(name=said[0], place=_place(*detail[1:3]))
        case "not-callable":
            return _KINDS[reason].fill(name=said[0], what=said[1], place=_place(*detail[2:4]))
        case "no-forward":
            return _KINDS[reason].fill(what=said[0])
        case _ if reason in _FORMS:
            return _FORMS[reason]
    return Text("the result cannot be read ({reason})", "结果无法读取（{reason}）").fill(reason=reason)
