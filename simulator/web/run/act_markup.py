"""Cached forms of acts: a page shows twenty of them, and shows them again with every record.

Rendering the template takes a hundred times as long as a lookup. Anything that differs between two pages with the same form (run, moment,
selection, tokens) is inserted afterwards.
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
"""A larger act, such as one that lists the nodes of a large cluster, is rendered each time, so that the cache is limited in bytes."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Offer).decode
_GAP = f"gap-{token_hex(8)}-"
"""Placeholder for values that are inserted later; nobody can send it, since it is random in each process."""
_GAPS = re.compile(rf"{_GAP}(\w+)-")
_RUN = UUID(int=int(token_hex(16), 16))


class _AnyRun:
    id = _RUN


def act_form(act: Offer, context: Any, *, prefix: str = "") -> SafeString:
    """The form of an act for a page whose context has run, at_seq, at_ms, sel, allow and csrf_token; its id begins with ``prefix``."""
    values: dict[str, str] = {name: conditional_escape(context.get(name, "")) for name in ("at_seq", "at_ms", "sel", "csrf_token")}
    values["client_key"] = new_client_key()  # so that sending the same form twice is harmless
    facts = _encode(act)
    refused = refused_by_level(context.get("allow", ()), act.do)
    key = (facts, prefix, refused, get_language())
    form = FORMS.of(key, lambda: _form(facts, prefix, refused)) if len(facts) <= FACTS_BYTES_MAX else _form(facts, prefix, refused)
    # After the cache: tokens and keys are a visitor's secrets and must not be cached.
    filled = _GAPS.sub(lambda gap: values[gap[1]], form)
    return mark_safe(filled.replace(str(_RUN), str(context["run"].id)))


def act_refusal(act: Offer, context: Any) -> str:
    """Why the run's level or a rule refuses an act, in the reader's language; "" if nothing does."""
    refused = refused_by_level(context.get("allow", ()), act.do)
    return refused or (rule_sentence(act.why_not) if act.why_not else "")


def _form(body: bytes, prefix: str, refused: str) -> str:
    gaps = {name: f"{_GAP}{name}-" for name in ("at_seq", "at_ms", "sel", "csrf_token", "client_key")}
    act = _decode(body)
    why = refused or act_refusal(act, {})
    return render_to_string("runs/partials/_act.html", {"act": act, "why": why, "prefix": prefix, "run": _AnyRun(), **gaps})
