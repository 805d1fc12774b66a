"""Messages about submissions, in both languages, and the exception that carries them.

Every message is shown after the name of a file, cell or folder and a colon.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.core.errors import SubmissionError
from grader.core.model import Notice, Text
from grader.core.text import LABELED


class Unusable(SubmissionError):
    """Part of a submission cannot be read: fatal if nothing else can be graded, else a notice."""

    def __init__(self, where: str, text: Text) -> None:
        """``where`` is the path or cell, as shown to people."""
        super().__init__(LABELED.fill(who=where, said=text))
        self.where = where
        self.text = text

    def __reduce__(self) -> tuple[type[Unusable], tuple[str, Text]]:
        """Makes it picklable."""
        return type(self), (self.where, self.text)

    def notice(self) -> Notice:
        """The problem as a notice in the report on a submission that is graded without this part."""
        return Notice(self.where, LEFT_OUT.fill(problem=self.text), urgent=True)


def printable(text: str, limit: int = 200) -> str:
    """``text`` on one line, safe for a terminal: control and bidirectional characters are escaped."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _spelled(c) for c in text)


def _spelled(char: str) -> str:
    return " " if char == "\t" or (char.isspace() and ord(char) > 0x7F) else ascii(char)[1:-1]


def listing(things: Sequence[str | Text], limit: int = 5) -> Text:
    """The first ``limit`` of ``things``, and how many more there are."""
    texts = [thing if isinstance(thing, Text) else Text(thing, thing) for thing in things]
    more = len(texts) - limit
    en = ", ".join(t.en for t in texts[:limit]) + (f" and {more} more" if more > 0 else "")
    zh = "、".join(t.zh for t in texts[:limit]) + (f" 等 {len(texts)} 项" if more > 0 else "")
    return Text(en, zh)


def size(count: int) -> str:
    """``count`` bytes in a suitable unit."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}".replace(".0 ", " ")
    return f"{count} bytes"


LEFT_OUT = Text("{problem} Left out; the rest is graded.", "{problem}已略过，其余部分照常评分。")

# ------------------------------------------------------------------------------------ submissions

MISSING = Text(
    "there is nothing at this path. Expected a .py file, a notebook (.ipynb), a folder or a .zip;"
    " check the spelling.{near}",
    "这个路径下什么也没有。应为 .py 文件、笔记本（.ipynb）、文件夹或 .zip，请检查拼写。{near}",
)
NEAR = Text(" Similar names: {names}.", "相近的有：{names}。")
WRONG_KIND = Text(
    "this kind of file is not read. Expected a .py file, a notebook (.ipynb), a folder, a .zip or an answers.yaml.",
    "不支持这种文件。应为 .py 文件、笔记本（.ipynb）、文件夹、.zip 或 answers.yaml。",
)
HIDDEN_SUFFIX = Text(
    "the name ends in {suffix}, so it does not count as code. Rename it to {new}.",
    "文件名以 {suffix} 结尾，因此不算代码。请改名为 {new}。",
)
OTHER_ARCHIVE = Text(
    "archives ending in {suffix} are not read. Pack the same files as a .zip and submit that.",
    "不支持 {suffix} 压缩包。请把同样的文件打包成 .zip 再提交。",
)
SPECIAL = Text(
    "this is not a regular file but {what}, so it was not opened. Expected a file, a folder or a .zip.",
    "这不是普通文件，而是{what}，因此没有打开。应为文件、文件夹或 .zip。",
)
LINK = Text(
    "this is a symbolic link, and links are not followed. Put the file or folder itself here.",
    "这是符号链接，不会跟随。请把文件或文件夹本身放到这里。",
)
CHANGING = Text(
    "this changed while it was being read. Wait until it is completely saved, and try again.",
    "读取过程中内容发生了变化。请等它保存完再试。",
)
TOO_DEEP = Text(
    "it is nested more than {limit} folders deep, so it was not read. Submit only your own files.",
    "文件夹嵌套超过 {limit} 层，因此没有查看。请只提交自己写的文件。",
)
FOLDER = Text("a folder", "文件夹")
FOLDER_LIKE_A_FILE = Text(
    "this is a folder with a name like a file, and there is no such file in it. Put the file itself here.",
    "这是一个文件夹，名字却像文件，里面也没有这样的文件。请把文件本身放到这里。",
)
DEVICE = Text("a device", "设备文件")
PIPE = Text("a pipe", "管道")
SOCKET = Text("a socket", "套接字")
SYMLINK = Text("a symbolic link", "符号链接")
DENIED = Text(
    "you have no permission to read this. Make it readable (`chmod u+r`, or the file's properties) and try again.",
    "没有读取权限。请改成可读（`chmod u+r`，或在文件属性里修改）后再试。",
)
IO_ERROR = Text(
    "reading failed: {reason}. Make a new copy of it and try again.",
    "读取时出错：{reason}。请重新复制一份再试。",
)
TOO_LARGE = Text(
    "it is {found}, more than the limit of {limit} for {what}. {advice}",
    "大小为 {found}，超过了{what}的上限 {limit}。{advice}",
)
A_SOURCE = Text("a source file", "源文件")
A_NOTEBOOK = Text("a notebook", "笔记本")
AN_ANSWERS_FILE = Text("an answers file", "答案文件")
CELLS = Text("the code cells of one notebook", "一个笔记本中全部代码单元")
SHORTEN = Text("Submit only your own code, without data.", "请只提交自己写的代码，不要包含数据。")
CLEAR_OUTPUTS = Text(
    "Clear the outputs of all cells, save, and submit it again.", "请清除所有单元的输出，保存后重新提交。"
)
KEEP_SHORT = Text("Answers are short: is this the right file?", "答案通常很短，是不是选错了文件？")
EMPTY_FILE = Text(
    "the file is empty; expected Python code. Did you save it before you submitted it?",
    "文件是空的，里面应当有 Python 代码。提交之前保存过吗？",
)
NO_CODE = Text(
    "there is no code and no answers file: expected a .py file, a notebook (.ipynb) or an answers.yaml, found {found}.",
    "这里既没有代码也没有答案：应有 .py 文件、笔记本（.ipynb）或 answers.yaml，实际找到的是：{found}。",
)
NO_FILES = Text("no files", "没有任何文件")
IT_IS = Text("{name} ({what})", "{name}（{what}）")
IT_IS_HIDDEN = Text("{name} (hidden, or created by the system)", "{name}（隐藏文件或系统生成的文件）")
NO_REGULAR_FILE = Text("not a regular file", "不是普通文件")
UNPACK_IT = Text(
    " Archives inside a submission are not opened: unpack it, and submit the files in it.",
    "提交内容里的压缩包不会打开：请先解压，再提交里面的文件。",
)
ALL_LEFT_OUT = Text(
    "none of the {count} files can be graded. {problems}",
    "{count} 个文件都无法评分。{problems}",
)
TOO_MANY_FILES = Text(
    "it has more than {limit} files. Submit only your own .py and .ipynb files and answers.yaml,"
    " without data or installed packages.",
    "里面的文件超过 {limit} 个。请只提交自己写的 .py、.ipynb 和 answers.yaml，不要带上数据或安装的包。",
)
TOO_MUCH_TEXT = Text(
    "it has {found} of {what}, more than the limit of {limit}."
    " Submit only your own code, and clear the outputs of notebooks.",
    "{what}合计 {found}，超过上限 {limit}。请只提交自己写的代码，并清除笔记本的输出。",
)
TOO_MUCH_CODE = Text(
    "its files and notebook cells have more than {limit} of code. Submit only your own code, without data.",
    "文件和笔记本单元中的代码合计超过 {limit}。请只提交自己写的代码，不要包含数据。",
)
TOO_COSTLY = Text(
    "reading it takes more than {seconds} s of CPU time or {memory} of memory, which no ordinary submission"
    " needs, so it was not read. Submit only your own code, without data, and clear the outputs of notebooks.",
    "读取它需要超过 {seconds} 秒的处理器时间或 {memory} 内存，普通的提交远用不到这么多，因此没有读取。"
    "请只提交自己写的代码，不要包含数据，并清除笔记本的输出。",
)
TOO_MANY_FIELDS = Text(
    "its f-strings are too long and have too many {…} to be parsed. Split them into shorter ones.",
    "其中的 f-string 太长，{…} 太多，无法读取。请拆成较短的字符串。",
)
TOO_MANY_NAMES = Text(
    "it defines more than {limit} names at top level. Submit only your own code, without data.",
    "顶层定义的名字超过 {limit} 个。请只提交自己写的代码，不要包含数据。",
)
ALL_TEXT = Text("source, notebooks and answers", "源文件、笔记本和答案")
CODE = Text("code", "代码")
TOO_MANY_ANSWERS = Text(
    "there are {count} answers files ({names}), but only one can count. Merge them into one answers.yaml.",
    "有 {count} 个答案文件（{names}），只能算一个。请合并成一个 answers.yaml。",
)
OLDER_ANSWERS = Text(
    "not read: {counts} has answers and is newer, so it counts. Merge them into one answers.yaml if both matter.",
    "没有读取：以较新的 {counts} 为准。如果两份都要，请合并成一个 answers.yaml。",
)
LESSER_ANSWERS = Text(
    "not read: {counts} counts, because {why}. Merge them into one answers.yaml if both matter.",
    "没有读取：以 {counts} 为准，因为{why}。如果两份都要，请合并成一个 answers.yaml。",
)
AS_NEW = Text("both have the same time stamp and it has the usual name", "两者时间相同，而它用的是通常的文件名")
AS_NEW_UNNAMED = Text("both have the same time stamp and it comes first by name", "两者时间相同，而它按名字排在前面")
NOTHING_IN_THIS = Text("this one has no answers that can be read", "这一份里没有能读取的答案")
OTHER_FILES = Text(
    "not read: {names}. Only .py, .ipynb and answers.yaml are read; code that opens other files will not find them.",
    "以下文件没有读取：{names}。只读取 .py、.ipynb 和 answers.yaml，打开其他文件的代码会找不到它们。",
)
INNER_ARCHIVES = Text(
    "archives inside a submission are not opened: {names}. Unpack them, and put the files themselves into the folder"
    " or zip.",
    "提交内容里的压缩包不会打开：{names}。请先解压，把里面的文件直接放进文件夹或 zip。",
)
LINKS = Text(
    "symbolic links are not followed, so their targets were not read: {names}. Replace the links with the files or"
    " folders themselves.",
    "不会跟随符号链接，因此没有读取它们指向的内容：{names}。请把文件或文件夹本身复制到链接所在的位置。",
)
SPECIALS = Text("not opened, because they are not regular files: {names}.", "不是普通文件，没有打开：{names}。")
SHADOWS = Text(
    "“{name}” is the name of {owner}, and `import {name}` would find this file instead. Rename it, for example to"
    " {new}, and update its imports.",
    "“{name}”是{owner}的名字，`import {name}` 会误用这里的文件。请改名，例如 {new}，并相应修改 import。",
)
A_STANDARD_MODULE = Text("a module of Python's standard library", "Python 标准库模块")
A_LIBRARY = Text("the library {name}", "库 {name} ")

# --------------------------------------------------------------------------------- archives

NOT_A_ZIP = Text(
    "this is not a zip archive{what}. Pack your files as a .zip again and submit that.",
    "这不是 zip 压缩包{what}。请重新打包成 .zip 再提交。",
)
BUT = Text(" but {what}", "，而是{what}")
CUT_OFF = Text(", or its end is missing", "，或者末尾不完整")
BROKEN_ZIP = Text(
    "the archive is damaged ({reason}). Pack it again, and check that the upload was complete.",
    "压缩包已损坏（{reason}）。请重新打包，并确认上传完整。",
)
BAD_ZIP_NAME = Text(
    "the archive contains the name “{name}”, which {why}. Pack the folder itself again, with relative paths and"
    " forward slashes (your system's own zip tool does that).",
    "压缩包中有文件名“{name}”，{why}。请对文件夹重新打包，使用相对路径和正斜杠（系统自带的压缩功能即可）。",
)
GOES_UP = Text("leads out of it with “..”", "其中的“..”会跳出压缩包")
IS_ABSOLUTE = Text("is an absolute path", "是绝对路径")
HAS_DRIVE = Text("begins with a drive letter", "以盘符开头")
HAS_BACKSLASH = Text("contains backslashes", "含有反斜杠")
NAMELESS = Text("is not a valid name", "不是有效的文件名")
TWICE = Text("is in it twice", "出现了两次")
NAMES_NOT_UTF8 = Text(
    "a file name in the archive is marked as UTF-8 but is not valid UTF-8. Rename the file and pack it again.",
    "压缩包中有文件名标为 UTF-8，实际却不是。请改名后重新打包。",
)
SPECIAL_IN_ZIP = Text(
    "“{name}” in the archive is not a regular file but {what}. Pack the files themselves.",
    "压缩包中的“{name}”不是普通文件，而是{what}。请把文件本身打包进来。",
)
A_SPECIAL_FILE = Text("a special file", "特殊文件")
ENCRYPTED = Text(
    "“{name}” in the archive is password-protected. Pack it again without a password.",
    "压缩包中的“{name}”有密码保护。请重新打包，不要设密码。",
)
COMPRESSION = Text(
    "“{name}” in the archive is compressed in an unusual way (method {method}). Pack it again with your system's own"
    " zip tool, which uses “deflate”.",
    "压缩包中的“{name}”用了不常见的压缩方法（编号 {method}）。请用系统自带的压缩功能（deflate）重新打包。",
)
BOMB = Text(
    "“{name}” in the archive would expand from {packed} to {found}, which source code never does."
    " Submit only your own code.",
    "压缩包中的“{name}”会从 {packed} 展开到 {found}，源代码不会这样。请只提交自己写的代码。",
)

# --------------------------------------------------------------------------------- text

LOOKS_LIKE = Text(
    "expected {expected}, but despite its name this is {what}. {advice}",
    "应为{expected}，但不管叫什么名字，这其实是{what}。{advice}",
)
PYTHON_SOURCE = Text("Python source", "Python 源代码")
A_JUPYTER_NOTEBOOK = Text("a Jupyter notebook", "Jupyter 笔记本")
YAML_TEXT = Text("YAML text", "YAML 文本")
THE_CODE_ITSELF = Text(
    "Submit the code itself, as a .py or .ipynb file.",
    "请提交代码本身（.py 或 .ipynb 文件）。",
)
RENAME_IT = Text("Rename it so that it ends in {suffix}.", "请把扩展名改成 {suffix}。")
PLAIN_TEXT = Text("Save it as plain text (UTF-8).", "请另存为纯文本（UTF-8）。")
PDF = Text("a PDF document", "PDF 文档")
IMAGE = Text("a picture", "图片")
OFFICE = Text("an Office document", "Office 文档")
ZIP = Text("a zip archive", "zip 压缩包")
ARCHIVE = Text("a compressed archive", "压缩文件")
RTF = Text("rich text (RTF)", "富文本（RTF）")
PROGRAM = Text("a compiled program", "编译后的程序")
WEB_PAGE = Text("a web page", "网页")
DATA = Text("binary data", "二进制数据")
WIDE = Text(
    "the text is saved as {encoding}; expected UTF-8. {remedy}",
    "文本是以 {encoding} 保存的，应为 UTF-8。{remedy}",
)
SAVE_AS_UTF8 = Text(
    "Save it as UTF-8 (VS Code: click the encoding in the status bar, “Save with Encoding”, “UTF-8”).",
    "请另存为 UTF-8（VS Code：点击状态栏的编码，选择“通过编码保存”，再选 UTF-8）。",
)
READ_AS = Text(
    "this is not UTF-8; it was read as {encoding}. {remedy}",
    "这个文件不是 UTF-8，已按 {encoding} 读取。{remedy}",
)
NUL = Text(
    "there is a NUL byte on line {line}, so this is not text. {remedy}",
    "第 {line} 行有 NUL 字节，所以这不是文本。{remedy}",
)
NOT_UTF8 = Text(
    "byte {byte} on line {line} is not valid {encoding}. {remedy}",
    "第 {line} 行的字节 {byte} 不是有效的 {encoding}。{remedy}",
)
BAD_COOKIE = Text(
    "the encoding declared in its first lines cannot be used ({reason}). Remove that line and save the file as UTF-8.",
    "开头声明的编码无法使用（{reason}）。请删掉那一行，并把文件另存为 UTF-8。",
)

# --------------------------------------------------------------------------------- Python

SYNTAX = Text(
    "line {line}, column {column}: Python cannot parse this{source} ({reason}).{hint}",
    "第 {line} 行第 {column} 列：Python 读不懂这里{source}（{reason}）。{hint}",
)
QUOTED_LINE = Text(": `{line}`", "：`{line}`")
PYTHON_2 = Text(
    " This is Python 2; in Python 3 it is print(x), and except (A, B) as e.",
    "这是 Python 2 的写法；在 Python 3 中应写 print(x)、except (A, B) as e。",
)
INDENTATION = Text(
    " Indent with four spaces everywhere; do not use tabs.",
    "请统一用四个空格缩进，不要用制表符。",
)
FULL_WIDTH = Text(
    " Type it again with the input method switched to English.",
    "请切换到英文输入法重新输入。",
)
ONLY_IN_JUPYTER = Text(
    " Lines that start with % or ! work in notebooks only: remove them, or submit the notebook.",
    "以 % 或 ! 开头的行只能在笔记本中使用：请删掉，或者直接提交笔记本。",
)
CONFLICT = Text(
    " This is a leftover merge conflict: choose one side and remove the markers.",
    "这是合并冲突留下的标记：请选定一边并删除标记。",
)
GIVES_UP = Text(
    "Python's parser cannot handle this ({reason}). Split deeply nested or very long expressions into statements.",
    "Python 的解析器无法处理（{reason}）。请把嵌套过深或过长的表达式拆成几条语句。",
)

# --------------------------------------------------------------------------------- notebooks

NOT_JSON = Text(
    "this is not a notebook, or it is damaged: line {line} is not valid JSON ({reason})."
    " Open it in Jupyter and save it again.",
    "这不是笔记本，或者已经损坏：第 {line} 行不是有效的 JSON（{reason}）。请在 Jupyter 中打开并重新保存。",
)
NOT_A_NOTEBOOK = Text(
    "this is JSON, but not a notebook: {reason}. Open it in Jupyter and save it again.",
    "这是 JSON，但不是笔记本：{reason}。请在 Jupyter 中打开并重新保存。",
)
NO_CELLS = Text("it has no list of cells", "没有单元列表")
NO_VERSION = Text("it has no “nbformat” number", "没有“nbformat”版本号")
TOO_INTRICATE = Text(
    "it has more than {limit} nested parts, probably in its outputs. Clear the outputs of all cells and save it.",
    "其中嵌套的部分超过 {limit} 个，应当来自输出。请清除所有单元的输出后保存。",
)
NEWER = Text("its format {version} is newer than 4", "其格式 {version} 比 4 更新")
ODD_CELL = Text("its cell {number} has no readable source", "第 {number} 个单元没有可读的源代码")
CONVERSION = Text("its old format cannot be converted ({reason})", "旧格式无法转换（{reason}）")
OLD_TOO_LARGE = Text(
    "it is in a format from before 2014. Notebooks in such formats may have {limit} in all here; these have {found}. "
    "Open it in Jupyter and save it, which converts it to the current format; then upload it again.",
    "它是 2014 年以前的旧格式；这类笔记本在这里合计不能超过 {limit}，而现在共有 {found}。"
    "请用 Jupyter 打开并保存，这样就会转换成现在的格式，然后重新上传。",
)
OTHER_LANGUAGE = Text(
    "this notebook is for {language}; expected one for Python. Choose a Python kernel and save it again.",
    "这个笔记本使用 {language}，应为 Python。请选择 Python 内核并重新保存。",
)
NO_CODE_CELLS = Text(
    "no cell of this notebook has code that can be graded. Expected code cells with your functions."
    " Did you save it before you submitted it?",
    "这个笔记本里没有可以评分的代码单元。应有写着函数的代码单元，提交之前保存过吗？",
)
TOO_MANY_CELLS = Text(
    "it has more than {limit} code cells. Submit only the cells with your functions.",
    "代码单元超过 {limit} 个。请只提交写有函数的单元。",
)
MAGICS = Text(
    "lines that only work in Jupyter were left out: {lines}.",
    "只能在 Jupyter 中使用的行已略过：{lines}。",
)
MAGIC = Text("cell {cell} line {line} ({text})", "第 {cell} 个单元第 {line} 行（{text}）")
WHOLE_CELLS = Text(
    "whole cells that are not plain Python were left out: {cells}.",
    "不是普通 Python 的单元已整个略过：{cells}。",
)
WHOLE_CELL = Text("cell {cell} ({text})", "第 {cell} 个单元（{text}）")

# --------------------------------------------------------------------------------- answers

ANSWERS_LOST = Text(
    "this file cannot be read, so your answers were not graded; your code was. {problem}",
    "这个文件无法读取，因此没有批改其中的答案；代码照常评分。{problem}",
)
NO_COLON = Text(
    "expected `{key}: …` on a line of its own, with nothing before it, a half-width colon, and a plain space after it",
    "应单独成行，写成 `{key}: …`：前面没有别的符号，用半角冒号，后面空一格（半角）",
)
NO_ENTRY = Text("expected a line such as `Q5.output: b`", "这里应是 `Q5.output: b` 这样的一行")
ANSWERED_TWICE = Text(
    "line {line}: {id} has another answer on line {first}, so neither counts. Keep one of them.",
    "第 {line} 行：{id} 在第 {first} 行还有一个不同的答案，因此两个都不算。请只保留一个。",
)
SWALLOWED = Text(
    "line {line}: {id} is inside the answer to {other}. Is a quote missing there, or is the line indented too far?",
    "第 {line} 行：{id} 成了 {other} 的答案的一部分。是那里的引号没有成对，还是这一行缩进太多？",
)
READ_ONE_BY_ONE = Text(
    "the file is not valid as a whole, but every answer in it could be read. {problem}",
    "整个文件不合规范，但其中的每个答案都能读取。{problem}",
)
TOO_MANY_ENTRIES = Text(
    "{problem} Its entries cannot be read one by one either, because there are more than {limit} of them.",
    "{problem}条目又超过了 {limit} 个，也无法逐条读取。",
)
MORE_PROBLEMS = Text("{count} more parts of this file could not be read.", "这个文件另有 {count} 处无法读取。")
TWO_LEARNERS = Text(
    "`learner` is given more than once, with different names ({names}), so none of them counts. Keep one line.",
    "`learner` 出现了不止一次，名字也不同（{names}），因此都不算。请只保留一行。",
)
NOT_YAML = Text("line {line}: {reason}.", "第 {line} 行：{reason}。")
NO_FORMAT_LINE = Text(
    "there is no `format`, so this was read as format 1. Write `format: 1` as the first line of the file.",
    "缺少 `format`，已按格式 1 读取。请在第一行写上 `format: 1`。",
)
ANSWERS_SHAPE = Text(
    "expected `format: 1`, `learner:` and `answers:`, found {found}. `attncheck start` creates a file to begin with.",
    "应有 `format: 1`、`learner:` 和 `answers:`，实际是{found}。可以用 `attncheck start` 生成一份。",
)
EMPTY_ANSWERS = Text("nothing", "空文件")
FORMAT = Text(
    "line {line}: expected `format: 1`, found {found}. Write `format: 1` as the first line of the file.",
    "第 {line} 行：应为 `format: 1`，实际是{found}。请在第一行写上 `format: 1`。",
)
UNKNOWN_KEY = Text(
    "line {line}: “{key}” is not a key of an answers file.{near} The keys are format, learner and answers.",
    "第 {line} 行：答案文件里没有“{key}”这个键。{near}可用的键有 format、learner、answers。",
)
MEANT = Text(" Did you mean “{key}”?", "是不是想写“{key}”？")
LEARNER_TEXT = Text(
    'line {line}: `learner` should be a name, found {found}. Put it in quotes, as in `learner: "0123"`.',
    '第 {line} 行：`learner` 应为名字，实际是{found}。请加上引号，例如 `learner: "0123"`。',
)
ANSWERS_MAP = Text(
    "line {line}: `answers` should have lines such as `Q5.output: b`, found {found}.",
    "第 {line} 行：`answers` 下面应是 `Q5.output: b` 这样的行，实际是{found}。",
)
A_LIST = Text("a list", "列表")
A_MAPPING = Text("a mapping", "映射")
