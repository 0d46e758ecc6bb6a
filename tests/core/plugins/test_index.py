"""What is installed, without importing it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from tests.support.distributions import write_distribution

from ironhive.plugins import scan

if TYPE_CHECKING:
    from pathlib import Path


def test_the_index_says_what_the_standard_library_says() -> None:
    expected = {
        (item.group.removeprefix("ironhive."), item.name, item.value)
        for distribution in metadata.distributions()
        for item in distribution.entry_points
        if item.group.startswith("ironhive.")
    }
    assert {(item.kind, item.name, item.module) for item in scan().plugins} == expected
    assert ("provider", "openai", "ironhive_plugins.providers.openai") in expected


def test_a_foreign_distribution_is_found_with_its_version(tmp_path: Path) -> None:
    write_distribution(
        tmp_path, "acme-ironhive", {"ironhive.guard": {"acme": "acme_guard"}, "other": {"x": "y"}}, {}, "2.1"
    )
    (found,) = scan([str(tmp_path)]).plugins
    assert (found.kind, found.name, found.module) == ("guard", "acme", "acme_guard")
    assert (found.distribution, found.version) == ("acme-ironhive", "2.1")


def test_the_first_place_on_the_path_counts(tmp_path: Path) -> None:
    for version, folder in (("1.0", tmp_path / "a"), ("2.0", tmp_path / "b")):
        write_distribution(folder, "acme", {"ironhive.guard": {"acme": "m"}}, {}, version)
    index = scan([str(tmp_path / "a"), str(tmp_path / "b")])
    assert [item.version for item in index.plugins] == ["1.0"]
    assert not index.clashes


def test_two_distributions_with_one_name_clash_and_neither_gets_it(tmp_path: Path) -> None:
    for name in ("acme", "umbrella"):
        write_distribution(tmp_path, name, {"ironhive.guard": {"g": name, name: name}}, {})
    index = scan([str(tmp_path)])
    assert [item.distribution for item in index.clashes["guard", "g"]] == ["acme", "umbrella"]
    assert index.find("guard", "g") is None
    assert index.find("guard", "acme") is not None


def test_a_zipped_distribution_is_found(tmp_path: Path) -> None:
    write_distribution(tmp_path / "src", "acme", {"ironhive.tool": {"acme": "m"}}, {})
    archive = tmp_path / "acme.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in (tmp_path / "src").rglob("*"):
            file.write(path, path.relative_to(tmp_path / "src"))
    assert [item.name for item in scan([str(archive)]).plugins] == ["acme"]


def test_odd_lists_do_not_break_the_scan(tmp_path: Path) -> None:
    write_distribution(tmp_path, "odd", {"ironhive.guard": {"fine": "m"}}, {})
    info = tmp_path / "odd-1.0.dist-info" / "entry_points.txt"
    info.write_bytes(b"; comment\n[ironhive.guard]\nfine = m\n\nno equals sign\n[broken\nx\n\xff\xfe\n")
    (tmp_path / "not-a-folder-info").write_text("")
    assert [item.name for item in scan([str(tmp_path), str(tmp_path / "absent")]).plugins] == ["fine"]


def test_the_scan_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ironhive.plugins import scan; scan(); "
        "bad = {'importlib.metadata', 'pluggy', 'stevedore', 'ironhive_plugins'} & set(sys.modules); "
        "sys.exit(f'imported {bad}' if bad else 0)"
    )
    subprocess.run([sys.executable, "-I", "-c", code], check=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("\ufeff[ironhive.tool]\na = m\n", ["a"]),
        ("[ironhive.tool]\r\na = m\r\n", ["a"]),
        ("[ironhive.tool]\n = m\nb =\nc\n# d = m\n; e = m\n", []),
        ("[ironhive.]\na = m\n", []),
    ],
)
def test_a_list_that_is_written_oddly(tmp_path: Path, text: str, names: list[str]) -> None:
    info = tmp_path / "odd-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(text.encode())
    assert [item.name for item in scan([str(tmp_path)]).plugins] == names
