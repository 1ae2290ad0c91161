"""Predictions: ask what a run does next, and grade the answer. The question is sent without its answer.

Question and answer are two requests, and in between the run may advance or be acted on. Then the prediction is void:
both requests contain the moment and the number of acts at which the question was asked.
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from simulator.engine.kernel.units import Ms, Subject
from simulator.models import Run
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import is_kept
from simulator.runs.log.outlook import AHEAD_MS, Outlook, Standpoint
from simulator.runs.permissions import OWNER, role_for
from simulator.web.base.common import first_error, refusal, run_or_404
from simulator.web.base.guards import costly
from simulator.web.presenters import length_text
from simulator.web.run.manifests import json_answer
from simulator.web.run.predictions import Riddle, pods_asked, riddles, tells_enough
from simulator.web.run.run_forms import AnswerForm, QuestionForm


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def run_predict(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """GET: a question about what follows the run's present, or ``nothing`` with the reason. POST: whether an answer is ``right``.

    Only the run's owner is asked, since showing the answer advances the run. ``void`` says why an answer does not count.
    """
    run = run_or_404(run_id)
    if role_for(request, run) != OWNER:
        return refusal(request, _("Only the owner of a run can jump to the answer. Fork it and predict there."))
    form = AnswerForm(request.POST) if request.method == "POST" else QuestionForm(request.GET)
    if not form.is_valid():
        return json_answer({"error": first_error(form.errors)}, status=400)
    fields = form.cleaned_data
    return _graded(run, fields) if request.method == "POST" else json_answer(_question(run, fields))


def _why_not(run: Run) -> str:
    """Why nothing can be predicted about the run now; empty if something can."""
    if is_kept(run):
        return _("This run was recorded by a different revision, so the current rules cannot tell how it would continue.")
    if run.state != Run.State.LIVE:
        return _("This run has ended: nothing more happens in it.")
    if run.commands.filter(at_ms=None).exists():
        return _("An action is in progress. Ask again once it is done.")
    return ""


def _question(run: Run, fields: dict[str, Any]) -> dict[str, Any]:
    given = run.commands.count()  # before the look ahead: an act that arrives during it makes the prediction void
    why_not = _why_not(run)
    if why_not:
        return {"nothing": why_not}
    at_ms = moment_of(run)
    found, ahead = _looked(run, at_ms, fields["sel"])
    if not found:
        return {"nothing": _why_nothing(at_ms, ahead)}
    riddle = found[(fields["turn"] or 0) % len(found)]
    return {
        "kind": riddle.kind,
        "sel": riddle.subject,
        "at_ms": at_ms,
        "after": ahead.after,
        "given": given,
        "question": riddle.question,
        "choices": riddle.choices,
    }


def _graded(run: Run, fields: dict[str, Any]) -> HttpResponse:
    if _has_acted(run, fields):
        return json_answer({"void": _("Someone acted in the meantime, so this prediction is void.")})
    if moment_of(run) != fields["at_ms"]:
        return json_answer({"void": _("The run has moved on in the meantime, so this prediction is void.")})
    why_not = _why_not(run)
    if why_not:
        return json_answer({"void": why_not})
    found, _ahead = _looked(run, fields["at_ms"], fields["sel"])
    if _has_acted(run, fields):
        return json_answer({"void": _("Someone acted in the meantime, so this prediction is void.")})
    # Computed again rather than stored: the same moment gives the same questions.
    riddle = next((riddle for riddle in found if (riddle.kind, riddle.subject) == (fields["kind"], fields["sel"])), None)
    if riddle is None:
        return json_answer({"void": _("The answer could not be computed this time, so this prediction is void.")})
    if fields["choice"] not in {choice.value for choice in riddle.choices}:
        return json_answer({"error": "choice"}, status=400)
    return json_answer(
        {
            "right": fields["choice"] == riddle.truth,
            "truth": riddle.truth,
            "told": riddle.told,
            "at_ms": riddle.at_ms,
            "seq": riddle.seq,
        }
    )


def _has_acted(run: Run, fields: dict[str, Any]) -> bool:
    """Whether the run has been given a command since the question was asked."""
    return bool(run.commands.count() != fields["given"])


def _looked(run: Run, at_ms: Ms, sel: Subject) -> tuple[list[Riddle], Outlook]:
    """The questions at a moment, and the look ahead on which they are based."""
    standpoint = Standpoint(run, at_ms=at_ms)
    if not standpoint.is_there:
        return [], Outlook(after=standpoint.after, until_ms=standpoint.world.now_ms, records=[])
    pods = pods_asked(standpoint.world)
    ahead = standpoint.by_itself(enough=tells_enough(pods, at_ms))
    return riddles(pods, at_ms, ahead, sel=sel), ahead


def _why_nothing(at_ms: Ms, ahead: Outlook) -> str:
    seen_ms = ahead.until_ms - at_ms
    if seen_ms >= AHEAD_MS:
        return _("No pod’s STATUS will change on its own within the next hour, so there is nothing to predict. Act, then ask again.")
    length = {"length": length_text(max(0, seen_ms))}
    return (
        _(
            "No pod’s STATUS will change on its own in the next %(length)s, which is as far as one prediction "
            "looks, so there is nothing to predict."
        )
        % length
    )
