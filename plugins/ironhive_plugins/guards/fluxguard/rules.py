"""What an attack says, as combinations of concepts that stand close together.

Each rule wants one word of every set within ``span`` words. A phrase alone is never enough: an act needs a target, a
role needs what it is freed from. ``veto`` names concepts whose nearness makes the rule hold its tongue.
"""

from __future__ import annotations

from dataclasses import dataclass

from ironhive.contracts.guards import Severity

NEAR, MID, WIDE = 7, 14, 30


@dataclass(frozen=True, slots=True)
class ConceptRule:
    """One rule over concepts. ``sets`` hold concept names joined by ``|``; ``score`` is the belief on its own."""

    id: str
    category: str
    score: float
    sets: tuple[str, ...]
    span: int = NEAR
    ordered: bool = False
    veto: str = ""
    severity: Severity = Severity.HIGH
    tool_only: bool = False
    """Holds only in the result of a tool, where nobody has a reason to give a model orders."""


INJ, JB, LEAK, IND = "prompt_injection", "jailbreak", "prompt_leak", "indirect_injection"


def _rule(
    spec: str, category: str, score: float, span: int = NEAR, *, ordered: bool = False, veto: str = ""
) -> ConceptRule:
    name, _, sets = spec.partition(": ")
    return ConceptRule(name, category, score, tuple(sets.split()), span, ordered, veto)


def _tool(spec: str, score: float, span: int = MID, veto: str = "", *, ordered: bool = False) -> ConceptRule:
    name, _, sets = spec.partition(": ")
    return ConceptRule(name, IND, score, tuple(sets.split()), span, ordered, veto, tool_only=True)


RULES: tuple[ConceptRule, ...] = (
    _tool("tool.delimiter_action: DELIM ACT|SEND|OVR|FIRST ACT|SENS|LINK|URL|USER|YOU|TASK", 0.76, MID),
    _tool("tool.todo: TODO ACT SENS|LINK|URL|MONEY|USER|ACT", 0.76, 10, "EXAMPLE", ordered=True),
    _tool("tool.addressed: AI ATTN|YOU ACT|SEND|OVR", 0.74, 12, "EXAMPLE|QUESTION"),
    _tool("tool.must: AI MUST ACT|SEND|OUT", 0.76, 8, "EXAMPLE"),
    _tool("tool.you_first: YOU FIRST ACT|SEND", 0.76, 14, "EXAMPLE"),
    _tool("tool.assistant_told: READER AI|YOU ACT|SEND|OUT", 0.76, MID, "EXAMPLE"),
    _rule("override.prior_instructions: OVR PRIOR INSTR|SYSP|WORK", INJ, 0.93, veto="QUESTION"),
    _rule("override.your_instructions: OVR YOUR|YOU INSTR|SYSP", INJ, 0.8, ordered=True, veto="QUESTION"),
    _rule("override.all_instructions: OVR VERBATIM INSTR|SYSP|WORK", INJ, 0.78, 6, veto="QUESTION|EXAMPLE"),
    _rule("override.then: OVR ABOVE OUT|ROLE|REVEAL|NOW", INJ, 0.74, 8, ordered=True, veto="QUESTION|EXAMPLE"),
    _rule(
        "override.everything_then: OVR VERBATIM OUT|ROLE|NEWI|NOW YOU|YOUR|AI|NOW|PRIOR",
        INJ,
        0.74,
        10,
        veto="QUESTION|EXAMPLE",
    ),
    _rule("override.system_prompt: OVR SYSP", INJ, 0.8, 5, veto="QUESTION|EXAMPLE"),
    _rule("override.everything: OVR VERBATIM PRIOR", INJ, 0.78, 5, veto="EXAMPLE|QUESTION"),
    _rule("override.prior_text: OVR PRIOR TEXT|TASK NOW|OUT|NEWI", INJ, 0.78, MID, veto="EXAMPLE|QUESTION"),
    _rule("override.prior: OVR PRIOR TEXT|TASK", INJ, 0.5, 5, veto="EXAMPLE|QUESTION"),
    _rule("override.redirect: OVR PRIOR|VERBATIM|TEXT NOW|NEWI OUT|NEWI", INJ, 0.78, MID, veto="QUESTION"),
    _rule("override.cancelled: PRIOR|YOUR INSTR|GUARD CANCEL", INJ, 0.74, MID, veto="QUESTION|EXAMPLE"),
    _rule("override.cancelled_new: PRIOR INSTR CANCEL|OVRW NEWI|NOW|FOLLOW", INJ, 0.85, MID, veto="QUESTION"),
    _rule("override.safety: OVR|OFF|OVRW YOUR|AI GUARD", JB, 0.78, NEAR, veto="QUESTION"),
    _rule("override.safety_rules: OVR SAFE INSTR|GUARD", JB, 0.76, 5, veto="QUESTION|EXAMPLE"),
    _rule("override.task: OVR TASK NOW|OUT", IND, 0.72, MID, ordered=True),
    _rule("new.instructions: YOUR|YOU NEWI FOLLOW|OVR|HASNO", INJ, 0.74, MID),
    _rule("new.priority: NEWI OVR PRIOR|INSTR", INJ, 0.82, MID),
    _rule("leak.your_prompt: REVEAL|ASK YOUR SYSP", LEAK, 0.88, MID, veto="DEFINE"),
    _rule("leak.system_prompt: REVEAL SYSP", LEAK, 0.74, 5, veto="EXAMPLE|META|DEFINE"),
    _rule("leak.system_verbatim: REVEAL SYSP VERBATIM", LEAK, 0.8, 10, veto="EXAMPLE|DEFINE|QUESTION"),
    _rule("leak.your_instructions: REVEAL|ASK YOUR INSTR VERBATIM|PRIOR", LEAK, 0.78, NEAR, veto="DEFINE"),
    _rule("leak.above: REVEAL VERBATIM TEXT|INSTR PRIOR", LEAK, 0.74, NEAR, veto="EXAMPLE"),
    _rule("leak.given: REVEAL VERBATIM TEXT|INSTR PRIOR YOU|YOUR", LEAK, 0.72, 10, veto="EXAMPLE"),
    _rule("leak.window: REPEATV WINDOW VERBATIM|TEXT|INSTR", LEAK, 0.76, 12, veto="EXAMPLE"),
    _rule("persona.dan: DAN", JB, 0.9, 1),
    _rule("persona.no_limits: ROLE AI HASNO|UNRES GUARD|HARM", JB, 0.85, MID),
    _rule("persona.unrestricted: ROLE UNRES AI|MODE", JB, 0.82, NEAR),
    _rule("persona.freed: ROLE AI OVR|OVRW GUARD|INSTR", JB, 0.8, MID),
    _rule("persona.now_in_mode: ROLE MODE", JB, 0.8, 7, veto="QUESTION"),
    _rule("persona.enable_mode: ENABLE|ROLE|NOW|YOU JMODE", JB, 0.78, 6, veto="QUESTION"),
    _rule("persona.enable_unrestricted: ENABLE MODE UNRES", JB, 0.8, 8, veto="QUESTION"),
    _rule("override.safety_obey: OFF|OVR GUARD COMPLY", JB, 0.76, 8, veto="QUESTION|EXAMPLE"),
    _rule("persona.obedient: ROLE AI COMPLY", JB, 0.72, 10, veto="QUESTION"),
    _rule("persona.breaks_rules: ROLE AI OVR GUARD|INSTR|VERBATIM", JB, 0.78, 10, veto="QUESTION"),
    _rule("persona.mode_answers: MODE COMPLY|REFUSE|UNRES GUARD|AI|YOU", JB, 0.78, MID, veto="QUESTION"),
    _rule("persona.mode_off: MODE GUARD OFF|HASNO|NEG|UNRES", JB, 0.82, MID, veto="QUESTION"),
    _rule("freed.limits: YOU|AI HASNO GUARD", JB, 0.72, 5, ordered=True, veto="EXAMPLE|QUESTION"),
    _rule("freed.ai: HASNO GUARD AI COMPLY|HARM|REFUSE|UNRES", JB, 0.78, 20, veto="QUESTION"),
    _rule("obey.never_refuse: NEG REFUSE COMPLY", JB, 0.74, MID),
    _rule("obey.regardless: COMPLY|ROLE REGARD HARM", JB, 0.82, MID),
    _rule("obey.harm: COMPLY HARM NEG REFUSE|GUARD", JB, 0.78, WIDE),
    _rule("obey.character: ROLE CHAR HARM|UNRES REFUSE|GUARD|COMPLY", JB, 0.78, WIDE),
    _rule("obey.threat: THREAT REFUSE COMPLY YOU|AI", JB, 0.78, MID),
    _rule("dual.answers: DUAL AI UNRES|DAN|REFUSE|GUARD|COMPLY|HARM", JB, 0.82, WIDE),
    _rule("dual.personas: DUAL ROLE UNRES|DAN|REFUSE|COMPLY|HASNO", JB, 0.78, WIDE),
    _rule("fiction.unbound: FICTION AI HASNO SAFE|HARM", JB, 0.74, MID),
    _rule("suppress.refusal_words: NEG OUT|TELL|TEXT RWORD RWORD RWORD", JB, 0.78, MID),
    _rule("suppress.prefix: PREFIX SURE", JB, 0.76, 14, ordered=True),
    _rule("suppress.never_start: NEG PREFIX RWORD", JB, 0.82, 10),
    _rule("suppress.tokens: TOKENS LOSE REFUSE|RWORD|COMPLY", JB, 0.78, MID),
    _rule("authority.lift: AUTH OFF|OVR|OVRW GUARD|SYSP YOUR|AI|YOU", JB, 0.78, WIDE),
    _rule(
        "indirect.addressed: ATTN AI OVR|FIRST|SEND|NEWI YOU|USER|YOUR TOOL|LINK|SENS|TASK",
        IND,
        0.78,
        WIDE,
        veto="QUESTION",
    ),
    _rule("indirect.first: FIRST TASK|PRIOR SEND|TOOL|OVR", IND, 0.74, MID, veto="EXAMPLE"),
    _rule("indirect.first_of_all: FIRST FIRST TASK|PRIOR|ATTN|YOU", IND, 0.8, WIDE, veto="EXAMPLE"),
    _rule("indirect.message: ATTN AI|YOU FIRST", IND, 0.76, WIDE, veto="EXAMPLE"),
    _rule("indirect.delimiter: DELIM OVR|OVRW INSTR|GUARD|PRIOR|TASK|SYSP", IND, 0.78, MID),
    _rule(
        "indirect.delimiter_order: DELIM NEWI|NOW|OUT|SEND|REVEAL YOU|USER|YOUR|SYSP "
        "HASNO|UNRES|SENS|CONV|FOLLOW|INSTR|TASK",
        IND,
        0.74,
        MID,
    ),
    _rule("indirect.conversation: SEND CONV URL", IND, 0.76, MID, veto="QUESTION|EXAMPLE"),
    _rule(
        "indirect.exfiltrate: SEND SENS LINK AI|PRIOR|YOUR|FIRST|APPROVED VERBATIM|SYSP|USER",
        IND,
        0.74,
        WIDE,
        veto="QUESTION",
    ),
    _rule("indirect.exfiltrate_ai: AI SEND SENS LINK", IND, 0.74, MID, veto="QUESTION|EXAMPLE"),
    _rule("indirect.conceal: NEG TELL USER SEND SENS|LINK AI|FIRST|ATTN", IND, 0.78, WIDE),
    _rule("indirect.approved: APPROVED USER|TOOL TOOL|SEND", IND, 0.74, MID),
    _rule("hacked.say: OUT HACKED OVR|PRIOR", INJ, 0.78, MID),
)
