"""Which labelled sources may be looked at, and which are kept aside to judge.

The split was fixed before the first rule existed. Whole sources are kept aside, because rows of one source resemble
each other far more than rows of another: a figure on unseen rows of a known source says little about an unknown
attacker.

A row is *held out* when its source is, or when its near-duplicate cluster has a member in a held-out source. Mechanical
encodings (``encoded_*``) follow the text that they encode, because their cluster is their parent's. The source of
refusals stands alone in its task and is halved by the checksum of the identifier.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = dict[str, Any]

HELD_OUT = frozenset(
    {
        # direct injections
        "deepset_prompt_injections",
        "bastioncorpus",
        "garak_probes",
        # jailbreaks
        "pyrit_jailbreaks",
        "adaptive_attacks",
        "langkit_themes",
        # injections in tool results
        "agentdojo",
        # benign: real user prompts, sensitive but harmless prompts, documents in several languages, encyclopedia
        "arena_hard",
        "wildguard_benign",
        "fastapi_docs",
        "xquad",
        "mt_bench",
        # personal data and secrets
        "presidio_generated",
        "pii_nanni",
        "noseyparker_examples",
    }
)
"""Sources that no rule was written from and that the leave-out weights are not trained on."""

HALVED = frozenset({"xstest_completions"})
"""Sources that stand alone in their task and are halved instead."""


def in_second_half(key: str) -> bool:
    """Whether ``key`` falls into the half that is kept aside; stable across machines and runs."""
    return zlib.crc32(key.encode("utf-8", "surrogatepass")) & 1 == 1


def held_out_clusters(rows: Iterable[Row]) -> frozenset[str]:
    """The near-duplicate clusters that have a member in a held-out source."""
    return frozenset(row["cluster"] for row in rows if row["source"] in HELD_OUT and row.get("cluster"))


def is_held_out(row: Row, clusters: frozenset[str]) -> bool:
    """Whether ``row`` is kept aside; ``clusters`` comes from :func:`held_out_clusters` over all rows."""
    source, cluster = row["source"], row.get("cluster")
    if source in HELD_OUT or cluster in clusters:
        return True
    return source in HALVED and in_second_half(cluster or row["id"])
