"""Find submissions that are nearly the same, ignoring code that was given to all or that many wrote.

Code is reduced to *tokens*, without comments, docstrings, formatting and the names that the author chose. Runs of
``_RUN`` tokens that also occur in a stub, a reference or many submissions are *subtracted*; the tokens that remain are
the submission's *own*. Own tokens are fingerprinted by winnowing (Schleimer, Wilkerson and Aiken 2003), an index of
fingerprints selects candidate pairs, and these are aligned. Nothing here runs code or tells who copied from whom.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import contextlib
import functools
import io
import itertools
import keyword
import sys
import tokenize
import warnings
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from grader.core import bounded
from grader.core.model import Part, SourceFile

#: The score from which a pair is reported: the share of own tokens that both sides have in the same order.
THRESHOLD = 0.8
#: Code with fewer own tokens is not compared: there are hardly two ways to write it.
SHORTEST = 40
#: Token runs shared by more than this many submissions (and more than 5 %) count as common code.
COMMON = 8
#: Longer submissions are cut to this many tokens, and reported: the cost of aligning is the product of both lengths.
MOST_TOKENS = 12_000
#: Identical solutions are reported from this many submissions on, even if all of their code is common.
SEVERAL = 3
#: The limit on alignment steps for a class. Pairs that share most are aligned first; the others are only counted.
MOST_STEPS = 1 << 37
#: The scope for whole submissions; all other scopes are names of exercises.
WHOLE = ""

_RUN = 10
_WINDOW = 4
_SHARED = 0.25
#: Shorter runs of equal tokens are not highlighted, because they occur everywhere.
_MARKED = 5
_NAME = "name"
_NONE = np.iinfo(np.uint64).max
_FACTORS = np.array([pow(0x9E3779B97F4A7C15, at + 1, 1 << 64) | 1 for at in range(_RUN)], np.uint64)
_BUILTIN = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
_BLANK = {tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER, tokenize.TYPE_COMMENT}
#: Since Python 3.12 an f-string is several tokens; its start represents it.
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_START", tokenize.STRING)}
_INSIDE_STRINGS = {getattr(tokenize, name, -1) for name in ("FSTRING_MIDDLE", "FSTRING_END")}

Numbers = NDArray[np.uint64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CodeSample:
    """The code of a submission. Submissions that share one of their ``people`` are not compared."""

    key: str
    people: tuple[str, ...]
    files: tuple[SourceFile, ...]


class CodeToken(NamedTuple):
    """A token with its position in a part of a file, as (line, column): lines from 1, columns from 0."""

    kind: str
    spelled: str
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Some lines of a part of a file: a definition, or the code between definitions."""

    part: Part
    first: int
    last: int
    tokens: tuple[CodeToken, ...]
    comments: tuple[CodeToken, ...]


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two submissions that are similar in ``scope``.

    ``score`` is the share of own tokens, from 0 to 1, that both have in the same order. ``tokens`` is how many own
    tokens they share, ``names`` the share of identical names among these. If ``common``, the two are identical to each
    other and to at least one more submission, in code that many others have in parts; only code that everyone was
    given is subtracted then.
    """

    left: str
    right: str
    scope: str
    score: float
    tokens: int
    names: float
    common: bool = False


@dataclass(frozen=True, slots=True)
class IdenticalGroup:
    """Submissions with the same solution, too many to list as pairs.

    ``names`` is the share of names identical to those of the first submission, in the one that differs most from it.
    """

    scope: str
    tokens: int
    keys: tuple[str, ...]
    names: float = 1.0


@dataclass(frozen=True, slots=True)
class ScopeCount:
    """For one scope: how many submissions have code for it, and how many of these have enough own code to compare."""

    name: str
    written: int
    compared: int


@dataclass(frozen=True, slots=True)
class SimilarityResult:
    """The result of a comparison.

    ``subtracted`` has the hashes of ignored runs by scope, ``given`` those of runs in code that everyone was given.
    ``comments`` are the comments in that code. ``shortened`` are the keys of submissions that were cut to
    ``MOST_TOKENS`` in some scope; ``unaligned`` is the number of pairs that exceeded the limit on steps.
    """

    submissions: int
    threshold: float
    pairs: tuple[SimilarPair, ...]
    groups: tuple[IdenticalGroup, ...]
    scopes: tuple[ScopeCount, ...]
    subtracted: Mapping[str, frozenset[int]]
    comments: frozenset[str]
    shortened: tuple[str, ...] = ()
    unaligned: int = 0
    given: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Written:
    """The code of one submission in one scope as arrays: token kinds, token spellings, and hashes of runs."""

    kinds: Numbers
    spelled: Numbers
    runs: Numbers
    shortened: bool = False


@dataclass(frozen=True, slots=True)
class ReducedSample:
    """A submission reduced to arrays, by scope: all that is kept of it while a class is compared."""

    key: str
    people: frozenset[str]
    scopes: tuple[tuple[str, _Written], ...]


def is_small(one: CodeSample) -> bool:
    """Whether a submission is cheap to read whatever it contains; see ``grader.core.bounded``."""
    return sum(len(part.text) for file in one.files for part in file.parts) <= bounded.SMALL


def reduce_sample(one: CodeSample, exercises: Sequence[str]) -> ReducedSample:
    """Reduce a submission to arrays, by scope."""
    pieces = split_by_exercise(one.files, exercises)
    scopes = [(name, _written(found, MOST_TOKENS)) for name, found in pieces.items() if name != WHOLE]
    whole = [piece for name in (*exercises, WHOLE) for piece in pieces.get(name, ())]
    if whole:
        scopes.append((WHOLE, _written(whole, MOST_TOKENS)))
    return ReducedSample(one.key, frozenset(one.people), tuple(scopes))


def compare(
    samples: Iterable[ReducedSample],
    given: Sequence[SourceFile],
    exercises: Sequence[str],
    threshold: float = THRESHOLD,
) -> SimilarityResult:
    """Find all similar pairs. ``given`` is the code that every learner was given: stubs and references."""
    known = _known(given)
    owners: list[_Owner] = []
    scopes: dict[str, list[tuple[int, _Written]]] = {name: [] for name in (*exercises, WHOLE)}
    for at, one in enumerate(samples):
        owners.append(_Owner(one.key, one.people))
        for name, written in one.scopes:
            scopes[name].append((at, written))
    pairs: list[SimilarPair] = []
    groups: list[IdenticalGroup] = []
    popular: list[_Identical] = []
    facts: list[ScopeCount] = []
    subtracted: dict[str, frozenset[int]] = {}
    work = _StepBudget(MOST_STEPS)
    for name, having in scopes.items():
        subtracted[name] = known | _common([one for _, one in having], known, max(COMMON, len(owners) // 20))
        owning = ((at, one, _own(one.runs, subtracted[name], len(one.kinds))) for at, one in having)
        long = [_Long(at, one, own) for at, one, own in owning if own.sum() >= SHORTEST]
        facts.append(ScopeCount(name, len(having), len(long)))
        same = list(_identical(having, known))
        if name == WHOLE:
            same = [one for one in same if one.tokens - _popular(one, popular) >= SHORTEST]
        large = [one for one in same if len(one.members) > COMMON]
        popular += large
        groups += [_group(name, one, dict(having), owners) for one in large]
        told = {owners[at].key: number for number, one in enumerate(large) for at in one.members}
        similar = [
            pair
            for pair in _pairs(name, long, subtracted[name], owners, threshold, work)
            if pair.left not in told or told[pair.left] != told.get(pair.right)
        ]
        found = {(pair.left, pair.right) for pair in similar}
        small = [one for one in same if len(one.members) <= COMMON]
        common = (pair for one in small for pair in _couples_of(name, one, dict(having), owners))
        pairs += [*similar, *(pair for pair in common if (pair.left, pair.right) not in found)]
    ranked = sorted(pairs, key=lambda pair: (-pair.tokens, pair.left, pair.right, pair.scope))
    comments = _comments(split_by_exercise(given, ()))
    shortened = tuple({owners[at].key: None for having in scopes.values() for at, one in having if one.shortened})
    return SimilarityResult(
        submissions=len(owners),
        threshold=threshold,
        pairs=tuple(ranked),
        groups=tuple(groups),
        scopes=tuple(facts),
        subtracted=subtracted,
        comments=comments,
        shortened=shortened,
        unaligned=work.unaligned,
        given=known,
    )


# -------------------------------------------------------------------------------------------- tokens


def split_by_exercise(files: Iterable[SourceFile], exercises: Sequence[str]) -> dict[str, list[CodePiece]]:
    """The code in ``files`` by exercise: the definition of each exercise, and all other code under ``WHOLE``."""
    found: dict[str, list[CodePiece]] = {}
    wanted = frozenset(exercises)
    for part in (part for file in files for part in file.parts):
        regions = _regions(part.text, wanted)
        tokens, comments = tokenize_code(part.text)
        for name, first, last in regions:
            inside = _between(tokens, first, last)
            if inside:
                said = _between(comments, first, last)
                found.setdefault(name, []).append(CodePiece(part, first, last, inside, said))
    return found


def _between(tokens: Sequence[CodeToken], first: int, last: int) -> tuple[CodeToken, ...]:
    """The tokens that start on the lines from ``first`` to ``last``."""
    begin = bisect.bisect_left(tokens, first, key=_line_of)
    return tuple(tokens[begin : bisect.bisect_right(tokens, last, begin, key=_line_of)])


def _line_of(token: CodeToken) -> int:
    return token.start[0]


def _regions(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, int, int]]:
    """The line ranges of exercises, and of all other code (``WHOLE``), as (name, first line, last line)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    free = 1
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in wanted:
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            if free < first:
                yield WHOLE, free, first - 1
            yield node.name, first, node.end_lineno or first
            free = (node.end_lineno or first) + 1
    yield WHOLE, free, text.count("\n") + 1


def tokenize_code(text: str) -> tuple[list[CodeToken], list[CodeToken]]:
    """Split Python code into the tokens that affect its meaning, and its comments."""
    raw: list[tokenize.TokenInfo] = []
    with contextlib.suppress(tokenize.TokenError, SyntaxError):  # keep the tokens before the error
        raw.extend(each for each in tokenize.generate_tokens(io.StringIO(text).readline) if each.type not in _BLANK)
    comments = [CodeToken("#", " ".join(each.string.split()), each.start, each.end) for each in raw if _says(each)]
    code = [each for each in raw if each.type not in {tokenize.COMMENT, *_INSIDE_STRINGS}]
    tokens: list[CodeToken] = []
    depth = 0
    for at, each in enumerate(code):
        before = code[at - 1] if at else None
        after = code[at + 1] if at + 1 < len(code) else None
        if each.type == tokenize.OP:
            depth += (each.string in "([{") - (each.string in ")]}")
        if _is_docstring(each, before, after) or (at > 1 and _is_docstring(code[at - 1], code[at - 2], each)):
            continue  # skip the docstring and the end of its line
        kind = _kind(each, before, after, depth)
        tokens.append(CodeToken(kind, each.string, each.start, each.end))
    return tokens, comments


def _says(token: tokenize.TokenInfo) -> bool:
    return token.type == tokenize.COMMENT and len(token.string.strip("#-= ")) > 3


def _is_docstring(
    token: tokenize.TokenInfo, before: tokenize.TokenInfo | None, after: tokenize.TokenInfo | None
) -> bool:
    return token.type == tokenize.STRING and _ends(before) and _ends(after)


def _ends(token: tokenize.TokenInfo | None) -> bool:
    """Whether ``token`` is the boundary of a statement."""
    return token is None or token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def _kind(
    token: tokenize.TokenInfo, before: tokenize.TokenInfo | None, after: tokenize.TokenInfo | None, depth: int
) -> str:
    """The kind of a token: its text, except for names that the author chose, and for strings."""
    if token.type == tokenize.NAME:
        attribute = before is not None and before.string == "."
        argument = depth > 0 and after is not None and after.string == "="
        return token.string if token.string in _BUILTIN or attribute or argument else _NAME
    if token.type in _STRINGS:
        return "''"
    if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
        return tokenize.tok_name[token.type]
    return token.string


@functools.lru_cache(1 << 16)
def _number(text: str) -> int:
    return zlib.crc32(text.encode(errors="replace"))


def _numbers(texts: Iterable[str]) -> Numbers:
    return np.array([_number(text) for text in texts], np.uint64)


# -------------------------------------------------------------------------------------- fingerprints


class _Owner(NamedTuple):
    """A submission, and the learners it belongs to."""

    key: str
    people: frozenset[str]


class _Long(NamedTuple):
    """Code that is long enough to compare: the index of its submission, and a mask of its own tokens."""

    at: int
    written: _Written
    own: Flags


def _written(pieces: Sequence[CodePiece], most: int = sys.maxsize) -> _Written:
    tokens = [token for piece in pieces for token in piece.tokens]
    kinds = _numbers(token.kind for token in tokens[:most])
    return _Written(kinds, _numbers(token.spelled for token in tokens[:most]), _runs(kinds), len(tokens) > most)


def _runs(kinds: Numbers) -> Numbers:
    """The hash of each run of ``_RUN`` tokens, at the index of its first token."""
    if len(kinds) < _RUN:
        return np.zeros(0, np.uint64)
    mixed: Numbers = (sliding_window_view(kinds, _RUN) * _FACTORS).sum(axis=1, dtype=np.uint64)
    hashes: Numbers = (mixed ^ (mixed >> np.uint64(29))) * _FACTORS[0]
    return hashes


def _known(files: Iterable[SourceFile]) -> frozenset[int]:
    """The hashes of all runs in code that everyone was given."""
    pieces = (piece for found in split_by_exercise(files, ()).values() for piece in found)
    return frozenset(run for piece in pieces for run in _written([piece]).runs.tolist())


def _common(written: Sequence[_Written], known: frozenset[int], most: int) -> frozenset[int]:
    """The hashes of runs that occur in more than ``most`` submissions."""
    if len(written) <= most:
        return frozenset()
    runs, times = np.unique(np.concatenate([np.unique(one.runs) for one in written]), return_counts=True)
    return frozenset(runs[times > most].tolist()) - known


def _own(runs: Numbers, subtracted: frozenset[int], size: int) -> Flags:
    """A mask of those of ``size`` tokens that are in no subtracted run."""
    edges = np.zeros(size + 1, np.int64)
    starts = [at for at, run in enumerate(runs.tolist()) if run in subtracted]
    np.add.at(edges, starts, 1)
    np.add.at(edges, [at + _RUN for at in starts], -1)
    own: Flags = np.cumsum(edges)[:size] == 0
    return own


def _fingerprints(runs: Numbers, subtracted: frozenset[int]) -> list[int]:
    """Winnowing: the smallest hash of each window of runs that are not subtracted."""
    kept = np.array([_NONE if run in subtracted else run for run in runs.tolist()], np.uint64)
    windows = sliding_window_view(kept, min(_WINDOW, len(kept))) if len(kept) else kept.reshape(0, 1)
    return [run for run in np.unique(windows.min(axis=1)).tolist() if run != _NONE]


# ------------------------------------------------------------------------------------------- pairs


@dataclass(slots=True)
class _StepBudget:
    """The alignment steps that are left, and the number of pairs that they were not enough for."""

    steps: int
    unaligned: int = 0

    def affords(self, steps: int) -> bool:
        """Use ``steps`` if that many are left; otherwise count the pair as unaligned. Returns which."""
        enough = steps <= self.steps
        self.steps -= steps if enough else 0
        self.unaligned += not enough
        return enough


def _pairs(
    scope: str,
    long: Sequence[_Long],
    subtracted: frozenset[int],
    owners: Sequence[_Owner],
    threshold: float,
    work: _StepBudget,
) -> Iterator[SimilarPair]:
    own = [(one.written.kinds[one.own].tolist(), one.written.spelled[one.own].tolist()) for one in long]
    for couple in _candidates([_fingerprints(one.written.runs, subtracted) for one in long]):
        first, second = sorted(couple, key=lambda at: owners[long[at].at].key)
        one, other = owners[long[first].at], owners[long[second].at]
        if one.people & other.people:
            continue
        if not work.affords(len(own[first][0]) * len(own[second][0])):
            continue
        score = Indel.normalized_similarity(own[first][0], own[second][0], score_cutoff=threshold)
        if score >= threshold:
            tokens, names = _agreement(own[first], own[second])
            yield SimilarPair(one.key, other.key, scope, score, tokens, names)


def _candidates(prints: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """The pairs that share enough fingerprints, from an inverted index; those that share most come first."""
    index: dict[int, list[int]] = defaultdict(list)
    for at, found in enumerate(prints):
        for fingerprint in found:
            index[fingerprint].append(at)
    codes = [_couples(tuple(having), len(prints)) for having in index.values() if len(having) > 1]
    if not codes:
        return
    pairs, shared = np.unique(np.concatenate(codes), return_counts=True)
    likely: list[tuple[float, int, int]] = []
    for pair, times in zip(pairs.tolist(), shared.tolist(), strict=True):
        left, right = divmod(pair, len(prints))
        share = times / min(len(prints[left]), len(prints[right]))
        if share >= _SHARED:
            likely.append((-share, left, right))
    yield from ((left, right) for _, left, right in sorted(likely))


def _couples(having: tuple[int, ...], count: int) -> NDArray[np.int64]:
    """All pairs of ``having``, which is sorted, each encoded as one number."""
    first, second = _corner(len(having))
    places = np.array(having, np.int64)
    codes: NDArray[np.int64] = places[first] * count + places[second]
    return codes


@functools.lru_cache(256)
def _corner(size: int) -> tuple[Any, Any]:
    return np.triu_indices(size, 1)


def _agreement(left: tuple[list[int], list[int]], right: tuple[list[int], list[int]]) -> tuple[int, float]:
    """How many tokens two sides share, and the share of identical names among them."""
    shared = names = alike = 0
    for i, j in _aligned(left[0], right[0]):
        shared += 1
        if left[0][i] == _number(_NAME):
            names += 1
            alike += left[1][i] == right[1][j]
    return shared, alike / names if names else 0.0


def _aligned(left: Sequence[int], right: Sequence[int], shortest: int = 1) -> Iterator[tuple[int, int]]:
    """The index pairs of equal tokens, in runs of at least ``shortest``."""
    for block in Indel.opcodes(left, right):
        if block.tag == "equal" and block.src_end - block.src_start >= shortest:
            yield from zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)


class _Identical(NamedTuple):
    """Submissions with identical tokens in a scope, by index. ``own`` masks tokens that were not given to everyone."""

    own: Flags
    members: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """The number of own tokens."""
        return int(self.own.sum())


def _identical(having: Sequence[tuple[int, _Written]], known: frozenset[int]) -> Iterator[_Identical]:
    """The solutions that ``SEVERAL`` submissions or more share, if they are long enough."""
    same: dict[bytes, list[int]] = defaultdict(list)
    first: dict[bytes, _Written] = {}
    for at, one in having:
        text = one.kinds.tobytes()
        same[text].append(at)
        first.setdefault(text, one)
    for text, members in same.items():
        if len(members) >= SEVERAL:
            found = _Identical(_own(first[text].runs, known, len(first[text].kinds)), tuple(members))
            if found.tokens >= SHORTEST:
                yield found


def _popular(same: _Identical, popular: Iterable[_Identical]) -> int:
    """How many tokens of identical submissions belong to solutions of single exercises that many others share."""
    return sum(one.tokens for one in popular if set(same.members) <= set(one.members))


def _couples_of(
    scope: str, same: _Identical, written: Mapping[int, _Written], owners: Sequence[_Owner]
) -> Iterator[SimilarPair]:
    """All pairs of identical submissions, except pairs by the same people."""
    ordered = sorted(same.members, key=lambda at: owners[at].key)
    for one, other in itertools.combinations(ordered, 2):
        if not owners[one].people & owners[other].people:
            names = _same_names(same, written[one], written[other])
            yield SimilarPair(owners[one].key, owners[other].key, scope, 1.0, same.tokens, names, common=True)


def _group(scope: str, same: _Identical, written: Mapping[int, _Written], owners: Sequence[_Owner]) -> IdenticalGroup:
    """Identical submissions as a group."""
    first, *others = sorted(same.members, key=lambda at: owners[at].key)
    names = min(_same_names(same, written[first], written[other]) for other in others)
    return IdenticalGroup(scope, same.tokens, tuple(owners[at].key for at in (first, *others)), names)


def _same_names(same: _Identical, left: _Written, right: _Written) -> float:
    """The share of identical names among the own tokens of two identical submissions."""
    named = (left.kinds == _number(_NAME)) & same.own
    return float((left.spelled == right.spelled)[named].mean()) if named.any() else 0.0


# --------------------------------------------------------------------------------------- side by side


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of code as (text, mark): "same" on both sides, "given" to everyone or common, or "" for neither."""

    number: int
    stretches: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a submitted file."""

    label: str
    lines: tuple[MarkedLine, ...]


def side_by_side(
    found: SimilarityResult, pair: SimilarPair, left: CodeSample, right: CodeSample
) -> tuple[tuple[Excerpt, ...], tuple[Excerpt, ...]]:
    """The code of both submissions for the scope of a pair, with equal parts marked.

    Both are empty if marking exceeds the limits of the process for large submissions.
    """
    exercises = [scope.name for scope in found.scopes if scope.name != WHOLE]
    subtracted = found.given if pair.common else found.subtracted[pair.scope]
    asked = (exercises, pair.scope, subtracted, found.comments, left, right)
    if is_small(left) and is_small(right):
        return _sides(*asked)
    try:
        return bounded.call(bounded.READING, _sides, *asked)
    except bounded.Exceeded:
        return (), ()


def _sides(
    exercises: Sequence[str],
    scope: str,
    subtracted: frozenset[int],
    given: frozenset[str],
    left: CodeSample,
    right: CodeSample,
) -> tuple[tuple[Excerpt, ...], tuple[Excerpt, ...]]:
    pieces = [_of(split_by_exercise(one.files, exercises), scope, exercises) for one in (left, right)]
    tokens = [[token for piece in each for token in piece.tokens] for each in pieces]
    kinds = [_numbers(token.kind for token in each[:MOST_TOKENS]) for each in tokens]
    own = [_own(_runs(each), subtracted, len(each)) for each in kinds]
    places = [np.flatnonzero(flags).tolist() for flags in own]
    pairs = list(_aligned(kinds[0][own[0]].tolist(), kinds[1][own[1]].tolist(), _MARKED))
    said = [{token.spelled for piece in each for token in piece.comments} - given for each in pieces]
    shown = []
    for side in (0, 1):
        same = {places[side][couple[side]] for couple in pairs}
        marks = ["same" if at in same else "" if flag else "given" for at, flag in enumerate(own[side].tolist())]
        marks += [""] * (len(tokens[side]) - len(marks))
        shown.append(tuple(_excerpts(pieces[side], marks, said[0] & said[1])))
    return shown[0], shown[1]


def _of(pieces: Mapping[str, list[CodePiece]], scope: str, exercises: Sequence[str]) -> list[CodePiece]:
    names = [scope] if scope != WHOLE else [*exercises, WHOLE]
    return [piece for name in names for piece in pieces.get(name, ())]


def _excerpts(pieces: Sequence[CodePiece], marks: Sequence[str], comments: set[str]) -> Iterator[Excerpt]:
    at = 0
    for piece in pieces:
        marked = list(zip(piece.tokens, marks[at : at + len(piece.tokens)], strict=True))
        at += len(piece.tokens)
        marked += [(comment, "same") for comment in piece.comments if comment.spelled in comments]
        lines = piece.part.text.split("\n")[piece.first - 1 : piece.last]
        kinds = [[""] * len(line) for line in lines]
        for token, kind in marked:
            if not token.spelled.strip():
                continue
            for number in range(token.start[0], token.end[0] + 1):
                row = kinds[number - piece.first] if 0 <= number - piece.first < len(kinds) else []
                begin = token.start[1] if number == token.start[0] else 0
                end = token.end[1] if number == token.end[0] else len(row)
                row[begin:end] = [kind] * len(row[begin:end])
        shown = [_line(piece.first + n, line, row) for n, (line, row) in enumerate(zip(lines, kinds, strict=True))]
        yield Excerpt(piece.part.label, tuple(shown))


def _line(number: int, text: str, kinds: list[str]) -> MarkedLine:
    """Split a line by mark. White space between two stretches with the same mark gets that mark, too."""
    at = 0
    while at < len(text):
        end = at + 1
        if text[at].isspace():
            while end < len(text) and text[end].isspace():
                end += 1
            if at > 0 and end < len(text) and kinds[at - 1] == kinds[end]:
                kinds[at:end] = [kinds[end]] * (end - at)
        at = end
    stretches = []
    for kind, places in itertools.groupby(range(len(text)), key=kinds.__getitem__):
        inside = list(places)
        stretches.append((text[inside[0] : inside[-1] + 1], kind))
    return MarkedLine(number, tuple(stretches))


def _comments(pieces: Mapping[str, list[CodePiece]]) -> frozenset[str]:
    """The comments in code that everyone was given."""
    return frozenset(token.spelled for found in pieces.values() for piece in found for token in piece.comments)
