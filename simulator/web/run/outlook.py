"""Preview a gesture on the timeline: its act, its kubectl line, and the records that would follow.

The look ahead is played on a copy and stores nothing. The response contains what the act's own form would send, so
that releasing the gesture gives exactly what was shown.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.targets import named_in
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Subject
from simulator.engine.projection.subjects import pod_key
from simulator.engine.world.world import World
from simulator.headless.refused import why_refused
from simulator.levels.allowing import refused_by_level
from simulator.runs.log.history import is_kept
from simulator.runs.log.outlook import Standpoint
from simulator.web.base.common import first_error, run_or_404
from simulator.web.base.guards import costly
from simulator.web.base.levels import allowed_acts
from simulator.web.presenters import rule_sentence, said
from simulator.web.run.act_lines import act_line, offers_of_pod
from simulator.web.run.command_forms import CommandForm
from simulator.web.run.manifests import json_answer
from simulator.web.run.run_forms import OutlookForm

_KEY = "only-looked-at"
"""A dummy key: no command is stored for a preview."""


@costly()
@require_safe
def run_outlook(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The act for a gesture at a moment and its consequences; without ``records`` and with ``why_not`` if there would be none.

    ``fields`` are what the act's form sends, ``choices`` the alternatives, ``number`` the limits of a number. 400 if it is not a gesture
    at all.
    """
    run = run_or_404(run_id)
    form = OutlookForm(request.GET)
    if not form.is_valid():
        return json_answer({"error": first_error(form.errors)}, status=400)
    if is_kept(run):
        return json_answer(
            {"why_not": _("This run was recorded by a different revision, so the current rules cannot tell how it would continue.")}
        )
    fields = form.cleaned_data
    standpoint = Standpoint(run, at_ms=fields["at_ms"], at_seq=fields["at_seq"])
    if not standpoint.is_there:
        return json_answer({"why_not": _("That is too far ahead to predict.")})
    found = _find_offer(standpoint.world, fields)
    if found is None:
        return json_answer({"why_not": _("That action is not available right now.")})
    offer, sent, command = found
    told = _description(standpoint.world, offer, sent, command)
    if refused := refused_by_level(allowed_acts(run), offer.do):
        return json_answer({**told, "why_not": refused})
    if offer.why_not:
        return json_answer({**told, "why_not": rule_sentence(offer.why_not)})
    seen = standpoint.after_command(command, until_ms=fields["until_ms"])
    return json_answer({**told, "why_not": _refusal(seen.command), "after": seen.after, "until_ms": seen.until_ms, "records": seen.records})


def _find_offer(world: World, fields: dict[str, Any]) -> tuple[Offer, dict[str, Any], AnyCommand] | None:
    """The subject's offer for the gesture, what its form sends, and the resulting command."""
    for offer in _offers(world, fields["sel"], fields["handle"]):
        own = {item.name: item.value for item in offer.inputs}
        sent = {**offer.fields, **own, offer.chosen: fields["value"] or own.get(offer.chosen, "")}
        form = CommandForm({"client_key": _KEY, **sent})
        if not form.is_valid():
            continue
        command = form.command()
        # Several offers may have this kind of handle; the one whose command is about the selection is meant.
        if ACTS.of(command).subject(named_in(world.tables, command)) == fields["sel"]:
            return offer, sent, command
    return None


def _offers(world: World, subject: Subject, handle: str) -> Iterator[Offer]:
    return (offer for offer in offers_of_pod(world, pod_key(subject)) if offer.handle == handle)


def _description(world: World, offer: Offer, sent: dict[str, Any], command: AnyCommand) -> dict[str, Any]:
    number = next((item for item in offer.inputs if item.name == offer.chosen), None)
    return {
        "words": said(sentence_of(ACTS.of(command), command)),
        "line": act_line(world, command),
        "fields": sent,
        "choices": [{"value": button.value, "label": said(button.label)} for button in offer.buttons if button.name],
        "number": None
        if number is None
        else {"label": said(number.label), "unit": number.unit, "minimum": number.minimum, "maximum": number.maximum},
    }


def _refusal(command: Record) -> str:
    """Why the command would be refused; empty if it would not be."""
    if command.target == "accepted":
        return ""
    return str(command.get("message") or said(why_refused(command)))
