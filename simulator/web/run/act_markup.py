"""Forms of acts, rendered once: a page shows twenty of them, and shows them again with every record.

A template takes a hundred times as long as finding what it gave before. What differs between two pages that show the same form – run,
moment, selection, tokens – is put in afterwards.
"""

import re
from secrets import token_hex
from typing import Any
from uuid import UUID

import msgspec
from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from simulator.engine.acts.offer import Offer
from simulator.levels.allowing import refused_by_level
from simulator.web.base.caches import FORMS
from simulator.web.base.client_keys import new_client_key
from simulator.web.presenters import rule_sentence

FACTS_BYTES_MAX = 4096
"""An act that says more, as one that lists the nodes of a large cluster does, is rendered each time: what is kept has a bound in bytes."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Offer).decode
_GAP = f"gap-{token_hex(8)}-"
"""What stands for a value that is put in later; nobody can send it, as it differs in every process."""
_GAPS = re.compile(rf"{_GAP}(\w+)-")
_RUN = UUID(int=int(token_hex(16), 16))


class _AnyRun:
    id = _RUN


def act_form(act: Offer, context: Any, *, prefix: str = "") -> SafeString:
    """The form of an act for a page whose context has run, at_seq, at_ms, sel, allow and csrf_token; ``prefix`` begins its id."""
    values: dict[str, str] = {name: conditional_escape(context.get(name, "")) for name in ("at_seq", "at_ms", "sel", "csrf_token")}
    values["client_key"] = new_client_key()  # sending the same form twice is harmless
    facts = _encode(act)
    refused = refused_by_level(context.get("allow", ()), act.do)
    key = (facts, prefix, refused, get_language())
    form = FORMS.of(key, lambda: _form(facts, prefix, refused)) if len(facts) <= FACTS_BYTES_MAX else _form(facts, prefix, refused)
    # After the cache: tokens and keys are secrets of one visitor and must not be kept.
    filled = _GAPS.sub(lambda gap: values[gap[1]], form)
    return mark_safe(filled.replace(str(_RUN), str(context["run"].id)))


def act_refusal(act: Offer, context: Any) -> str:
    """Why an act cannot be done, in the reader's language: the run's level, or a rule, refuses it; "" where nothing does."""
    refused = refused_by_level(context.get("allow", ()), act.do)
    return refused or (rule_sentence(act.why_not) if act.why_not else "")


def _form(body: bytes, prefix: str, refused: str) -> str:
    gaps = {name: f"{_GAP}{name}-" for name in ("at_seq", "at_ms", "sel", "csrf_token", "client_key")}
    act = _decode(body)
    why = refused or act_refusal(act, {})
    return render_to_string("runs/partials/_act.html", {"act": act, "why": why, "prefix": prefix, "run": _AnyRun(), **gaps})
