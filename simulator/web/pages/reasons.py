"""The page of reasons: every STATUS word and reason that the stories show, what it means, and where to see it happen."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from simulator.engine.kernel.outside_text import one_line
from simulator.engine.projection.subjects import pod_key
from simulator.manifests.documentation import docs_link
from simulator.scenarios.reasons import KINDS, ReasonWord, WordPlace, read_reasons
from simulator.web import presenters
from simulator.web.base.common import wants_fragment
from simulator.web.base.stories import builtin_stories

HEADINGS: dict[str, tuple[str | Promise, str]] = {
    "status": (gettext_lazy("STATUS as kubectl prints it"), ""),
    "waiting": (gettext_lazy("Waiting containers"), "status.containerStatuses[].state.waiting.reason"),
    "terminated": (gettext_lazy("Terminated containers"), "status.containerStatuses[].state.terminated.reason"),
    "pod": (gettext_lazy("Pods"), "status.reason"),
    "condition": (gettext_lazy("Conditions"), "status.conditions[].reason"),
    "event": (gettext_lazy("Events"), "reason"),
}
"""Of each kind of word: what it is said of, and the field in which it stands."""


@require_safe
def reasons(request: HttpRequest) -> HttpResponse:
    """All words, or those in which every word of ``q`` occurs; their list alone where the search field of the page asks."""
    query = one_line(request.GET.get("q", ""), most=80)
    rows = [row for row in map(_shown, read_reasons()) if _matches(row, query)]
    sections = [
        {"kind": kind, "title": HEADINGS[kind][0], "field": HEADINGS[kind][1], "rows": found}
        for kind in KINDS
        if (found := [row for row in rows if row["kind"] == kind])
    ]
    context = {"sections": sections, "query": query, "count": len(rows), "total": len(read_reasons())}
    return render(request, "reasons/partials/_words.html" if wants_fragment(request) else "reasons/list.html", context)


def _shown(reason: ReasonWord) -> dict[str, Any]:
    return {
        "kind": reason.kind,
        "anchor": anchor_of(reason),
        "word": reason.word,
        "of": reason.of,
        "by": reason.by,
        "meaning": _meaning(reason),
        "message": reason.message,
        "rule": reason.rule,
        "doc": docs_link(reason.doc),
        "seen": _places(reason.seen),
    }


def anchor_of(reason: ReasonWord) -> str:
    """The name of the row within the page; that of a word without anything beside it is the word."""
    return "-".join(part.replace("=", "-").replace("/", "-") for part in (reason.kind, reason.word, reason.of) if part)


def _meaning(reason: ReasonWord) -> str:
    """What the word means, else what happened when it was said."""
    help_text = presenters.status_help(reason.word) if reason.kind in ("status", "waiting", "terminated") else ""
    return str(help_text) or presenters.said(reason.sentence)


def _places(seen: Sequence[WordPlace]) -> list[dict[str, Any]]:
    stories = builtin_stories()
    return [
        {
            "slug": item.story,
            "title": _(stories[item.story].title),
            "at_ms": item.at_ms,
            "rec": item.seq,
            "sel": _selected(item.subject),
            "acted": item.acted,
        }
        for item in seen
        # The list is written by a command; a story may have gone since.
        if item.story in stories
    ]


def _selected(subject: str) -> str:
    """What the page of a run selects for a record: a container, else its pod, else what it is about."""
    key = pod_key(subject)
    return subject if subject.startswith("container/") or not key else f"pod/{key}"


def _matches(row: dict[str, Any], query: str) -> bool:
    titles = " ".join(place["title"] for place in row["seen"])
    text = f"{row['word']} {row['of']} {row['by']} {row['meaning']} {row['message']} {row['rule']} {titles}".casefold()
    return all(word in text for word in query.casefold().split())
