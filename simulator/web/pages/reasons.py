"""The reasons page: every STATUS word and reason, its meaning, usual causes, what to do, and where to see it happen."""

import re
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
from simulator.remedies.catalogue import FURTHER, ordinary_for, remedy_for
from simulator.scenarios.reasons import KINDS, ReasonWord, WordPlace, read_reasons
from simulator.web import presenters
from simulator.web.base.common import wants_fragment
from simulator.web.base.remedy_rows import remedy_row
from simulator.web.base.stories import builtin_stories

HEADINGS: dict[str, tuple[str | Promise, str]] = {
    "status": (gettext_lazy("STATUS as kubectl prints it"), ""),
    "waiting": (gettext_lazy("Waiting containers"), "status.containerStatuses[].state.waiting.reason"),
    "terminated": (gettext_lazy("Terminated containers"), "status.containerStatuses[].state.terminated.reason"),
    "pod": (gettext_lazy("Pods"), "status.reason"),
    "condition": (gettext_lazy("Conditions"), "status.conditions[].reason"),
    "event": (gettext_lazy("Events"), "reason"),
}
"""For each kind of word: what it is about, and the field in which it appears."""


OPEN_MAX = 8
"""Up to this many search results are shown with their causes unfolded."""


@require_safe
def reasons(request: HttpRequest) -> HttpResponse:
    """All words, or those that match every word of ``q``; just the list if the page's search field asks."""
    query = one_line(request.GET.get("q", ""), most=80)
    words = _words()
    rows = _placed([row for row in words if _matches(row, query)])
    sections = [
        {"kind": kind, "title": HEADINGS[kind][0], "field": HEADINGS[kind][1], "rows": found}
        for kind in KINDS
        if (found := [row for row in rows if row["kind"] == kind])
    ]
    for row in rows:
        row["open"] = bool(query) and (len(rows) <= OPEN_MAX or row["word"].casefold() == query.casefold())
    context = {"sections": sections, "query": query, "count": len(rows), "total": len(words)}
    return render(request, "reasons/partials/_words.html" if wants_fragment(request) else "reasons/list.html", context)


def _words() -> list[dict[str, Any]]:
    """The rows of all words: those shown in stories, and those that only have a remedy."""
    rows = [_reason_context(reason) for reason in read_reasons()]
    shown = {(row["kind"], row["word"]) for row in rows}
    rows += [_further(kind, word) for kind, words in FURTHER.items() for word in words if (kind, word) not in shown]
    return sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["word"].casefold(), row["of"]))


def _placed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with each remedy only in the first of them; the others refer to that one."""
    first: dict[str, str] = {}
    for row in rows:
        anchor = row["help"]["anchor"] if row["help"] is not None else ""
        if anchor in first:
            row |= {"help": None, "help_at": anchor, "help_word": first[anchor]}
        elif anchor:
            first[anchor] = row["word"]
    return rows


def _reason_context(reason: ReasonWord) -> dict[str, Any]:
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
        **_help(reason.kind, reason.word, reason.of),
    }


def anchor_of(reason: ReasonWord) -> str:
    """The anchor of the row within the page."""
    return _anchor(reason.kind, reason.word, reason.of)


def _anchor(kind: str, word: str, of: str) -> str:
    return "-".join(re.sub(r"[=/]", "-", part) for part in (kind, word, of) if part)


def _further(kind: str, word: str) -> dict[str, Any]:
    """The row for a word that no story shows."""
    remedy = remedy_for(kind, word)
    assert remedy is not None
    meaning = str(presenters.status_help(word)) or _(remedy.meaning or remedy.causes[0].text)
    row: dict[str, Any] = {"kind": kind, "anchor": _anchor(kind, word, ""), "word": word, "of": "", "by": "", "meaning": meaning}
    return row | {"message": "", "rule": "", "doc": docs_link(remedy.doc), "seen": [], **_help(kind, word, "")}


def _help(kind: str, word: str, of: str) -> dict[str, Any]:
    remedy, ordinary = remedy_for(kind, word, of), ordinary_for(kind, word, of)
    help_text = None if remedy is None else remedy_row(remedy)
    return {"help": help_text, "help_at": "", "help_word": "", "ordinary": _(ordinary) if ordinary and remedy is None else ""}


def _meaning(reason: ReasonWord) -> str:
    """The meaning of the word, otherwise what happened when it was used."""
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
        # The list is generated by a command; a story may have been removed since.
        if item.story in stories
    ]


def _selected(subject: str) -> str:
    """What a run's page selects for a record: a container, otherwise the pod, otherwise the record's subject."""
    key = pod_key(subject)
    return subject if subject.startswith("container/") or not key else f"pod/{key}"


def _matches(row: dict[str, Any], query: str) -> bool:
    titles = " ".join(place["title"] for place in row["seen"])
    text = f"{row['word']} {row['of']} {row['by']} {row['meaning']} {row['message']} {row['rule']} {titles} {_remedy_text(row)}".casefold()
    return all(word in text for word in query.casefold().split())


def _remedy_text(row: dict[str, Any]) -> str:
    """The texts of a row's remedy."""
    held = row["help"]
    return "" if held is None else " ".join((*held["causes"], *(item["text"] for item in (*held["look"], *held["steps"]))))
