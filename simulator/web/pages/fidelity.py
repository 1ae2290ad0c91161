"""The page about how faithful the simulation is, and how to check it.

The figures were written to the repository by the measuring commands; nothing is measured here.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_safe

from simulator.engine.kernel.outside_text import one_line
from simulator.engine.projection.text import unfilled
from simulator.engine.versions import MINORS, about
from simulator.engine.versions.patches import PATCHES, patch_of
from simulator.fidelity.measured import Suite, read_measured, read_unread
from simulator.fidelity.reasons import REASONS
from simulator.fidelity.rows import RuleRow, rule_rows, unshown
from simulator.web.base.guards import costly
from simulator.web.base.settings_words import note_text


@costly()
@require_safe
def fidelity(request: HttpRequest) -> HttpResponse:
    """The measured agreement, the remaining differences, and every rule; ``q`` filters the rules by words."""
    query = one_line(request.GET.get("q", ""), most=100)
    rows = rule_rows()
    measured = read_measured()
    kinds = {
        "recordings": _("Recordings of a real node"),
        "describe": _("Output of kubectl describe"),
        "answers": _("Answers of an API server"),
        "cases": _("Case tables"),
        "examples": _("Examples of the documentation"),
    }
    between = pgettext("between the items of a list", ", ")
    context = {
        "suites": [(kinds[suite.kind], suite, _suite_name(suite), _(suite.note) if suite.note else "") for suite in measured.suites],
        "stamps": [(stamp, between.join(kinds[kind] for kind in borne)) for stamp, borne in measured.stamped()],
        "differences": [(item, _(REASONS[item.name]) if item.name in REASONS else "") for item in measured.differences],
        "rules": [_rule_context(row) for row in rows if _has_words(row, query)],
        "patches": [(minor, patch_of(minor)) for minor in MINORS],
        "exceptions": [(each.minors, _(each.reason), each.source) for each in PATCHES.exceptions],
        "patched": PATCHES,
        "unread": [(field, note_text(about(field).note)) for field in read_unread()],
        "total": len(rows),
        "silent": len(unshown(rows)),
        "query": query,
    }
    return render(request, "fidelity.html", context)


def _suite_name(suite: Suite) -> str:
    """What is compared, in the reader's language; case tables and documentation are named after their files."""
    names = {
        "at the moment": _("at the moment"),
        "within tolerance": _("within tolerance"),
        "in a draw": _("in a draw"),
        "create, code, reason and causes": _("create: code, reason and causes"),
        "create, exact text": _("create: exact text"),
        "update, code, reason and causes": _("update: code, reason and causes"),
        "update, exact text": _("update: exact text"),
        "defaults, every field": _("defaults: every field"),
    }
    number, _space, what = suite.name.partition(" ")
    if what == "recordings":
        return ngettext("%(n)s recording", "%(n)s recordings", int(number)) % {"n": number}
    return names.get(suite.name, "")


def _rule_context(row: RuleRow) -> dict[str, Any]:
    return {"row": row, "sentence": unfilled(_(row.rule.sentence))}


def _has_words(row: RuleRow, query: str) -> bool:
    text = f"{row.rule.id} {unfilled(row.rule.sentence)} {unfilled(_(row.rule.sentence))} {row.rule.source}".casefold()
    return all(word in text for word in query.casefold().split())
