"""Everything that changes a run: acts, playback controls, branches, links. POST only; the engine is never called here.

Every view has the same structure: a form, a service, and a redirect or a small response for scripts. The service
decides whether the act is given in the run itself or in a branch; the response says which. Forms have a client key,
so sending one twice returns the first response again.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from simulator.engine.acts import all_acts
from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.kernel.outside_text import one_line
from simulator.kubectl.acting.verbs import action_of
from simulator.kubectl.line import BadLine
from simulator.manifests.problems import ERROR
from simulator.models import Run, RunCommand
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.selectors.runs import run_wait
from simulator.runs.services.commands import TYPED_MAX, command_known, commands_submit_at
from simulator.runs.services.errors import Refused, ServiceError
from simulator.runs.services.runs import run_branch as branch_off
from simulator.runs.services.runs import run_control as control
from simulator.runs.services.runs import run_take_along as take_along
from simulator.runs.services.shares import share_create
from simulator.web.base.common import LOOK, Moment, first_error, go_to, nothing, refusal, run_or_404, wants_fragment, wants_json, world_at
from simulator.web.base.guards import compute, costly
from simulator.web.base.levels import refused_of
from simulator.web.base.moment_form import MomentForm
from simulator.web.base.problems import report_rows
from simulator.web.presenters import said, wait_text
from simulator.web.run.applied_text import judged
from simulator.web.run.command_forms import CommandForm
from simulator.web.run.run_forms import ApplyForm, ControlForm, KeyForm, LineForm


def run_url(run: Run) -> str:
    """The URL of a run's page."""
    return reverse("sim:run", args=[run.id])


@require_POST
def command_create(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Give an act: 204 at the head, or a redirect to the new branch in the past."""
    run = run_or_404(run_id)
    if "manifest" in request.POST:
        # Checking a text takes a worker; a click on a button does not.
        compute(request)
        return _apply(request, run)
    form = CommandForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    return _submit(request, run, form.command(), form.cleaned_data)


def _submit(request: HttpRequest, run: Run, command: AnyCommand, fields: dict[str, Any]) -> HttpResponse:
    try:
        there, _given = _give(request, run, [command], fields)
    except ServiceError as error:
        return refusal(request, str(error), back=run_url(run))
    return _accepted(request, run, there, command)


def _give(
    request: HttpRequest, run: Run, commands: Sequence[AnyCommand], fields: dict[str, Any], typed: str = ""
) -> tuple[Run, list[RunCommand]]:
    """Give a visitor's acts, in the run or in a branch of it; all acts go through here. ``typed`` is the line they come from.

    Raises ServiceError, also if the run's level does not allow one of them.
    """
    if refused := refused_of(run, commands):
        raise Refused("not_this_way", refused)
    return commands_submit_at(
        run=run,
        owner_key=owner_key(request),
        commands=commands,
        client_key=fields["client_key"],
        at_ms=fields["at_ms"],
        at_seq=fields["at_seq"],
        run_to_ms=fields.get("run_to_ms"),
        address=address_hash_of(request),
        typed=one_line(typed, most=TYPED_MAX),
    )


def _accepted(request: HttpRequest, run: Run, there: Run, command: AnyCommand) -> HttpResponse:
    if there.id != run.id or not wants_fragment(request):
        return go_to(request, run_url(there) + Moment(sel=request.POST.get("sel", "")[:700]).query())
    wait = run_wait(there.id)
    waits = {"waits": _("Accepted. %(why)s") % {"why": wait_text(wait)}} if wait else {}
    return nothing(command_accepted={"text": said(sentence_of(all_acts.ACTS.of(command), command)), **waits})


@costly()
@require_POST
def kubectl_line(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Carry out a kubectl line as acts; in the past, in a branch. Scripts get JSON.

    ``did`` is the number of its first command, ``url`` the branch in which it was given.
    """
    run = run_or_404(run_id)
    form = LineForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    fields = form.cleaned_data
    known = command_known(run=run, owner_key=owner_key(request), client_key=fields["client_key"])
    if known is not None:  # the line's own effects may make it invalid now
        return _carried_out(request, run, *known, fields)
    world = world_at(run, t=fields["at_ms"], seq=fields["at_seq"])
    try:
        action = action_of(world, fields["k"], now_ms=max(fields["at_ms"] or 0, world.now_ms), namespace=fields["ns"])
        there, given = _give(request, run, [step.command for step in action.steps], fields, typed_as(fields["k"]))
    except (BadLine, ServiceError) as error:
        return refusal(request, str(error), back=run_url(run))
    return _carried_out(request, run, there, given[0], fields)


def typed_as(line: str) -> str:
    """A line from the kubectl tab, with the program's name in front."""
    return line if line.lstrip().startswith("kubectl") else f"kubectl {line.lstrip()}"


def _carried_out(request: HttpRequest, run: Run, there: Run, given: RunCommand, fields: dict[str, Any]) -> HttpResponse:
    moment = Moment(sel=fields["sel"], tab="kubectl", line=fields["k"], did=given.n, namespace=fields["ns"])
    if not wants_fragment(request):
        return go_to(request, run_url(there) + moment.query())
    return JsonResponse({"did": moment.did, "url": "" if there.id == run.id else run_url(there) + moment.query()})


def _apply(request: HttpRequest, run: Run) -> HttpResponse:
    """Create objects from YAML in the run; problems are shown in the same form with a 422."""
    form = ApplyForm(request.POST)
    if not form.is_valid():
        return _apply_again(request, run, form, [])
    known = command_known(run=run, owner_key=owner_key(request), client_key=form.cleaned_data["client_key"])
    if known is not None:  # the objects exist now, so checking the text would give a different result
        return _accepted(request, run, known[0], known[1].command())
    text, header = form.cleaned_data["manifest"], run.header()
    world = world_at(run, t=form.cleaned_data["at_ms"], seq=form.cleaned_data["at_seq"])
    namespace = form.cleaned_data["ns"] or header.namespace
    applied = judged(text, world, namespace=namespace)
    if not applied.is_accepted or "check" in request.POST:
        report = applied.report()
        return _apply_again(request, run, form, report_rows(report, text))
    documents = tuple(document.json for document in applied.checked.documents)
    if form.cleaned_data["node"]:
        if len(documents) != 1 or applied.checked.documents[0].kind != "Pod":
            form.add_error("manifest", _("A static pod’s file contains exactly one Pod."))
            return _apply_again(request, run, form, [])
        static = PlaceStaticPod(node=form.cleaned_data["node"], document=documents[0], namespace=header.namespace)
        return _submit(request, run, static, form.cleaned_data)
    return _submit(request, run, ApplyManifest(documents=documents, namespace=namespace), form.cleaned_data)


def _apply_again(request: HttpRequest, run: Run, form: ApplyForm, problems: list[dict[str, Any]]) -> HttpResponse:
    """The form with its findings: 422, or 200 if only a check was requested."""
    has_errors = any(problem["severity"] == ERROR for problem in problems)
    is_sound = form.is_valid() and "check" in request.POST and not has_errors
    if not is_sound and not has_errors and not form.errors:
        form.add_error("manifest", _("There is no object in this text."))
    context = {"run": run, "form": form, "problems": problems, "manifest": request.POST.get("manifest", ""), "checked": is_sound}
    context["static_node"] = form.cleaned_data.get("node", "") if hasattr(form, "cleaned_data") else ""
    template = "runs/partials/_apply.html" if wants_fragment(request) else "runs/apply.html"
    return render(request, template, context, status=200 if is_sound else 422)


@require_POST
def run_control(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Play, pause, set the speed, step, run to. Only for the owner; others fork. A redirect if a branch continues instead of the run."""
    run = run_or_404(run_id)
    form = ControlForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    fields = form.cleaned_data
    try:
        there = control(
            run=run,
            owner_key=owner_key(request),
            do=fields["do"],
            rate_permille=fields["rate"],
            to_ms=fields["to_ms"],
            address=address_hash_of(request),
        )
    except ServiceError as error:
        return refusal(request, str(error), back=run_url(run))
    if there.id != run.id or not wants_fragment(request):
        return go_to(request, run_url(there))
    wait = run_wait(run.id)
    return JsonResponse({"waits": wait_text(wait)}) if wait and wait.reason != "opening" else HttpResponse(status=204)


@require_POST
def run_branch(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Make the visitor's own branch from a moment of any run; the run itself is unchanged."""
    run = run_or_404(run_id)
    form = MomentForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    fields = form.cleaned_data
    # Without a moment, a branch begins at the end of the log, not at where the clock may be by now.
    at_ms = fields["t"] if fields["t"] is not None or fields["seq"] is not None else run.head_ms
    try:
        branch = branch_off(parent=run, owner_key=owner_key(request), at_ms=at_ms, at_seq=fields["seq"], address=address_hash_of(request))
    except ServiceError as error:
        return refusal(request, str(error), back=run_url(run))
    return go_to(request, run_url(branch) + Moment(sel=fields["sel"]).query())


@costly()
@require_POST
def run_take_along(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Make a branch that also has its parent's later acts, and redirect to it."""
    run = run_or_404(run_id)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    try:
        taken = take_along(
            branch=run, owner_key=owner_key(request), branch_key=form.cleaned_data["client_key"], address=address_hash_of(request)
        )
    except ServiceError as error:
        return refusal(request, str(error), back=run_url(run))
    return go_to(request, run_url(taken))


@require_POST
def run_share(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Make an immutable link to the run as it is now, opening at the current moment. JSON for scripts, otherwise a redirect to the link."""
    run = run_or_404(run_id)
    form = MomentForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=run_url(run))
    try:
        share = share_create(run=run)
    except ServiceError as error:
        return refusal(request, str(error), back=run_url(run))
    fields = form.cleaned_data
    look = tuple((name, fields[name]) for name in LOOK)
    moment = Moment(
        t_ms=fields["t"],
        sel=fields["sel"],
        rec=fields["rec"] or 0,
        tab=fields["tab"] or "why",
        part=fields["part"],
        line=fields["k"],
        did=fields["did"] or 0,
        namespace=fields["ns"],
        pin_ms=fields["pin"],
        noise=fields["noise"],
        look=look,
        lang=get_language() or "",
    )
    url = reverse("sim:share", args=[share.id]) + moment.query()
    if wants_json(request):
        ways = reverse("sim:share-ways", args=[share.id]) + moment.query()
        return JsonResponse({"url": request.build_absolute_uri(url), "id": share.id, "ways": ways})
    return go_to(request, url)
