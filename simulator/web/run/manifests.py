"""The editor's requests: check a text, list fields, preview applying it; and a search by labels.

The editor sends these while its user types, so nothing here stores anything, and any text is checked however wrong it
is: half-typed YAML is the usual case and gives a 200.
"""

from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.model.selectors import BadSelector
from simulator.engine.versions import MINORS
from simulator.kubectl.tables.selectors import parse_selector
from simulator.manifests.editor.diagnostics import NOWHERE, diagnose
from simulator.manifests.editor.preview import live_object, preview, surroundings_of
from simulator.manifests.editor.reference import index, kind_reference
from simulator.web.base.caches import SCHEMAS
from simulator.web.base.common import first_error, run_or_404, world_at
from simulator.web.base.guards import costly
from simulator.web.base.lasting import LastingBody, lasting_answer, lasting_body
from simulator.web.run.applied_text import judged
from simulator.web.run.run_forms import CheckForm, PreviewForm

KIND_MAX = 60
SELECTOR_MAX = 500
NO_NAMESPACE = "-"
"""Stands in URLs for the namespace of cluster-scoped kinds."""


def json_answer(value: Any, *, status: int = 200) -> HttpResponse:
    """A JSON response that must not be cached."""
    response = HttpResponse(msgspec.json.encode(value), status=status, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


@costly()
@require_POST
def manifest_check(request: HttpRequest) -> HttpResponse:
    """Diagnostics for a text. 200 whatever is wrong with the text; 400 if the request itself is wrong."""
    form = CheckForm(request.POST)
    if not form.is_valid():
        return json_answer({"error": first_error(form.errors)}, status=400)
    fields = form.cleaned_data
    kubernetes, namespace = fields["kubernetes"], fields["namespace"]
    cluster, gates = NOWHERE, fields["feature_gates"]
    if fields["run"]:
        run = run_or_404(fields["run"])
        header = run.header()
        kubernetes, namespace, gates = header.kubernetes, namespace or header.namespace, header.gates
        cluster = surroundings_of(world_at(run, t=fields["t"], seq=fields["seq"]))
    return json_answer(diagnose(fields["manifest"], kubernetes=kubernetes, namespace=namespace or "default", cluster=cluster, gates=gates))


@costly()
@require_safe
def manifest_index(request: HttpRequest, minor: str) -> HttpResponse:
    """The kinds of a Kubernetes version."""
    return _schema_answer(request, minor, "")


@costly()
@require_safe
def manifest_schema(request: HttpRequest, minor: str, kind: str) -> HttpResponse:
    """The fields of one kind."""
    return _schema_answer(request, minor, kind[:KIND_MAX])


def _schema(minor: int, kind: str) -> LastingBody | None:
    """The schema of a kind; the list of kinds if ``kind`` is empty."""
    found: Any = kind_reference(minor, kind) if kind else {"kubernetes": f"1.{minor}", "kinds": index(minor)}
    return None if found is None else lasting_body(found)


def _schema_answer(request: HttpRequest, minor_text: str, kind: str) -> HttpResponse:
    minor = _minor_or_404(minor_text)
    body = SCHEMAS.of((minor, kind), lambda: _schema(minor, kind))
    if body is None:
        raise Http404
    return lasting_answer(request, body)


def _minor_or_404(minor: str) -> int:
    if minor not in MINORS:
        raise Http404
    return minor_in(minor)


@costly()
@require_POST
def run_preview(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What applying a text to the run would do at a moment; 422 with diagnostics if it cannot be applied at all."""
    run = run_or_404(run_id)
    form = PreviewForm(request.POST)
    if not form.is_valid():
        return json_answer({"error": first_error(form.errors)}, status=400)
    fields = form.cleaned_data
    applied = judged(fields["manifest"], world_at(run, t=fields["t"], seq=fields["seq"]), namespace=fields["ns"])
    if not applied.checked.documents:
        return json_answer(applied.report(), status=422)
    return json_answer(preview(applied.world, applied.checked))


@costly()
@require_safe
def run_object(request: HttpRequest, run_id: UUID, seq: int, kind: str, namespace: str, name: str) -> HttpResponse:
    """A live object as YAML for editing."""
    run = run_or_404(run_id)
    world = world_at(run, seq=seq)
    found = live_object(world, kind, "" if namespace == NO_NAMESPACE else namespace, name)
    if found is None:
        raise Http404
    return json_answer(
        {
            "kind": found.kind,
            "namespace": found.namespace,
            "name": found.name,
            "yaml": found.yaml,
            "resource_version": found.resource_version,
            "seq": world.seq,
            "at_ms": world.now_ms,
        }
    )


@costly()
@require_safe
def run_pods(request: HttpRequest, run_id: UUID, seq: int) -> HttpResponse:
    """The keys of the pods matching ``selector`` (as in ``kubectl get -l``) after record ``seq``; 422 if the selector is invalid."""
    run = run_or_404(run_id)
    try:
        fits = parse_selector(request.GET.get("selector", "")[:SELECTOR_MAX])
    except BadSelector as error:
        return json_answer({"error": str(error)}, status=422)
    rows = world_at(run, seq=seq).tables.pods.values()
    return json_answer({"pods": [row.key for row in rows if fits(row.pod.metadata.labels or {})]})
