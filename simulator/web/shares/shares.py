"""Shared scenarios: immutable links, their frozen moments, and forks of them.

The page of a link shows the frozen run behind it. Forking makes an ordinary run from the link's content with the
commands up to the moment, owned by the visitor.
"""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.selectors.shares import share_lineage
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import shared_run
from simulator.web.base.common import first_error, moment_of, refusal, share_or_404
from simulator.web.base.guards import costly
from simulator.web.base.moment_form import MomentForm
from simulator.web.run.page import run_page


@costly()
@require_safe
def share_detail(request: HttpRequest, share_id: str) -> HttpResponse:
    """The moment behind a link, complete without scripts; read-only, but everybody may fork it."""
    share = share_or_404(share_id)
    asked = moment_of(request)
    until_ms = share.content().until_ms
    t_ms = until_ms if asked.t_ms is None else min(asked.t_ms, until_ms)
    moment = replace(asked, t_ms=t_ms)
    page = run_page(request, shared_run(share=share), moment, share)
    context = page.context(share=share, lineage=share_lineage(share))
    return render(request, "shares/detail.html", context)


@require_POST
def share_run(request: HttpRequest, share_id: str) -> HttpResponse:
    """Start the visitor's own run from a shared scenario: from the moment ``t``, or from the beginning."""
    share = share_or_404(share_id)
    form = MomentForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=f"/s/{share.id}/")
    try:
        run = run_create(
            content=share.content(),
            title=share.title,
            owner_key=owner_key(request),
            address=address_hash_of(request),
            scenario=share.scenario,
            share=share,
            at_ms=form.cleaned_data["t"] or 0,
        )
    except ServiceError as error:
        return refusal(request, str(error), back=f"/s/{share.id}/")
    return redirect("sim:run", run_id=run.id)
