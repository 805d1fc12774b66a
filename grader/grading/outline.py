"""Finds what the definitions of a submission use, from their syntax trees. Nothing is run.

The search follows a definition to the definitions that it mentions, and so on, across all files.
"""

from __future__ import annotations

import ast
import functools
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grader.core.model import SourceFile
from grader.submission.messages import Unusable
from grader.submission.source import bound_names, imported_from, parse, stored, top_level


@dataclass(frozen=True, slots=True)
class Mention:
    """The full name of something that a definition reads, with its place."""

    label: str
    line: int
    dotted: str


def reached(name: str, file: SourceFile, files: tuple[SourceFile, ...]) -> Iterator[tuple[Outline, Mention]]:
    """The names outside its file that the definition of ``name`` in ``file`` mentions, with the outline of each file.

    Definitions that it mentions are followed, in this file and in others.
    """
    for outline, _, mentions in _followed(name, file, files):
        yield from ((outline, mention) for mention in mentions)


def definitions(name: str, file: SourceFile, files: tuple[SourceFile, ...]) -> set[tuple[str, str]]:
    """The module and name of every definition that the definition of ``name`` in ``file`` leads to, without itself."""
    reached_names = {
        (outline.module, name_in) for outline, name_in, _ in _followed(name, file, files) if name_in in outline.nodes
    }
    return reached_names - {(file.module, name)}


def _followed(
    name: str, file: SourceFile, files: tuple[SourceFile, ...]
) -> Iterator[tuple[Outline, str, list[Mention]]]:
    """Each definition that is followed, with what it mentions that is not a definition of the same file."""
    outlines = {each.module: outline_of(each) for each in (*files, file)}
    todo, seen = deque([(file.module, name)]), set()
    while todo:
        place = todo.popleft()
        if place in seen:
            continue
        seen.add(place)
        module, current = place
        outline = outlines[module]
        if current in outline.means:
            todo += [found for found in [_own(outline.means[current], outlines)] if found]
        outside = []
        for mention in outline.mentions(current):
            root = mention.dotted.partition(".")[0]
            if root in outline.nodes:
                todo.append((module, root))
                continue
            outside.append(mention)
            if (target := _own(mention.dotted, outlines)) is not None:
                todo.append(target)
            todo += [(star, root) for star in outline.stars if star in outlines and root in outlines[star].nodes]
        yield outline, current, outside


def _own(dotted: str, outlines: Mapping[str, Outline]) -> tuple[str, str] | None:
    """The module of the submission, and the name in it, that a dotted name refers to; or None."""
    module, _, name = dotted.rpartition(".")
    while module and module not in outlines:
        module, _, name = module.rpartition(".")
    return (module, name.partition(".")[0]) if module else None


@dataclass(slots=True)
class Outline:
    """One file: its top-level definitions, the full names of its imports, and the libraries of its star imports.

    ``read`` caches what each definition mentions, because several exercises of a file may use it.
    """

    module: str
    package: str
    nodes: dict[str, tuple[str, ast.AST]] = field(default_factory=dict)
    means: dict[str, str] = field(default_factory=dict)
    stars: set[str] = field(default_factory=set)
    read: dict[str, tuple[Mention, ...]] = field(default_factory=dict)

    def mentions(self, name: str) -> tuple[Mention, ...]:
        """The full name of everything that the definition of ``name`` reads, with its place."""
        if name not in self.nodes:
            return ()
        if name not in self.read:
            self.read[name] = tuple(self._mentions(name))
        return self.read[name]

    def _mentions(self, name: str) -> Iterator[Mention]:
        label, tree = self.nodes[name]
        inner = dict(_imports(tree, self.package))
        local = set(_bound(tree)) - set(inner)
        for node, words in _read(tree):
            root, *rest = words
            if root not in local:
                full = inner.get(root, self.means.get(root, root))
                yield Mention(label, getattr(node, "lineno", 0), ".".join([full, *rest]))


@functools.lru_cache(maxsize=32)  # about one submission; trees are large
def outline_of(file: SourceFile) -> Outline:
    """The outline of a file; parts that cannot be parsed are left out."""
    package = file.module if file.is_package else file.module.rpartition(".")[0]
    outline = Outline(file.module, package)
    for part in file.parts:
        try:
            tree = parse(part.text, part.label)
        except Unusable:
            continue
        outline.stars.update(star.partition(".")[0] for star in _stars(tree, package))
        for node, _ in top_level(tree.body):
            for name, means in _imports(node, package) if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                outline.nodes.pop(name, None)
                outline.means[name] = means
            for name, _ in bound_names(node):
                outline.means.pop(name, None)
                outline.nodes[name] = (part.label, node)
    return outline


def _bound(tree: ast.AST) -> Iterator[str]:
    """Names that a function or class binds itself: parameters and assigned names. None for other statements."""
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                yield node.arg
        yield from (name for name, _ in stored(tree))


def _imports(tree: ast.AST, package: str) -> Iterator[tuple[str, str]]:
    """The name that each import in ``tree`` binds, and its full name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (top, top)
            case ast.ImportFrom(names=names):
                source = imported_from(node, package)
                yield from ((alias.asname or alias.name, f"{source}.{alias.name}") for alias in names)


def _stars(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield imported_from(node, package)


#: Functions whose arguments after the first do not count as uses.
_ASKS = {"isinstance", "issubclass"}


def _read(tree: ast.AST) -> Iterator[tuple[ast.AST, list[str]]]:
    """The dotted names that ``tree`` reads, in parts; without annotations and the classes given to ``isinstance``."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        words = _words(node)
        if words is not None:
            yield node, words
            continue
        left_out: tuple[object, ...] = ()
        match node:
            case ast.Call(func=ast.Name(id=asked)) if asked in _ASKS:
                left_out = tuple(node.args[1:])
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                left_out = (annotation,)
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                left_out = (returns,)
        children = [child for child in ast.iter_child_nodes(node) if child not in left_out]
        todo += reversed(children)


def _words(node: ast.AST) -> list[str] | None:
    """``["torch", "nn"]`` for ``torch.nn``, ``getattr(torch, "nn")`` and ``import_module("torch").nn``; else None."""
    words: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=inner, attr=attr):
                words.append(attr)
                node = inner
            case ast.Call(func=ast.Name(id="getattr"), args=[inner, ast.Constant(value=str(attr)), *_]):
                words.append(attr)
                node = inner
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                return [*module.split("."), *reversed(words)]
            case ast.Name(id=name, ctx=ast.Load()):
                return [name, *reversed(words)]
            case _:
                return None
