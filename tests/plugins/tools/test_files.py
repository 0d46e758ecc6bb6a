"""The file tools as a model uses them: real folders, awkward ones included."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ironhive.errors import ToolArgumentError, ToolError
from ironhive_plugins.tools.files import ironhive_tools
from ironhive_plugins.tools.files.grep import grep_files
from ironhive_plugins.tools.files.threads import Checkpoint, Stopped, in_thread
from ironhive_plugins.tools.files.walk import Walk

if TYPE_CHECKING:
    from pathlib import Path


class Bench:
    """A folder and the tools that work in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workdir = folder
        self.tools = {item.name: item for item in ironhive_tools(services=self)}  # type: ignore[arg-type]

    def write(self, path: str, content: str | bytes = "") -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    async def use(self, name: str, **arguments: Any) -> str:
        result = await self.tools[name](arguments)
        assert isinstance(result, str)
        return result


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    folder = tmp_path / "work"
    folder.mkdir()
    return Bench(folder)


def test_four_tools_are_offered_as_read_only_with_their_targets(bench: Bench) -> None:
    assert list(bench.tools) == ["ReadFile", "ListDirectory", "GlobFiles", "GrepFiles"]
    assert all(item.read_only for item in bench.tools.values())
    assert {name: item.target_arguments for name, item in bench.tools.items()} == {
        "ReadFile": ("path",),
        "ListDirectory": ("path",),
        "GlobFiles": ("pattern", "path"),
        "GrepFiles": ("pattern", "filePattern", "path"),
    }
    required = {name: item.parameters.get("required", []) for name, item in bench.tools.items()}
    assert required == {
        "ReadFile": ["path"],
        "ListDirectory": [],
        "GlobFiles": ["pattern"],
        "GrepFiles": ["pattern", "filePattern"],
    }


async def test_a_file_is_read_whole_as_it_is(bench: Bench) -> None:
    bench.write("a.txt", "one\r\ntwo\n\nünï\n")
    assert await bench.use("ReadFile", path="a.txt") == "one\r\ntwo\n\nünï\n"


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"startLine": 2}, "l2\nl3\nl4"),
        ({"startLine": 2, "lineCount": 2}, "l2\nl3\n"),
        ({"lineCount": 1}, "l1\n"),
        ({"startLine": 4, "lineCount": 9}, "l4"),
    ],
)
async def test_a_window_of_lines_counts_from_one(bench: Bench, window: dict[str, int], expected: str) -> None:
    bench.write("a.txt", "l1\nl2\nl3\nl4")
    assert await bench.use("ReadFile", path="a.txt", **window) == expected


@pytest.mark.parametrize("window", [{"startLine": 0}, {"lineCount": 0}, {"startLine": 5}])
async def test_a_window_outside_the_file_is_an_error(bench: Bench, window: dict[str, int]) -> None:
    bench.write("a.txt", "l1\nl2\n")
    with pytest.raises(ToolError, match="startLine"):
        await bench.use("ReadFile", path="a.txt", **window)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbfhello", "hello"),
        ("hällo".encode("utf-16"), "hällo"),
        (b"caf\xe9 au lait", "caf� au lait"),
        (b"", ""),
    ],
)
async def test_text_in_other_encodings_is_readable(bench: Bench, data: bytes, expected: str) -> None:
    bench.write("a.txt", data)
    assert await bench.use("ReadFile", path="a.txt") == expected


async def test_what_cannot_be_read_as_text_says_why(bench: Bench) -> None:
    bench.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    bench.write("large.txt", "x" * (1024 * 1024 + 1))
    os.mkfifo(bench.folder / "pipe")
    expectations = {
        "image.png": "binary file",
        "large.txt": "more than 1 MB",
        "pipe": "not a regular file",
        ".": "use ListDirectory",
        "absent.txt": "does not exist",
        " ": "path is empty",
    }
    for path, text in expectations.items():
        with pytest.raises(ToolError, match=text):
            await bench.use("ReadFile", path=path)


async def test_a_file_of_exactly_one_megabyte_is_read(bench: Bench) -> None:
    bench.write("large.txt", "x" * 1024 * 1024)
    assert len(await bench.use("ReadFile", path="large.txt")) == 1024 * 1024


async def test_relative_paths_start_in_the_working_folder_and_absolute_ones_are_taken(
    bench: Bench, tmp_path: Path
) -> None:
    bench.write("sub/a.txt", "inside")
    (tmp_path / "b.txt").write_text("outside")
    assert await bench.use("ReadFile", path="sub/../sub/a.txt") == "inside"
    assert await bench.use("ReadFile", path="../b.txt") == "outside"
    assert await bench.use("ReadFile", path=str(tmp_path / "b.txt")) == "outside"


async def test_unknown_and_missing_arguments_are_not_run(bench: Bench) -> None:
    with pytest.raises(ToolArgumentError):
        await bench.use("ReadFile")
    with pytest.raises(ToolArgumentError):
        await bench.use("ReadFile", path="a", start_line=1)


async def test_a_listing_has_folders_first_and_sizes(bench: Bench) -> None:
    bench.write("b.txt", "x" * 512)
    bench.write("a.bin", b"\0" * 1536)
    bench.write("c.iso", b"\0" * (1024 * 1024 * 3 // 2))
    bench.write("zoo/inner.txt")
    assert await bench.use("ListDirectory") == (
        "[DIR]  zoo/\n[FILE] a.bin (1.5KB)\n[FILE] b.txt (512B)\n[FILE] c.iso (1.5MB)"
    )


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0B"), (1023, "1023B"), (1024, "1.0KB"), (1048575, "1024.0KB"), (1048576, "1.0MB")]
)
async def test_sizes_count_in_1024s(bench: Bench, size: int, shown: str) -> None:
    bench.write("a", b"x" * size)
    assert await bench.use("ListDirectory") == f"[FILE] a ({shown})"


@pytest.mark.parametrize("kind", ["file", "folder"])
async def test_a_listing_at_its_limit_is_whole(bench: Bench, kind: str) -> None:
    for number in range(500):
        bench.write(f"f{number:04}" if kind == "file" else f"f{number:04}/inner")
    lines = (await bench.use("ListDirectory")).splitlines()
    assert len(lines) == 500
    bench.write("more" if kind == "file" else "more/inner")
    assert "500 of 501" in (await bench.use("ListDirectory")).splitlines()[-1]


async def test_a_recursive_listing_shows_relative_paths(bench: Bench) -> None:
    bench.write("src/deep/x.py", "1")
    bench.write(".git/objects/ab", "2")
    assert await bench.use("ListDirectory", recursive=True) == (
        "[DIR]  .git/\n[DIR]  src/\n[DIR]  src/deep/\n[FILE] src/deep/x.py (1B)"
    )


async def test_an_empty_folder_says_so(bench: Bench) -> None:
    assert await bench.use("ListDirectory", path="") == "The directory . is empty."


async def test_a_long_listing_is_cut_with_its_totals(bench: Bench) -> None:
    for number in range(503):
        bench.write(f"f{number:04}")
    lines = (await bench.use("ListDirectory")).splitlines()
    assert len(lines) == 501
    assert "500 of 503 files" in lines[-1]


async def test_links_that_lead_in_circles_or_nowhere_do_not_break_a_listing(bench: Bench) -> None:
    bench.write("sub/a.txt", "x")
    (bench.folder / "sub" / "up").symlink_to(bench.folder)
    (bench.folder / "dangling").symlink_to("nowhere")
    (bench.folder / "self").symlink_to("self")
    listing = await bench.use("ListDirectory", recursive=True)
    assert "[DIR]  sub/up/" in listing
    assert "sub/up/sub" not in listing
    assert "[FILE] dangling (broken link)" in listing
    assert "[FILE] self (" in listing
    assert await bench.use("GlobFiles", pattern="**/*") == "Found 1 files matching **/*:\nsub/a.txt"


async def test_a_folder_that_vanishes_during_a_walk_is_passed_over(bench: Bench) -> None:
    bench.write("gone/a.txt")
    bench.write("stays/b.txt")
    walk = Walk(Checkpoint())
    names = []
    for name, _ in walk.tree(bench.folder):
        names.append(name)
        if name == "stays":
            (bench.folder / "gone" / "a.txt").unlink()
            (bench.folder / "gone").rmdir()
    assert names == ["gone", "stays", "stays/b.txt"]
    assert walk.notes() == ["(1 folders could not be read)"]


def test_a_walk_through_a_huge_tree_stops_and_says_so(bench: Bench) -> None:
    for number in range(20):
        bench.write(f"{number}/x")
    walk = Walk(Checkpoint(), limit=25)
    assert len(list(walk.tree(bench.folder))) <= 25
    assert walk.exhausted
    assert walk.notes() == ["(the tree is too large to be seen whole; name a subfolder)"]


def test_a_walk_that_saw_everything_has_nothing_to_add(bench: Bench) -> None:
    bench.write("a")
    walk = Walk(Checkpoint())
    assert len(list(walk.tree(bench.folder))) == 1
    assert walk.notes() == []


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.md", {"README.md"}),
        ("readme*", {"README.md"}),
        ("**/*.py", {"src/a.py", "src/pkg/b.py"}),
        ("src/*.py", {"src/a.py"}),
        ("src/**/*.py", {"src/a.py", "src/pkg/b.py"}),
        ("**/b.p?", {"src/pkg/b.py"}),
        ("src/[ab].py", {"src/a.py"}),
        ("src/[!b].py", {"src/a.py"}),
        ("**/*.{md,txt}", {"README.md", "src/pkg/n+1.txt"}),
        ("**/n+1.txt", {"src/pkg/n+1.txt"}),
        ("./src/*.py", {"src/a.py"}),
        ("README.md", {"README.md"}),
        ("src/a.py", {"src/a.py"}),
        ("**a.py", {"src/a.py"}),
        ("{x,y},c.{csv,md}", {"y,c.csv"}),
        ("src/", {"src/a.py", "src/pkg/b.py", "src/pkg/n+1.txt"}),
    ],
)
async def test_globs_find_files(bench: Bench, pattern: str, found: set[str]) -> None:
    for path in ("README.md", "src/a.py", "src/pkg/b.py", "src/pkg/n+1.txt", "y,c.csv", "y"):
        bench.write(path)
    head, *paths = (await bench.use("GlobFiles", pattern=pattern)).splitlines()
    assert head == f"Found {len(found)} files matching {pattern}:"
    assert set(paths) == found


async def test_globs_may_start_in_another_folder_or_at_the_root(bench: Bench, tmp_path: Path) -> None:
    bench.write("src/a.py")
    (tmp_path / "other.txt").write_text("")
    assert "src/a.py" in await bench.use("GlobFiles", pattern="*.py", path="src")
    assert str(tmp_path / "other.txt") in await bench.use("GlobFiles", pattern=f"{tmp_path}/*.txt")


async def test_a_glob_without_matches_tells_what_was_not_searched(bench: Bench) -> None:
    assert "No files found matching *.py" in await bench.use("GlobFiles", pattern="*.py")
    assert "**/*.py" in await bench.use("GlobFiles", pattern="*.py")


@pytest.mark.parametrize("pattern", ["", " ", "a" * 1001])
async def test_patterns_that_cannot_be_meant_are_errors(bench: Bench, pattern: str) -> None:
    problem = "long" if pattern.strip() else "empty"
    with pytest.raises(ToolError, match=f"pattern is .*{problem}"):
        await bench.use("GlobFiles", pattern=pattern)
    with pytest.raises(ToolError, match=f"pattern is .*{problem}"):
        await bench.use("GrepFiles", pattern="x", filePattern=pattern)


async def test_many_matches_are_cut_with_their_number(bench: Bench) -> None:
    for number in range(100):
        bench.write(f"f{number:03}.txt")
    assert len((await bench.use("GlobFiles", pattern="*.txt")).splitlines()) == 101
    for number in range(100, 103):
        bench.write(f"f{number:03}.txt")
    lines = (await bench.use("GlobFiles", pattern="*.txt")).splitlines()
    assert lines[0] == "Found 103 files matching *.txt:"
    assert len(lines) == 102
    assert "100 of 103" in lines[-1]


@pytest.mark.parametrize(
    "pattern", ["", "  ", "[", "[z-a]", "{a", "a}", "{{a}", "{a,{b}", "***", "(", "\\", "a" * 2000]
)
async def test_no_pattern_breaks_the_search(bench: Bench, pattern: str) -> None:
    bench.write("a")
    for name, arguments in (
        ("GlobFiles", {"pattern": pattern}),
        ("GrepFiles", {"pattern": "x", "filePattern": pattern}),
    ):
        with contextlib.suppress(ToolError):
            assert await bench.use(name, **arguments)


async def test_grep_finds_lines_in_any_case(bench: Bench) -> None:
    bench.write("a.py", "import os\nValue = 1\nprint(VALUE)\n")
    bench.write("src/b.py", "no\n  value: 2\n")
    bench.write("c.txt", "value")
    assert await bench.use("GrepFiles", pattern="value", filePattern="*.py") == (
        "Found 3 matches in 2 files:\na.py:\n  2: Value = 1\n  3: print(VALUE)\nsrc/b.py:\n  2: value: 2"
    )


async def test_a_line_has_the_number_by_which_it_can_be_read(bench: Bench) -> None:
    bench.write("odd.txt", b"one\rstill one\r\ntwo\x85still two\nneedle\r\n")
    assert "  3: needle\n" in f"{await bench.use('GrepFiles', pattern='needle', filePattern='*')}\n"
    assert await bench.use("ReadFile", path="odd.txt", startLine=3) == "needle\r\n"


async def test_a_path_with_characters_that_no_name_has_says_so(bench: Bench) -> None:
    for path in ("a\0b", "a\ud800b"):
        with pytest.raises(ToolError, match="no name can have"):
            await bench.use("ReadFile", path=path)


async def test_a_line_of_exactly_the_limit_is_shown_whole(bench: Bench) -> None:
    bench.write("a.txt", "x" * 200)
    assert (await bench.use("GrepFiles", pattern="x", filePattern="*")).endswith(f"  1: {'x' * 200}")


async def test_grep_in_a_place_that_is_not_there_says_so(bench: Bench) -> None:
    with pytest.raises(ToolError, match="does not exist"):
        await bench.use("GrepFiles", pattern="x", filePattern="*", path="absent")


async def test_a_blank_path_is_the_working_folder(bench: Bench) -> None:
    bench.write("a.txt", "x")
    assert "a.txt" in await bench.use("GrepFiles", pattern="x", filePattern="*", path=" ")
    assert "a.txt" in await bench.use("GlobFiles", pattern="*", path="")


def test_a_search_in_one_file_stops_when_the_caller_has_gone(bench: Bench) -> None:
    bench.write("a.txt", "x\n")
    checkpoint = Checkpoint()
    checkpoint.stop()
    with pytest.raises(Stopped):
        grep_files(bench.folder, "x", "*", "a.txt", checkpoint=checkpoint)


async def test_a_very_long_line_is_searched_in_pieces_and_counted_once(bench: Bench) -> None:
    bench.write("a.txt", "y" * 3_000_000 + "needle\nneedle\n")
    lines = (await bench.use("GrepFiles", pattern="needle", filePattern="*")).splitlines()
    assert [line[:4] for line in lines[2:]] == ["  1:", "  2:"]


async def test_grep_takes_the_pattern_literally(bench: Bench) -> None:
    bench.write("a.txt", "a.c\nabc\n")
    assert "Found 1 matches" in await bench.use("GrepFiles", pattern="a.c", filePattern="*")


async def test_grep_can_search_one_file(bench: Bench) -> None:
    bench.write("a.txt", "needle\n")
    assert "a.txt:" in await bench.use("GrepFiles", pattern="needle", filePattern="*", path="a.txt")


async def test_grep_cuts_long_lines_and_stops_at_its_limits(bench: Bench) -> None:
    bench.write("long.txt", "x" * 250)
    result = await bench.use("GrepFiles", pattern="x", filePattern="long.txt")
    assert f"  1: {'x' * 200}..." in result.splitlines()
    bench.write("many.txt", "hit\n" * 150)
    result = await bench.use("GrepFiles", pattern="hit", filePattern="many.txt")
    assert "Found 100 matches in 1 files:" in result
    assert "stopped at 100 matches" in result


async def test_grep_shows_fifty_files_and_says_that_there_are_more(bench: Bench) -> None:
    for number in range(60):
        bench.write(f"f{number:02}.txt", "hit" if number >= 5 else "miss")
    result = await bench.use("GrepFiles", pattern="hit", filePattern="*.txt")
    assert result.startswith("Found 50 matches in 50 files:")
    assert "only the first 50 files" in result


async def test_grep_passes_over_binary_and_unreadable_files(bench: Bench) -> None:
    bench.write("a.bin", b"needle\0needle")
    bench.write("b.txt", b"needle \xff here\n")
    os.mkfifo(bench.folder / "pipe.txt")
    (bench.folder / "dangling.txt").symlink_to("nowhere")
    result = await bench.use("GrepFiles", pattern="needle", filePattern="*")
    assert result == "Found 1 matches in 1 files:\nb.txt:\n  1: needle � here"


async def test_grep_without_matches_or_pattern_says_so(bench: Bench) -> None:
    assert await bench.use("GrepFiles", pattern="zebra", filePattern="*") == "No matches found for 'zebra' in *."
    with pytest.raises(ToolError, match="pattern is empty"):
        await bench.use("GrepFiles", pattern="", filePattern="*")


async def test_cancelling_a_call_ends_its_thread() -> None:
    started, ended = threading.Event(), threading.Event()

    def work(checkpoint: Checkpoint) -> None:
        started.set()
        try:
            while True:
                checkpoint()
        except Stopped:
            ended.set()
            raise

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 10)
