"""Models on the machine are found in every store, and the right one is chosen."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ironhive.contracts import NotConfigured, ProviderRegistration
from ironhive.errors import ModelLoadError, ModelMemoryError, ModelNotFoundError, PluginError
from ironhive_plugins.providers.lmsupply import LocalConfig, ironhive_provider
from ironhive_plugins.providers.lmsupply import memory as machine_memory
from ironhive_plugins.providers.lmsupply.catalogue import CATALOGUE, by_alias, choose
from ironhive_plugins.providers.lmsupply.gguf import read_header
from ironhive_plugins.providers.lmsupply.listing import listed
from ironhive_plugins.providers.lmsupply.loading import open_options
from ironhive_plugins.providers.lmsupply.progress import silent
from ironhive_plugins.providers.lmsupply.quantisation import RemoteFile, pick_model
from ironhive_plugins.providers.lmsupply.registration import needs_download
from ironhive_plugins.providers.lmsupply.resolve import best_here, find_here, resolve
from ironhive_plugins.providers.lmsupply.stores import ModelFile, find_models

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Maker = Callable[..., Path]

GB = 10**9


@pytest.fixture
def config(home: Path) -> LocalConfig:
    return LocalConfig(cache_directory=home / "models", system_ram_mb=16_384, offline=True)


def ollama(home: Path, make_gguf: Maker) -> Path:
    root = home / ".ollama" / "models"
    blob = make_gguf(root / "blobs" / "sha256-abc")
    manifest = root / "manifests" / "registry.ollama.ai" / "library" / "llama3.2" / "1b"
    manifest.parent.mkdir(parents=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:def"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc"},
    ]
    manifest.write_text(json.dumps({"layers": layers}))
    return blob


def test_every_store_is_searched_ours_first(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    make_gguf(home / "models" / "a" / "ours.gguf")
    make_gguf(home / ".cache/huggingface/hub/models--org--name/snapshots/1/model-Q4_K_M.gguf")
    make_gguf(home / ".lmstudio/models/org/name/studio.gguf")
    ollama(home, make_gguf)
    found = [(model.id, model.source) for model in find_models(config) if model.source != "package"]
    assert found == [
        ("ours", "cache"),
        ("org/name:model-Q4_K_M.gguf", "huggingface"),
        ("studio", "lmstudio"),
        ("llama3.2:1b", "ollama"),
    ]


def test_what_is_no_model_to_talk_to_is_left_out(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    folder = home / "models"
    make_gguf(folder / "mmproj-model.gguf")
    make_gguf(folder / "bert.gguf", architecture="nomic-bert")
    make_gguf(folder / "no-template.gguf", template=False)
    make_gguf(folder / ".incoming" / "1-x" / "half.gguf")
    (folder / "broken.gguf").write_bytes(b"GGUF" + bytes(2 << 20))
    (folder / "pointer.gguf").write_text("version https://git-lfs.github.com/spec/v1")
    make_gguf(folder / "big-00002-of-00002.gguf")
    assert [model for model in find_models(config) if model.source == "cache"] == []


def test_a_model_in_shards_counts_whole(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    make_gguf(home / "models" / "big-00001-of-00002.gguf", 2)
    make_gguf(home / "models" / "big-00002-of-00002.gguf", 3)
    assert [(model.id, model.size) for model in find_models(config)][:1] == [("big-00001-of-00002", 5 << 20)]


def test_the_largest_that_fits_is_chosen(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    for size in (4, 30, 60):
        make_gguf(home / "models" / f"m{size}.gguf", size)
    best = best_here(replace(config, memory_limit_mb=50))
    assert best is not None
    assert best.id == "m30"
    assert best_here(replace(config, memory_limit_mb=1)) is None


@pytest.mark.parametrize("name", ["studio", "studio.gguf", "{home}/.lmstudio/models/studio.gguf"])
def test_a_model_is_found_by_id_file_name_and_path(
    home: Path, config: LocalConfig, make_gguf: Maker, name: str
) -> None:
    path = make_gguf(home / ".lmstudio/models/studio.gguf")
    found = find_here(config, name.format(home=home))
    assert found is not None
    assert found.path == path


def test_a_hub_id_and_an_alias_find_the_cached_file(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    known = CATALOGUE[0]
    folder = f"models--{known.repository.replace('/', '--')}"
    path = make_gguf(home / f".cache/huggingface/hub/{folder}/snapshots/1/x-{known.quantisation}.gguf")
    for name in (known.repository, known.alias, f"gguf:{known.alias}"):
        found = find_here(config, name)
        assert found is not None, name
        assert found.path == path


def test_a_quantisation_and_a_cache_of_ones_own_are_honoured(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    folder = home / "models" / "hub" / "models--org--name" / "snapshots" / "1"
    make_gguf(folder / "m-Q4_K_M.gguf")
    eight = make_gguf(folder / "m-Q8_0.gguf")
    for name in ("org/name:Q8_0", "org/name:m-Q8_0.gguf", "ORG/name:q8_0"):
        found = find_here(config, name)
        assert found is not None, name
        assert (found.id, found.path) == ("org/name:m-Q8_0.gguf", eight)
    assert find_here(config, "org/name:Q2_K") is None


def test_a_cached_onnx_folder_is_found_by_its_repository(home: Path, config: LocalConfig) -> None:
    folder = home / ".cache/huggingface/hub/models--org--onnx/snapshots/1/cpu/int4"
    folder.mkdir(parents=True)
    (folder / "genai_config.json").write_text("{}")
    found = find_here(config, "org/onnx")
    assert found is not None
    assert (found.id, found.path) == ("org/onnx", folder)


async def test_what_is_not_here_is_not_fetched_offline(config: LocalConfig) -> None:
    with pytest.raises(ModelNotFoundError, match="offline forbids"):
        await resolve(replace(config, model="org/name"), silent)


async def test_a_name_that_means_nothing_lists_what_would(config: LocalConfig) -> None:
    with pytest.raises(ModelNotFoundError, match=r"no local model 'nonsense'.*qwen3-fast"):
        await resolve(replace(config, model="nonsense"), silent)
    with pytest.raises(ModelNotFoundError, match="is empty"):
        await resolve(replace(config, model=" "), silent)


async def test_nothing_is_fetched_for_an_engine_that_is_not_there(
    config: LocalConfig, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    monkeypatch.setitem(sys.modules, "onnxruntime_genai", None)
    for model in ("auto", "org/name"):
        with pytest.raises(PluginError, match=r"pip install 'ironhive\[local\]'"):
            await resolve(replace(config, model=model, offline=False), silent)
    assert not (home / "models").exists()


def test_a_download_is_needed_only_where_nothing_is(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    nothing = replace(config, model="org/name")
    assert needs_download(nothing)
    make_gguf(home / ".cache/huggingface/hub/models--org--name/snapshots/1/m.gguf")
    assert not needs_download(nothing)
    assert not needs_download(config)


def test_listing_tells_what_is_here_and_what_fits(home: Path, config: LocalConfig, make_gguf: Maker) -> None:
    make_gguf(home / "models" / "ours.gguf", 20)
    shown = listed(replace(config, memory_limit_mb=4_000), "lmsupply")
    ours = shown[0]
    assert (ours.id, ours.installed, ours.fits, ours.context_window, ours.size_bytes) == (
        "ours",
        True,
        True,
        4096,
        20 << 20,
    )
    fits = {model.id: model.fits for model in shown if not model.installed}
    assert fits["qwen3-fast"]
    assert not fits["qwen3-quality"]


def test_the_header_gives_size_window_and_cache(tmp_path: Path, make_gguf: Maker) -> None:
    header = read_header(make_gguf(tmp_path / "m.gguf", 3))
    assert (header.architecture, header.name, header.parameters) == ("llama", "Test model", 200)
    assert header.kv_bytes_per_token == 4 * 2 * 2 * 16 * 2
    assert header.context_length == 4096


@pytest.mark.parametrize(
    "data", [b"", b"GGUF", b"nonsense" * 10, b"GGUF\x01\0\0\0" + bytes(40), b"GGUF\x03\0\0\0" + b"\xff" * 64]
)
def test_damaged_headers_are_one_clear_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelLoadError, match=r"m\.gguf is no usable GGUF file"):
        read_header(path)


def test_the_context_shrinks_to_fit_and_the_refusal_names_both_figures(tmp_path: Path, make_gguf: Maker) -> None:
    path = make_gguf(tmp_path / "m.gguf", 20)
    header = read_header(path)
    assert header.kv_bytes_per_token is not None
    limit = machine_memory.estimate(header, 1024) + header.kv_bytes_per_token * 10
    assert machine_memory.fit(header, context=4096, limit=limit, model="m") == 1024
    assert machine_memory.fit(header, context=300, limit=limit, model="m") == 300
    with pytest.raises(ModelMemoryError, match=r"m needs 22 MB .* and 5 MB may be used"):
        machine_memory.fit(header, context=4096, limit=5 << 20, model="m")
    options = open_options(LocalConfig(max_context_length=4096), ModelFile("m", path), limit)
    assert options.context_length == 1024
    assert options.extra["memory_bytes"] <= limit


@pytest.mark.parametrize(("ram", "context"), [(32, 131_072), (16, 65_536), (8, 32_768), (4, 16_384), (2, 8_192)])
def test_the_context_asked_for_follows_memory(ram: int, context: int) -> None:
    config = LocalConfig(system_ram_mb=ram * 1024)
    assert machine_memory.wanted_context(config, None) == context
    assert machine_memory.wanted_context(config, 2048) == 2048
    assert machine_memory.wanted_context(replace(config, max_context_length=1000), 2048) == 1000


def test_half_of_memory_or_all_but_four_gigabytes() -> None:
    assert machine_memory.budget(LocalConfig(system_ram_mb=16_384)) == 8 << 30
    assert machine_memory.budget(LocalConfig(system_ram_mb=6_144)) == 2 << 30
    assert machine_memory.budget(LocalConfig(system_ram_mb=16_384, memory_limit_mb=100)) == 100 << 20
    assert machine_memory.budget(LocalConfig(system_ram_mb=16_384, vram_budget_mb=6_000)) == 6_000 << 20


def test_the_catalogue_is_chosen_from_by_memory() -> None:
    assert choose(2 * GB, 4096).alias == "qwen3-fast"
    assert choose(6 * GB, 4096).alias == "qwen3-balanced"
    assert choose(40 * GB, 4096).alias == "qwen3-quality"
    assert choose(1, 4096).alias == "qwen3-fast"
    assert by_alias("GGUF:qwen3-fast") == by_alias("qwen3-fast")
    assert by_alias("nothing") is None


def files(**sizes: float) -> list[RemoteFile]:
    return [RemoteFile(f"m-{name}.gguf", int(size * GB)) for name, size in sizes.items()]


def test_quantisations_step_down_until_they_fit() -> None:
    offered = files(Q8_0=8, Q4_K_M=5, Q3_K_M=4, Q2_K=3)
    offered += [RemoteFile("mmproj-Q4_K_M.gguf", GB), RemoteFile("readme.md", 1)]
    for limit, expected, fits in ((9, "Q4_K_M", True), (4.5, "Q3_K_M", True), (3, "Q2_K", True), (1, "Q2_K", False)):
        pick = pick_model(offered, wanted="Q4_K_M", limit=int(limit * GB))
        assert pick is not None
        assert (pick.files[0].name, pick.fits) == (f"m-{expected}.gguf", fits)


def test_a_named_file_is_taken_whatever_its_size_and_shards_together() -> None:
    offered = [RemoteFile(f"q/m-Q8_0-0000{n}-of-00002.gguf", GB) for n in (1, 2)] + files(Q4_K_M=1)
    pick = pick_model(offered, wanted="Q8_0", limit=9 * GB)
    assert pick is not None
    assert [file.name[-19:] for file in pick.files] == ["-00001-of-00002.gguf"[1:], "-00002-of-00002.gguf"[1:]]
    assert pick.size == 2 * GB
    named = pick_model(offered, wanted="m-Q4_K_M.gguf", limit=1)
    assert named is not None
    assert not named.fits
    assert pick_model(offered, wanted="other.gguf", limit=GB) is None
    assert pick_model([], wanted=None, limit=GB) is None


def test_the_section_makes_a_registration() -> None:
    made = ironhive_provider(
        name="lmsupply", settings={"maxContextLength": 0}, id="here", priority=None, model="x.gguf"
    )
    assert isinstance(made, ProviderRegistration)
    assert not isinstance(made, NotConfigured)
    assert (made.id, made.priority, made.model, made.aliases) == ("here", 10, "x.gguf", ("local",))
    again = ironhive_provider(name="lmsupply", settings={}, id="here", priority=None, model="x.gguf")
    assert again is not None
    assert again.client_factory == made.client_factory
    assert ironhive_provider(name="openai", settings={}, id="a", priority=None, model=None) is None
