"""Tags of cases: properties of the inputs, each with phrases to use if it decides whether code is correct.

``{name}`` in a phrase is the argument that the tag is about. ``TAGS`` are tried in this order, the most informative
ones first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from grader.core.model import Text


@dataclass(frozen=True, slots=True)
class CaseTag:
    """Phrases for cases ``having`` the tag and cases ``lacking`` it, to complete "every case where …"."""

    having: Text
    lacking: Text


_TAGS = {
    "second-call": CaseTag(
        Text("there are several calls", "先后调用多次"), Text("there is only one call", "只调用一次")
    ),
    "given": CaseTag(Text("`{name}` is given", "给出了 `{name}`"), Text("`{name}` is not given", "没有给出 `{name}`")),
    "true": CaseTag(Text("`{name}` is True", "`{name}` 为 True"), Text("`{name}` is False", "`{name}` 为 False")),
    "empty-rows": CaseTag(
        Text("some query may attend to no key at all", "有的查询没有任何键可关注"),
        Text("every query may attend to at least one key", "每个查询都至少有一个键可关注"),
    ),
    "different-per-sample": CaseTag(
        Text("`{name}` differs from sample to sample", "各个样本的 `{name}` 不同"),
        Text("`{name}` is the same for all samples", "所有样本的 `{name}` 相同"),
    ),
    "unequal-lengths": CaseTag(
        Text("`{name}` have different lengths", "`{name}` 的长度不同"),
        Text("`{name}` have the same length", "`{name}` 的长度相同"),
    ),
    "first-longer": CaseTag(
        Text("the first of `{name}` is longer", "`{name}` 中前者更长"),
        Text("the first of `{name}` is not longer", "`{name}` 中前者不比后者长"),
    ),
    "first-shorter": CaseTag(
        Text("the first of `{name}` is shorter", "`{name}` 中前者更短"),
        Text("the first of `{name}` is not shorter", "`{name}` 中前者不比后者短"),
    ),
    "unequal-widths": CaseTag(
        Text("`{name}` have different widths", "`{name}` 的宽度不同"),
        Text("`{name}` have the same width", "`{name}` 的宽度相同"),
    ),
    "zero": CaseTag(Text("`{name}` is 0", "`{name}` 为 0"), Text("`{name}` is not 0", "`{name}` 不为 0")),
    "negative": CaseTag(
        Text("`{name}` is negative", "`{name}` 为负"), Text("`{name}` is not negative", "`{name}` 不为负")
    ),
    "one": CaseTag(Text("`{name}` is 1", "`{name}` 为 1"), Text("`{name}` is not 1", "`{name}` 不为 1")),
    "odd": CaseTag(Text("`{name}` is odd", "`{name}` 为奇数"), Text("`{name}` is not odd", "`{name}` 不为奇数")),
    "holds-negative": CaseTag(
        Text("`{name}` has negative entries", "`{name}` 含有负数"),
        Text("`{name}` has no negative entries", "`{name}` 不含负数"),
    ),
    "holds-zero": CaseTag(
        Text("`{name}` contains 0", "`{name}` 含有 0"), Text("`{name}` does not contain 0", "`{name}` 不含 0")
    ),
    "repeated": CaseTag(
        Text("`{name}` contains the same entry twice", "`{name}` 有重复的元素"),
        Text("the entries of `{name}` are all different", "`{name}` 的元素互不相同"),
    ),
    "large": CaseTag(
        Text("`{name}` has very large numbers", "`{name}` 含有很大的数"),
        Text("`{name}` has no very large numbers", "`{name}` 不含很大的数"),
    ),
    "offset": CaseTag(
        Text("the mean of `{name}` is far from 0", "`{name}` 的均值远离 0"),
        Text("the mean of `{name}` is not far from 0", "`{name}` 的均值离 0 不远"),
    ),
    "constant": CaseTag(
        Text("all numbers in `{name}` are equal", "`{name}` 的数全都相等"),
        Text("the numbers in `{name}` are not all equal", "`{name}` 的数不全相等"),
    ),
    "several-samples": CaseTag(
        Text("`{name}` has several samples", "`{name}` 有多个样本"),
        Text("`{name}` has only one sample", "`{name}` 只有一个样本"),
    ),
    "no-samples": CaseTag(
        Text("`{name}` has no batch axis", "`{name}` 没有批次轴"),
        Text("`{name}` has a batch axis", "`{name}` 有批次轴"),
    ),
    "many-axes": CaseTag(
        Text("`{name}` has four or more axes", "`{name}` 至少有四个轴"),
        Text("`{name}` has at most three axes", "`{name}` 最多有三个轴"),
    ),
    "asymmetric": CaseTag(
        Text("`{name}` is square, but not symmetric", "`{name}` 是方阵但不对称"),
        Text("`{name}` is symmetric or not square", "`{name}` 对称或不是方阵"),
    ),
    "square": CaseTag(
        Text("the last two axes of `{name}` have the same length", "`{name}` 最后两个轴等长"),
        Text("the last two axes of `{name}` differ in length", "`{name}` 最后两个轴不等长"),
    ),
    "empty": CaseTag(Text("`{name}` is empty", "`{name}` 为空"), Text("`{name}` is not empty", "`{name}` 不为空")),
    "one-row": CaseTag(
        Text("`{name}` has only one row", "`{name}` 只有一行"), Text("`{name}` has several rows", "`{name}` 有多行")
    ),
    "odd-width": CaseTag(
        Text("`{name}` has an odd width", "`{name}` 的宽度为奇数"),
        Text("the width of `{name}` is even", "`{name}` 的宽度为偶数"),
    ),
    "odd-rows": CaseTag(
        Text("`{name}` has an odd number of rows", "`{name}` 的行数为奇数"),
        Text("the number of rows of `{name}` is even", "`{name}` 的行数为偶数"),
    ),
    "fraction": CaseTag(
        Text("`{name}` is not a whole number", "`{name}` 不是整数"),
        Text("`{name}` is a whole number", "`{name}` 是整数"),
    ),
    "many": CaseTag(
        Text("`{name}` is larger than 8", "`{name}` 大于 8"), Text("`{name}` is at most 8", "`{name}` 不超过 8")
    ),
    "long": CaseTag(
        Text("`{name}` has more than 16 rows", "`{name}` 超过 16 行"),
        Text("`{name}` has at most 16 rows", "`{name}` 不超过 16 行"),
    ),
}
#: Every tag by name.
TAGS: Mapping[str, CaseTag] = MappingProxyType(_TAGS)
