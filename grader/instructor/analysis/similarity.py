"""Find submissions that are nearly the same, ignoring code that was given to all or that many wrote.

Code is reduced to *tokens*, without comments, docstrings, formatting and the names that the author chose. Runs of
``_RUN`` tokens that also occur in a stub, a reference or many submissions are *subtracted*; the tokens that remain are
the submission's *own*. Own tokens are fingerprinted by winnowing (Schleimer, Wilkerson and Aiken 2003). Submissions
that share enough fingerprints are aligned. Fingerprints that more than ``MOST_OWNERS`` submissions have do not count
there, so the number of such pairs grows only as fast as the class. Nothing here runs code or tells who copied from
whom.
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
import re
import sys
import tokenize
import warnings
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from grader.core import bounded
from grader.core.model import Part, SourceFile
from grader.core.serialize import Written

#: The score from which a pair is reported: the share of own tokens that both sides have in the same order.
THRESHOLD = 0.8
#: Code with fewer own tokens is not compared: there are hardly two ways to write it.
SHORTEST = 40
#: Token runs shared by more than this many submissions (and more than 5 %) count as common code.
COMMON = 8
#: A fingerprint of more submissions says little about any two of them, and would make too many pairs. In classes of up
#: to 2,000, code that so many share is common anyway.
MOST_OWNERS = 100
#: Longer submissions are cut to this many tokens, and reported: the cost of aligning is the product of both lengths.
MOST_TOKENS = 12_000
#: Identical solutions are reported from this many submissions on, even if all of their code is common.
SEVERAL = 3
#: The limit on alignment steps for a class. Pairs that share most are aligned first; the others are only counted.
MOST_STEPS = 1 << 37
#: The scope for whole submissions; all other scopes are names of exercises.
WHOLE = ""


def _exercise(scope: str) -> str | None:
    return scope or None


#: A scope, which is null in JSON if it is ``WHOLE``.
ScopeName: TypeAlias = Annotated[str, Written(_exercise)]

#: Shorter runs of tokens are equal by chance.
_RUN = 10
#: Of so many runs in sequence, one becomes a fingerprint: every equal stretch of 13 tokens has one in common.
_WINDOW = 4
#: Pairs that share fewer of the fingerprints of the shorter side cannot be similar by half.
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

#: CRC-32 of texts.
Codes = NDArray[np.uint32]
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
    """What was compared of an exercise.

    - `exercise`: the exercise; `null` for the whole submission
    - `written`: how many submissions have code for it
    - `compared`: how many of these have at least `shortest` tokens of their own, not counting code from stubs,
      references or many submissions
    """

    exercise: ScopeName
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
    """The code of one submission in one scope as arrays: kinds and spellings of its tokens."""

    kinds: Codes
    spelled: Codes
    shortened: bool = False

    @property
    def runs(self) -> Numbers:
        """The hash of each run of tokens."""
        return _runs(self.kinds)


@dataclass(frozen=True, slots=True)
class ReducedSample:
    """A submission reduced to arrays, by scope: all that is kept of it while a class is compared."""

    key: str
    people: frozenset[str]
    scopes: tuple[tuple[str, _Written], ...]


def is_small(sample: CodeSample) -> bool:
    """Whether a submission is cheap to read whatever it contains; see ``grader.core.bounded``."""
    return sum(len(part.text) for file in sample.files for part in file.parts) <= bounded.SMALL


def reduce_sample(sample: CodeSample, exercises: Sequence[str]) -> ReducedSample:
    """Reduce a submission to arrays, by scope."""
    pieces = split_by_exercise(sample.files, exercises)
    scopes = ((name, _of(pieces, name, exercises)) for name in (*exercises, WHOLE))
    written = tuple((name, _written(found, MOST_TOKENS)) for name, found in scopes if found)
    return ReducedSample(sample.key, frozenset(sample.people), written)


def compare(
    samples: Iterable[ReducedSample],
    given: Sequence[SourceFile],
    exercises: Sequence[str],
    threshold: float = THRESHOLD,
) -> SimilarityResult:
    """Find all similar pairs. ``given`` is the code that every learner was given: stubs and references."""
    authors: dict[str, list[_Author]] = {name: [] for name in (*exercises, WHOLE)}
    size = 0
    for sample in samples:
        size += 1
        for name, written in sample.scopes:
            authors[name].append(_Author(sample.key, sample.people, written))
    known, budget = _known(given), _StepBudget(MOST_STEPS)
    limits = _Limits(max(COMMON, size // 20), threshold, budget)
    scopes: list[_Scope] = []
    large: list[_Identical] = []
    for name, writing in authors.items():
        scopes.append(_compare_scope(name, writing, known, large, limits))
        large += [same for same in scopes[-1].identical if same.is_large]
    pairs = [pair for scope in scopes for pair in scope.pairs]
    shortened = (author.key for writing in authors.values() for author in writing if author.written.shortened)
    return SimilarityResult(
        submissions=size,
        threshold=threshold,
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.tokens, pair.left, pair.right, pair.scope))),
        groups=tuple(map(_group, large)),
        scopes=tuple(scope.count for scope in scopes),
        subtracted={scope.count.exercise: scope.subtracted for scope in scopes},
        comments=_comments(split_by_exercise(given, ())),
        shortened=tuple(dict.fromkeys(shortened)),
        unaligned=budget.unaligned,
        given=known,
    )


class _Limits(NamedTuple):
    """Runs that more than ``most_common`` have are subtracted; ``threshold`` is the score of similar pairs."""

    most_common: int
    threshold: float
    budget: _StepBudget


@dataclass(frozen=True, slots=True)
class _Scope:
    """What was found in one scope."""

    count: ScopeCount
    subtracted: frozenset[int]
    pairs: tuple[SimilarPair, ...]
    identical: tuple[_Identical, ...]


def _compare_scope(
    name: str, authors: Sequence[_Author], known: frozenset[int], popular: Sequence[_Identical], limits: _Limits
) -> _Scope:
    """``popular`` are the solutions of single exercises that many share: in whole submissions, they do not count."""
    subtracted = known | _common(authors, known, limits.most_common)
    long = list(_long(authors, subtracted))
    identical = tuple(_identical(name, authors, known))
    if name == WHOLE:
        identical = tuple(_beyond(identical, popular))
    group_of = {author.key: same for same in identical if same.is_large for author in same.members}
    pairs = {
        (pair.left, pair.right): pair
        for pair in _pairs(name, long, limits)
        if pair.left not in group_of or group_of[pair.left] is not group_of.get(pair.right)
    }
    for same in identical:
        if not same.is_large:
            pairs = {(pair.left, pair.right): pair for pair in _couples_of(same)} | pairs
    return _Scope(ScopeCount(name, len(authors), len(long)), subtracted, tuple(pairs.values()), identical)


# -------------------------------------------------------------------------------------------- tokens


def split_by_exercise(files: Iterable[SourceFile], exercises: Sequence[str]) -> dict[str, list[CodePiece]]:
    """The code in ``files`` by exercise: the definition of each exercise, and all other code under ``WHOLE``."""
    found: dict[str, list[CodePiece]] = {}
    wanted = frozenset(exercises)
    for part in (part for file in files for part in file.parts):
        regions = _regions(part.text, wanted)
        tokens, comments = tokenize_code(part.text)
        for name, first, last in regions:
            piece = CodePiece(part, first, last, _between(tokens, first, last), _between(comments, first, last))
            if piece.tokens:
                found.setdefault(name, []).append(piece)
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
        raw.extend(token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in _BLANK)
    said = [token for token in raw if token.type == tokenize.COMMENT and len(token.string.strip("#-= ")) > 3]
    comments = [CodeToken("#", " ".join(token.string.split()), token.start, token.end) for token in said]
    code = [token for token in raw if token.type not in {tokenize.COMMENT, *_INSIDE_STRINGS}]
    tokens: list[CodeToken] = []
    depth = 0
    before_last: tokenize.TokenInfo | None = None
    before: tokenize.TokenInfo | None = None
    for token, after in itertools.zip_longest(code, code[1:]):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        ends_docstring = before_last is not None and before is not None and _is_docstring(before, before_last, token)
        if not ends_docstring and not _is_docstring(token, before, after):
            tokens.append(CodeToken(_kind(token, before, after, depth), token.string, token.start, token.end))
        before_last, before = before, token
    return tokens, comments


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


def _numbers(texts: Iterable[str]) -> Codes:
    return np.array([_number(text) for text in texts], np.uint32)


# -------------------------------------------------------------------------------------- fingerprints


class _Author(NamedTuple):
    """A submission, the learners it belongs to, and its code in one scope."""

    key: str
    people: frozenset[str]
    written: _Written


class _Long(NamedTuple):
    """Code that is long enough to compare: its author, the kinds and spellings of its own tokens, its fingerprints."""

    author: _Author
    kinds: list[int]
    spelled: list[int]
    prints: Numbers


def _written(pieces: Sequence[CodePiece], most: int = sys.maxsize) -> _Written:
    tokens = [token for piece in pieces for token in piece.tokens]
    kinds = _numbers(token.kind for token in tokens[:most])
    return _Written(kinds, _numbers(token.spelled for token in tokens[:most]), len(tokens) > most)


def _runs(kinds: Codes) -> Numbers:
    """The hash of each run of ``_RUN`` tokens, at the index of its first token."""
    if len(kinds) < _RUN:
        return np.zeros(0, np.uint64)
    mixed: Numbers = (sliding_window_view(kinds.astype(np.uint64), _RUN) * _FACTORS).sum(axis=1, dtype=np.uint64)
    hashes: Numbers = (mixed ^ (mixed >> np.uint64(29))) * _FACTORS[0]
    return hashes


def _known(files: Iterable[SourceFile]) -> frozenset[int]:
    """The hashes of all runs in code that everyone was given."""
    pieces = (piece for found in split_by_exercise(files, ()).values() for piece in found)
    return frozenset(run for piece in pieces for run in _written([piece]).runs.tolist())


def _common(authors: Sequence[_Author], known: frozenset[int], most: int) -> frozenset[int]:
    """The hashes of runs that occur in more than ``most`` submissions."""
    if len(authors) <= most:
        return frozenset()
    runs, times = np.unique(np.concatenate([np.unique(author.written.runs) for author in authors]), return_counts=True)
    return frozenset(runs[times > most].tolist()) - known


def _own(runs: Numbers, subtracted: frozenset[int], size: int) -> Flags:
    """A mask of those of ``size`` tokens that are in no subtracted run."""
    edges = np.zeros(size + 1, np.int64)
    starts = [index for index, run in enumerate(runs.tolist()) if run in subtracted]
    np.add.at(edges, starts, 1)
    np.add.at(edges, [index + _RUN for index in starts], -1)
    own: Flags = np.cumsum(edges)[:size] == 0
    return own


def _long(authors: Iterable[_Author], subtracted: frozenset[int]) -> Iterator[_Long]:
    """Those with enough code of their own."""
    for author in authors:
        runs, written = author.written.runs, author.written
        own = _own(runs, subtracted, len(written.kinds))
        if own.sum() >= SHORTEST:
            prints = _fingerprints(runs, subtracted)
            yield _Long(author, written.kinds[own].tolist(), written.spelled[own].tolist(), prints)


def _fingerprints(runs: Numbers, subtracted: frozenset[int]) -> Numbers:
    """Winnowing: the smallest hash of each window of runs that are not subtracted."""
    kept = np.array([_NONE if run in subtracted else run for run in runs.tolist()], np.uint64)
    if not len(kept):
        return kept
    smallest = sliding_window_view(kept, min(_WINDOW, len(kept))).min(axis=1)
    return np.unique(smallest[smallest != _NONE])


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


def _pairs(scope: str, long: Sequence[_Long], limits: _Limits) -> Iterator[SimilarPair]:
    """The pairs that are similar when they are aligned; those that share most fingerprints come first."""
    for first, second in _candidates([code.prints for code in long]):
        left, right = sorted((long[first], long[second]), key=lambda code: code.author.key)
        if left.author.people & right.author.people or not limits.budget.affords(len(left.kinds) * len(right.kinds)):
            continue
        score = Indel.normalized_similarity(left.kinds, right.kinds, score_cutoff=limits.threshold)
        if score >= limits.threshold:
            tokens, names = _agreement(left, right)
            yield SimilarPair(left.author.key, right.author.key, scope, score, tokens, names)


def _candidates(prints: Sequence[Numbers]) -> list[tuple[int, int]]:
    """The pairs that share enough fingerprints, as indices; those that share most come first.

    Sorting the fingerprints of all brings equal ones together: its neighbours are the submissions that have it, too.
    """
    owners = np.repeat(np.arange(len(prints)), [len(found) for found in prints])
    every = np.concatenate([np.zeros(0, np.uint64), *prints])
    _, index, times = np.unique(every, return_inverse=True, return_counts=True)
    rare = times[index] <= MOST_OWNERS
    every, owners = every[rare], owners[rare]
    sizes = np.bincount(owners, minlength=len(prints))
    order = np.argsort(every, kind="stable")
    every, owners = every[order], owners[order]
    couples = [np.zeros(0, np.int64)]
    for distance in range(1, len(every)):
        equal = every[distance:] == every[:-distance]
        if not equal.any():
            break
        couples.append(owners[:-distance][equal] * len(prints) + owners[distance:][equal])
    codes, shared = np.unique(np.concatenate(couples), return_counts=True)
    left, right = np.divmod(codes, max(len(prints), 1))
    shares = shared / np.minimum(sizes[left], sizes[right])
    best_first = np.lexsort((right, left, -shares))
    likely = best_first[shares[best_first] >= _SHARED]
    return list(zip(left[likely].tolist(), right[likely].tolist(), strict=True))


def _agreement(left: _Long, right: _Long) -> tuple[int, float]:
    """How many tokens two sides share, and the share of identical names among them."""
    shared = names = alike = 0
    for i, j in _aligned(left.kinds, right.kinds):
        shared += 1
        if left.kinds[i] == _number(_NAME):
            names += 1
            alike += left.spelled[i] == right.spelled[j]
    return shared, alike / names if names else 0.0


def _aligned(left: Sequence[int], right: Sequence[int], shortest: int = 1) -> Iterator[tuple[int, int]]:
    """The index pairs of equal tokens, in runs of at least ``shortest``."""
    for block in Indel.opcodes(left, right):
        if block.tag == "equal" and block.src_end - block.src_start >= shortest:
            yield from zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)


class _Identical(NamedTuple):
    """Submissions with identical tokens, ordered by key. ``own`` masks those ``tokens`` that not everyone was given."""

    scope: str
    own: Flags
    tokens: int
    members: tuple[_Author, ...]

    @property
    def is_large(self) -> bool:
        """Whether it is reported as a group, and not as pairs."""
        return len(self.members) > COMMON


def _identical(scope: str, authors: Iterable[_Author], known: frozenset[int]) -> Iterator[_Identical]:
    """The solutions that ``SEVERAL`` submissions or more share, if they are long enough."""
    by_tokens: dict[bytes, list[_Author]] = defaultdict(list)
    for author in authors:
        by_tokens[author.written.kinds.tobytes()].append(author)
    for members in by_tokens.values():
        if len(members) >= SEVERAL:
            written = members[0].written
            own = _own(written.runs, known, len(written.kinds))
            if own.sum() >= SHORTEST:
                ordered = sorted(members, key=lambda author: author.key)
                yield _Identical(scope, own, int(own.sum()), tuple(ordered))


def _beyond(identical: Iterable[_Identical], popular: Iterable[_Identical]) -> Iterator[_Identical]:
    """Those that are long enough without solutions of single exercises that many others share."""
    shared: dict[str, list[_Identical]] = defaultdict(list)  # by the key of each member
    for exercise in popular:
        for author in exercise.members:
            shared[author.key].append(exercise)
    for same in identical:
        keys = {author.key for author in same.members}
        tokens = same.tokens
        for exercise in shared[same.members[0].key]:
            if keys <= {author.key for author in exercise.members}:
                tokens -= exercise.tokens
        if tokens >= SHORTEST:
            yield same


def _couples_of(same: _Identical) -> Iterator[SimilarPair]:
    """All pairs of identical submissions, except pairs by the same people."""
    for left, right in itertools.combinations(same.members, 2):
        if not left.people & right.people:
            names = _same_names(same, left.written, right.written)
            yield SimilarPair(left.key, right.key, same.scope, 1.0, same.tokens, names, common=True)


def _group(same: _Identical) -> IdenticalGroup:
    """Identical submissions as a group."""
    first, *others = same.members
    names = min(_same_names(same, first.written, other.written) for other in others)
    return IdenticalGroup(same.scope, same.tokens, tuple(author.key for author in same.members), names)


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
    exercises = [scope.exercise for scope in found.scopes if scope.exercise != WHOLE]
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
    pieces = [_of(split_by_exercise(sample.files, exercises), scope, exercises) for sample in (left, right)]
    kinds = [_written(side, MOST_TOKENS).kinds for side in pieces]
    own = [_own(_runs(side), subtracted, len(side)) for side in kinds]
    aligned = _aligned(kinds[0][own[0]].tolist(), kinds[1][own[1]].tolist(), _MARKED)
    same = list(zip(*aligned, strict=True)) or [(), ()]
    said = [{comment.spelled for piece in side for comment in piece.comments} for side in pieces]
    comments = (said[0] & said[1]) - given
    first, second = (tuple(_excerpts(pieces[side], _marks(own[side], same[side]), comments)) for side in (0, 1))
    return first, second


def _marks(own: Flags, same: Sequence[int]) -> list[str]:
    """The mark of each token; ``same`` are indices of own tokens that the other side has, too."""
    marks = np.where(own, "", "given").astype(object)
    marks[np.flatnonzero(own)[list(same)]] = "same"
    return list(marks.tolist())


def _of(pieces: Mapping[str, list[CodePiece]], scope: str, exercises: Sequence[str]) -> list[CodePiece]:
    names = [scope] if scope != WHOLE else [*exercises, WHOLE]
    return [piece for name in names for piece in pieces.get(name, ())]


def _excerpts(pieces: Sequence[CodePiece], marks: Iterable[str], comments: set[str]) -> Iterator[Excerpt]:
    left = itertools.chain(marks, itertools.repeat(""))  # tokens beyond ``MOST_TOKENS`` have no mark
    for piece in pieces:
        marked = list(zip(piece.tokens, left, strict=False))
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
    for blank in re.finditer(r"\s+", text):
        at, end = blank.span()
        if at > 0 and end < len(text) and kinds[at - 1] == kinds[end]:
            kinds[at:end] = [kinds[end]] * (end - at)
    stretches = []
    for kind, places in itertools.groupby(range(len(text)), key=kinds.__getitem__):
        inside = list(places)
        stretches.append((text[inside[0] : inside[-1] + 1], kind))
    return MarkedLine(number, tuple(stretches))


def _comments(pieces: Mapping[str, list[CodePiece]]) -> frozenset[str]:
    """The comments in code that everyone was given."""
    return frozenset(token.spelled for found in pieces.values() for piece in found for token in piece.comments)
