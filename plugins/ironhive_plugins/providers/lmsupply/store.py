"""Our own cache folder: files appear in it whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INCOMING = ".incoming"
"""The folder of unfinished downloads, inside the cache: a rename out of it stays on one file system."""
CHUNK = 1 << 20


@contextmanager
def incoming(cache: Path, *, needed: int, model: str) -> Iterator[Path]:
    """A scratch folder that is gone afterwards, whatever happens.

    :param needed: bytes that will be written at most.
    :raises DownloadError: the disk has too little room, or the cache cannot be written.
    """
    parent = cache / INCOMING
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(cache, error, model) from error
    _sweep(parent)
    require_room(cache, needed, model)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=parent))
    except OSError as error:
        raise _unwritable(cache, error, model) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            parent.rmdir()


def require_room(cache: Path, needed: int, model: str) -> None:
    """See that the disk has room before anything is fetched.

    :raises DownloadError: it has not, or the folder cannot be made.
    """
    try:
        cache.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(cache).free
    except OSError as error:
        raise _unwritable(cache, error, model) from error
    if free < needed:
        message = (
            f"{model} needs {needed / 1e6:.0f} MB in {cache} and {free / 1e6:.0f} MB are free: "
            "make room, or set lmsupply.cacheDirectory to another disk"
        )
        raise DownloadError(message, model=model)


def publish(source: Path, target: Path, *, sha256: str | None, stopped: Callable[[], bool]) -> None:
    """Check a finished file and move it to its place in one step.

    :raises DownloadError: it is not the file that was expected; it is not kept.
    """
    if sha256 is not None:
        found = digest(source, stopped=stopped)
        if found != sha256:
            message = f"{source.name} arrived damaged or changed: sha256 {found}, expected {sha256}; it was not kept"
            raise DownloadError(message, model=target.stem)
    with source.open("rb+") as file:
        os.fsync(file.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def digest(path: Path, *, stopped: Callable[[], bool] = lambda: False) -> str:
    """The sha256 of a file; cut short when nobody waits any more."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while (block := file.read(CHUNK)) and not stopped():
            total.update(block)
    return total.hexdigest()


def _sweep(parent: Path) -> None:
    """Remove what processes left that were killed."""
    for folder in parent.iterdir():
        owner = folder.name.split("-", 1)[0]
        if owner.isdigit() and int(owner) != os.getpid() and not _alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _unwritable(cache: Path, error: OSError, model: str) -> DownloadError:
    message = (
        f"the model cache {cache} cannot be written ({error.strerror}): set lmsupply.cacheDirectory to another folder"
    )
    return DownloadError(message, model=model)
