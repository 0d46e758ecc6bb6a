"""Glob patterns against a slow and obvious reading of the same rules, and against hostile ones."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ironhive.errors import ToolError
from ironhive_plugins.tools.files.patterns import matcher_of_names, parse

NAMES = st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join)
PARTS = st.lists(
    st.sampled_from(["**", "*", "a", "b", "*a", "a*b*", "?", "[ab]", "[!a]", "*.a", "**b"]), min_size=1, max_size=5
)


@cache
def matches(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Every way of reading a pattern tried in turn."""
    if not pattern:
        return not path
    head, *rest = pattern
    below = tuple(rest)
    if head == "**":
        if not below:
            return bool(path)
        return any(matches(below, path[skip:]) for skip in range(len(path)))
    if head.startswith("**"):
        return matches(("**", head[1:], *below), path)
    name = (
        re.escape(head).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\[!a\]", "[^a]").replace(r"\[ab\]", "[ab]")
    )
    return bool(path) and re.fullmatch(name, path[0], re.IGNORECASE) is not None and matches(below, path[1:])


@given(pattern=PARTS, path=NAMES)
@example(pattern=["**", "a", "**", "b"], path="a/b/a/x/b")
@example(pattern=["**", "*a", "*", "**", "a*b*"], path="ba/ba/x/y/aabb")
def test_a_pattern_means_what_it_says(pattern: list[str], path: str) -> None:
    text = "/".join(["*", *pattern])  # a literal start would become the folder to search in
    expected = matches(("*", *pattern), tuple(path.split("/")))
    assert (parse(text).matches.match(path) is not None) == expected


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("*.{py,md}", "a.md", True),
        ("*{,s}.py", "as.py", True),
        ("*.{a,{b,c}}", "x.c", True),
        ("*{a/b,c}", "xa/b", True),
        ("*{a", "x{a", True),
        ("*}", "x}", True),
        ("*a**b", "xa/y/zb", True),
        ("*a**b", "xayb", True),
        ("*.py**", "x.py/y", True),
        ("[!a]", "/", False),
    ],
)
def test_braces_and_stars_in_a_row(pattern: str, path: str, found: bool) -> None:
    assert (parse(pattern).matches.match(path) is not None) == found


HOSTILE = [
    "*" * 500 + "x",
    "*a" * 400 + "b",
    "**/" * 300 + "x",
    "**/a/" * 150 + "x",
    "*a**" * 6 + "b",
    "?*" * 300 + "x",
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda pattern: pattern[:6])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    for path in ("a" * 250, "a/" * 1000 + "a", "/".join(["a" * 200] * 10)):
        assert parse(pattern).matches.match(path) is None
        assert matcher_of_names(pattern).match(path) is None


@pytest.mark.parametrize("pattern", ["{a,b}" * 9, "{" * 500, "a**b/" * 20, "{a,b}" * 19])
def test_a_pattern_that_stands_for_too_many_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError, match="too many patterns"):
        parse(f"*{pattern}")
