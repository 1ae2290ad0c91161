"""The page for keys to a run's API: made with a form, shown once, revoked by the run's owner."""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_of
from simulator.door.kubeconfig import DoorContext, clock_text, kubeconfig, server_of
from simulator.kubectl.context import context_name
from simulator.models import DoorKey, Run
from simulator.runs.permissions import OWNER, known_key, owner_key, role_for
from simulator.runs.services.door_keys import TOKEN, door_key_create, door_key_find, door_key_revoke
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.shares import shared_run
from simulator.web.base.common import first_error, moment_of, refusal, run_or_404, share_or_404
from simulator.web.base.fields import NumberField
from simulator.web.base.guards import costly
from simulator.web.door.addresses import BRANCH, RUN, SHARE
from simulator.web.door.branches import branches_of
from simulator.web.door.clocks import REAL, SKIP

WINDOW_S = 600.0
KEYS_PER_WINDOW = 60
"""Keys that one visitor may make at once, and then per WINDOW_S; many pupils of a class share one address."""
MADE = Allowances(burst_s=WINDOW_S)
READ, WRITE, REVOKE, FILE = "read", "write", "revoke", "file"


class DoorForm(forms.Form):
    """What to do: make a key for reading or writing, revoke one, or download its kubeconfig. ``t`` is the current moment in ms, ``label``
    the name of a new key."""

    do = forms.ChoiceField(choices=[(each, each) for each in (READ, WRITE, REVOKE, FILE)])
    key = forms.RegexField(TOKEN, required=False)
    key_id = NumberField(required=False, min_value=1)
    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    label = forms.CharField(required=False, max_length=200)


@require_http_methods(["GET", "HEAD", "POST"])
def run_door(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The keys of a run: anybody who can see it may make a read-only one."""
    run = run_or_404(run_id)
    t_ms = moment_of(request).t_ms
    return _door(request, run, RUN, run.id.hex, t_ms, back=reverse("sim:run", args=[run.id]))


@costly("POST")
@require_http_methods(["GET", "HEAD", "POST"])
def share_door(request: HttpRequest, share_id: str) -> HttpResponse:
    """The keys of a link: they are read-only, and what they read never changes."""
    share = share_or_404(share_id)
    t_ms = moment_of(request).t_ms
    back = reverse("sim:share", args=[share.id])
    if request.method != "POST":
        return _page(request, None, {"t_ms": t_ms, "back": back, "title": share.title})
    return _door(request, shared_run(share=share), SHARE, share.id, t_ms, back=back)


def _door(request: HttpRequest, run: Run, sort: str, thing: str, t_ms: int | None, *, back: str) -> HttpResponse:
    context: dict[str, Any] = {"t_ms": t_ms, "back": back, "title": run.title}
    if request.method != "POST":
        return _page(request, run, context)
    form = DoorForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=back)
    fields = form.cleaned_data
    context["t_ms"] = fields["t"]
    try:
        if fields["do"] == REVOKE:
            door_key_revoke(run=run, owner_key=known_key(request) or "", key_id=fields["key_id"] or 0)
            return _page(request, run, context)
        if fields["do"] == FILE:
            return _file(request, run, sort, thing, fields, back)
        if not MADE.take(visitor_of(request), per_second=KEYS_PER_WINDOW / WINDOW_S):
            return refusal(request, _("Too many requests at once. Try again in a few seconds."), status=429, back=back)
        token = door_key_create(run=run, owner_key=owner_key(request), can_write=fields["do"] == WRITE, label=fields["label"])
    except ServiceError as error:
        return refusal(request, str(error), back=back)
    contexts = _contexts(request, sort, run, thing, token, fields["t"])
    line = f"kubectl --server={contexts[0].server} get pods"
    return _page(request, run, context | {"token": token, "contexts": contexts, "line": line, "file": _file_name(thing)})


def _contexts(request: HttpRequest, sort: str, run: Run, thing: str, token: str, t_ms: int | None) -> list[DoorContext]:
    """Contexts for the run's present with each clock, the current moment, the branch from there, and existing branches; for a link one."""
    base = request.build_absolute_uri("/").rstrip("/")
    found = [DoorContext(name=context_name(thing), server=server_of(base, sort, thing, token))]
    moves = sort == RUN and token.startswith("w")
    found += [
        DoorContext(name=context_name(thing, f"@{word}"), server=server_of(base, sort, thing, token, word=word), sort=word)
        for word in ((REAL, SKIP) if moves else ())
    ]
    if t_ms is not None:
        found.append(_moment(base, sort, thing, token, t_ms))
        if moves:
            server = server_of(base, sort, thing, token, at_ms=t_ms, word=BRANCH)
            found.append(DoorContext(name=context_name(thing, f"-branch@{clock_text(t_ms)}"), server=server, sort="from"))
    for branch in branches_of(run) if sort == RUN else ():
        name = context_name(thing, f"-branch-{branch.id.hex[:8]}")
        found.append(DoorContext(name=name, server=server_of(base, sort, branch.id.hex, token), sort="branch"))
    return found


def _moment(base: str, sort: str, thing: str, token: str, t_ms: int) -> DoorContext:
    return DoorContext(
        name=context_name(thing, f"@{clock_text(t_ms)}"), server=server_of(base, sort, thing, token, at_ms=t_ms), sort="moment"
    )


def _file_name(thing: str) -> str:
    return f"podscope-{thing[:8]}.kubeconfig"


def _file(request: HttpRequest, run: Run, sort: str, thing: str, fields: dict[str, Any], back: str) -> HttpResponse:
    key = door_key_find(fields["key"])
    if key is None or key.run_id != run.id:
        return refusal(request, "401 Unauthorized", status=401, back=back)
    contexts = _contexts(request, sort, run, thing, fields["key"], fields["t"])
    text = kubeconfig(contexts, token=fields["key"], namespace=run.header().namespace)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(thing)}"'
    return _private(response)


def _page(request: HttpRequest, run: Run | None, context: dict[str, Any]) -> HttpResponse:
    is_owner = run is not None and role_for(request, run) == OWNER
    keys = DoorKey.objects.filter(run=run, revoked_at=None) if is_owner else ()
    return _private(render(request, "runs/door.html", context | {"is_owner": is_owner, "keys": keys}))


def _private(response: HttpResponse) -> HttpResponse:
    """Mark a response with a key in it: nothing may cache it, and links to other sites must not reveal its URL."""
    response["Cache-Control"] = "no-store"
    # With "no-referrer", browsers send "Origin: null" with this page's own forms, which the CSRF check refuses.
    response["Referrer-Policy"] = "same-origin"
    return response
