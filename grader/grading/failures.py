"""Verdicts on programs that did not return a value: every observation except ``Returned``."""

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
from grader.core.text import EMPTY, name_list


def failure_verdict(observations: tuple[Observation, ...], case: Case) -> Verdict | None:
    """The verdict on the first observation that is not ``Returned``; None if there is none."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    return None if failed is None else verdict(failed, public=case.public)


def reference_failure(observations: tuple[Observation, ...]) -> Verdict | None:
    """The verdict if the *reference* did not return, which is our error and costs the learner no points."""
    failed = next((seen for seen in observations if not isinstance(seen, Returned)), None)
    if failed is None:
        return None
    said = verdict(failed, public=True).message or EMPTY
    text = Text("not graded: the course's own reference failed ({said})", "未评分：课程自己的参考实现出错了（{said}）")
    return Verdict(Status.UNMARKED, text.fill(said=said))


def verdict(observation: Observation, *, public: bool) -> Verdict:
    """The verdict on an observation that is not ``Returned``. Raises ValueError for ``Returned``.

    Words that the learner's code can choose (type and text of an exception, names) are shown for public cases only:
    they could reveal a hidden input.
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
            raise ValueError("a program that returned has not failed")


_NOT_RUN = {
    "budget": Text("not run: this submission has used up its time", "没有运行：这份作业的总时间已经用完"),
    "group": Text(
        "not run: earlier calls used up the time for this exercise", "没有运行：前面的调用已用完这道练习的时间"
    ),
    "memory": Text("not run: earlier calls used up the memory", "没有运行：前面的调用已用完内存"),
    "children": Text("not run: this submission crashed too many times", "没有运行：这份作业崩溃的次数太多"),
    "load": Text(
        "not run: the file could not be loaded again after a crash", "没有运行：程序崩溃之后，文件没能再次加载"
    ),
}


def _place(file: str | None, line: str | None) -> Text:
    """File and line in parentheses; empty if they are not known."""
    place = Text(" ({file}, line {line})", "（{file} 第 {line} 行）") if file and line else EMPTY
    return place.fill(file=_one_line(file or ""), line=line)


def _raised(seen: Raised, public: bool) -> Text:
    place = EMPTY if seen.file is None else _AT.fill(file=_one_line(seen.file), line=seen.line)
    # Nothing is known of the inputs while the file is loaded, so this text may always be shown.
    said = f": {seen.text}" if seen.text and (public or seen.during == "import") else ""
    when = Text("while the file was loaded, ", "加载文件时，") if seen.during == "import" else EMPTY
    if seen.type == "NotImplementedError":
        return _NOT_WRITTEN.fill(place=place)
    text = Text("{when}it raised {type}{said}{place}", "{when}抛出了 {type}{said}{place}").fill(
        when=when, type=exception_name(seen, public), said=_one_line(said), place=place
    )
    if seen.type == "EOFError":
        return Text(
            "{when}it called input(){place}, but nobody can type while code is graded: remove input() and use the "
            "function's arguments instead",
            "{when}代码调用了 input(){place}，而评分时没有键盘输入：请去掉 input()，改用函数的参数",
        ).fill(when=when, place=place)
    if seen.during == "import" and "partially initialized module" in seen.text:
        own = PurePosixPath(seen.file or "").stem
        if f"partially initialized module '{own}'" in seen.text:
            return Text(
                "{text}. The file has the same name as the module it imports, so it imports itself: rename the "
                "file, or remove this import",
                "{text}。这个文件与它要导入的模块同名，结果导入的是它自己：请给文件改名，或者删去这行导入",
            ).fill(text=text)
        return Text(
            "{text}. These files import each other in a circle: move what both need into a third file, or import it "
            "inside the function that uses it",
            "{text}。这些文件互相导入，形成了循环：请把两边都要用的内容单独放进一个文件，或者在使用它的函数内部再导入",
        ).fill(text=text)
    if seen.type == "ModuleNotFoundError":
        hint = Text(
            "{text}. Only the files you submitted, NumPy, torch, the standard library and packages that the "
            "course allows are available here",
            "{text}。除了提交的文件，这里只能用 NumPy、torch、标准库和课程允许的包",
        )
        return hint.fill(text=text)
    if seen.out_of_memory:
        return Text("{text}. A submission may use about 1 GB", "{text}。整份作业大约有 1 GB 内存可用").fill(text=text)
    return text


_AT = Text(" at {file}, line {line}", "（{file} 第 {line} 行）")
_NOT_WRITTEN = Text("not written yet{place}", "还没有写{place}")


def not_written(file: str, line: int) -> Text:
    """The message about a stub at this place."""
    return _NOT_WRITTEN.fill(place=_AT.fill(file=_one_line(file), line=line))


def is_not_written(message: Text | None) -> bool:
    """Whether ``message`` is about a stub, or about code that raised ``NotImplementedError``."""
    return message is not None and message.en.startswith(_NOT_WRITTEN.fill(place="").en)


def exception_name(seen: Raised, public: bool) -> str:
    """The name of the exception; in a hidden case, that of its nearest built-in base."""
    if public or seen.during == "import":
        return _one_line(seen.type)
    known = (name for name in (seen.type, *seen.bases) if name in _BUILT_IN)
    return next(known, "Exception")


_BUILT_IN = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)


def _one_line(text: str) -> str:
    """A learner's text on one line. Use it as a value for ``fill``, never as a template."""
    return text.replace("\n", " ")


def _timed_out(limit: float, clock: str, during: str) -> Text:
    what = Text("loading the file", "加载文件") if during == "import" else Text("it", "运行")
    if clock == "cpu":
        text = Text(
            "{what} used more than {limit:g} s of CPU time and was stopped: is there an infinite loop?",
            "{what}时占用 CPU 超过 {limit:g} 秒，已被停止：是不是有死循环？",
        )
    else:
        text = Text(
            "{what} took more than {limit:g} s and was stopped: is the code waiting for something?",
            "{what}超过 {limit:g} 秒，已被停止：代码是不是在等待什么？",
        )
    return text.fill(what=what, limit=limit)


_SIGNALS = {
    11: Text("segmentation fault", "段错误"),
    6: Text("abort", "中止（abort）"),
    9: Text("memory or time limit exceeded", "超出内存或时间限制"),
    24: Text("CPU time limit exceeded", "超出 CPU 时间限制"),
    8: Text("arithmetic error", "算术错误"),
    31: Text("forbidden system call", "调用了被禁止的系统功能"),
}


def _died(seen: Died) -> Text:
    when = Text(" while the file was loaded", "（在加载文件时）") if seen.during == "import" else EMPTY
    if seen.signal is not None:
        why = _SIGNALS.get(seen.signal, Text(f"signal {seen.signal}", f"信号 {seen.signal}"))
        return Text("the program crashed{when}: {why}", "程序崩溃{when}：{why}").fill(when=when, why=why)
    text = Text("the program exited{when} with exit code {code}", "程序自行退出{when}，退出码 {code}")
    return text.fill(when=when, code=seen.code)


FORM = Text("the result does not have the required form", "结果不是约定的形式")
_NOT_FOUND = Text(
    "some parameters were not found; a public case says which",
    "没有找到某些参数；公开用例会说明是哪些",
)
TAMPERED = Text(
    "the code wrote to the pipe reserved for results and was stopped",
    "代码向专门传送结果的管道写入了内容，因此被停止",
)
FORBIDDEN = Text(
    "the code called a library function that this exercise forbids",
    "代码调用了这道练习不允许使用的库函数",
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
        "{name} cannot be called{place}, because it is of type {what}; was the name reassigned after the definition?",
        "{name} 不能调用{place}，因为它的类型是 {what}；是不是定义之后又给这个名字赋了值？",
    ),
    "no-forward": Text(
        "an object of type {what} has no method forward(…) or __call__(…)",
        "{what} 的对象没有 forward(…) 或 __call__(…) 方法",
    ),
}
#: Reasons that calling the exercise in another form would not change.
_FINAL = frozenset({"forbidden", *_KINDS})
#: Messages about results of a valid type but an invalid form.
_FORMS = {
    "nested": Text("the result is nested too deeply", "结果嵌套得太深"),
    "integer": Text("the result contains an integer with hundreds of digits", "结果里有一个几百位的整数"),
    "keys": Text("the result is a dict whose keys are not all strings", "结果是 dict，但键不全是字符串"),
    "entries": Text("the result has too many entries; expected an array", "结果的元素太多；应为一个数组"),
    "dimensions": Text("the result has more than eight dimensions", "结果超过八个维度"),
}
#: Sentences for hidden cases. They contain no words that the learner's code could choose.
_HIDDEN = {
    "projections": _NOT_FOUND,
    "projection-shape": _NOT_FOUND,
    "table": _NOT_FOUND,
    "layer": _NOT_FOUND,
    "undefined": Text("it is no longer defined once the file is loaded", "文件加载完以后，它已经没有定义"),
    "type": Text("the result is not an array or a tensor", "结果不是数组或张量"),
    "dtype": Text("the result has a data type that cannot be graded", "结果的数据类型无法评分"),
    "protocol": TAMPERED,
    "state": Text("the step did not return (output, state)", "这一步没有返回 (output, state)"),
    "forbidden": FORBIDDEN,
    "class": Text("it is a class, but this exercise asks for a function", "它是类，而这道练习要求的是函数"),
    "function": Text("it is not a class, but this exercise asks for a class", "它不是类，而这道练习要求的是类"),
    "not-callable": Text("it cannot be called", "它不能调用"),
    "no-forward": Text("it has no method forward(…) or __call__(…)", "它没有 forward(…) 或 __call__(…) 方法"),
    **_FORMS,
}


#: For each reason, the message for a public case and names for the parts of its detail. ``has``, always the last name,
#: gets all remaining parts; ``file`` and ``line`` are combined to ``place``.
_PUBLIC: dict[str, tuple[Text, tuple[str, ...]]] = {
    "projections": (
        Text(
            "no projection was found for {roles}; looked for attributes such as {looked}; your class has {has}",
            "没有找到投影 {roles}；查找的属性名有 {looked} 等；你的类现有的属性：{has}",
        ),
        ("roles", "looked", "has"),
    ),
    "projection-shape": (
        Text(
            "{role} (found as {path}) maps {seen}; expected (d_in, d_out) = {expected}",
            "{role}（对应属性 {path}）的形状是 {seen}，应为 (d_in, d_out) = {expected}",
        ),
        ("role", "path", "seen", "expected"),
    ),
    "table": (
        Text(
            "no table of shape {expected} was found among the parameters; your class has {has}",
            "在参数中没有找到形状为 {expected} 的表；你的类现有的参数：{has}",
        ),
        ("expected", "has"),
    ),
    "layer": (
        Text(
            "no linear layer {sizes} was found for {role}; your class has {has}",
            "没有找到 {role}（{sizes} 的线性层）；你的类现有的属性：{has}",
        ),
        ("role", "sizes", "has"),
    ),
    "undefined": (
        Text("{name} is no longer defined once the file is loaded", "文件加载完以后，{name} 已经没有定义"),
        ("name",),
    ),
    "type": (
        Text("the result is of type {type}; expected an array or a tensor", "结果的类型是 {type}，应为数组或张量"),
        ("type",),
    ),
    "dtype": (
        Text("the result has the data type {dtype}, which cannot be graded", "结果的数据类型是 {dtype}，无法评分"),
        ("dtype",),
    ),
    "tensor": (
        Text("the result is not an ordinary CPU tensor ({what})", "结果不是普通的 CPU 张量（{what}）"),
        ("what",),
    ),
    "protocol": (TAMPERED, ()),
    "state": (
        Text("the step returned {type}; expected (output, state)", "这一步返回了 {type}，应为 (output, state)"),
        ("type",),
    ),
    "forbidden": (
        Text("it called {name}{place}, which this exercise forbids", "调用了 {name}{place}，而这道练习不允许使用它"),
        ("name", "file", "line"),
    ),
    "class": (_KINDS["class"], ("name", "file", "line")),
    "function": (_KINDS["function"], ("name", "file", "line")),
    "not-callable": (_KINDS["not-callable"], ("name", "what", "file", "line")),
    "no-forward": (_KINDS["no-forward"], ("what",)),
    **{reason: (text, ()) for reason, text in _FORMS.items()},
}
_UNREADABLE = Text("the result cannot be read ({reason})", "结果无法读取（{reason}）")


def _unreadable(reason: str, detail: tuple[str, ...]) -> Text:
    text, names = _PUBLIC.get(reason, (_UNREADABLE, ()))
    given = dict(zip(names, (*detail, *([""] * len(names))), strict=False))
    values: dict[str, object] = {**given, "reason": reason, "place": _place(given.get("file"), given.get("line"))}
    values |= {name: given[name].replace(",", ", ") for name in ("roles", "looked") if name in given}
    if "has" in given:
        held = detail[len(names) - 1 :]
        values["has"] = name_list(held) if held else Text("none", "无")
    return text.fill(**values)
