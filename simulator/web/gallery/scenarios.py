"""The gallery, a scenario's page, and new runs from YAML.

A run is made from a content: header, the author's text, commands. For a scenario, that is the stored one. YAML is
checked first (``check_text``), and its problems are shown with the form, so no run fails because of them.
"""

import secrets
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from simulator.engine.containers.docker import DOCKER
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.kernel.units import Ms
from simulator.engine.versions import PHASE_GATE
from simulator.engine.versions.usual import OFFERED
from simulator.engine.world.cluster import ClusterSpec
from simulator.manifests.check.check import check_text
from simulator.manifests.editor.diagnostics import report_of
from simulator.manifests.problems import ERROR
from simulator.manifests.script.cluster import NODES_USUAL
from simulator.manifests.script.node_size import size_text
from simulator.models import Run, Scenario
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.selectors.runs import runs_owned
from simulator.runs.selectors.scenarios import scenario_get
from simulator.runs.selectors.scenarios import scenario_list as scenarios_chosen
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_create
from simulator.scenarios.build import build_content, title_of
from simulator.scenarios.story import Story
from simulator.web.base.common import Moment, first_error, refusal, scenario_or_404, wants_fragment
from simulator.web.base.guards import computed, costly
from simulator.web.base.moment_form import MomentForm
from simulator.web.base.problems import report_rows
from simulator.web.base.remedy_rows import trouble_rows
from simulator.web.base.stories import builtin_stories, builtin_story, story_text
from simulator.web.gallery import gallery
from simulator.web.gallery.hints import hints_of
from simulator.web.gallery.new_run_form import PHASE_RULES_1_3, NewRunForm
from simulator.web.pictures.previews import preview_of
from simulator.web.pictures.thumbnail import is_known, learn, thumbnail_of
from simulator.web.presenters import LEVELS

SEED_DEFAULT = 42
OWN_RUNS_MAX = 12


@require_safe
def scenario_list(request: HttpRequest) -> HttpResponse:
    """The gallery, filtered by ``tag``, ``level`` and words; just the list if the page's search field asks.

    The first one of a process waits for a worker, because every story is played for its picture.
    """
    _have_pictures(request, builtin_stories().values())
    tag, level, query = (one_line(request.GET.get(name, ""), most=80) for name in ("tag", "level", "q"))
    chosen = list(scenarios_chosen(tag=tag, level=level))
    found = gallery.sections(gallery.matching(chosen, query))
    context = {
        "sections": found,
        "count": sum(len(section.cards) for section in found),
        "chosen_tag": tag,
        "chosen_level": level,
        "query": query,
    }
    if wants_fragment(request):
        return render(request, "scenarios/partials/_tracks.html", context)
    tags = gallery.counted(scenarios_chosen())
    context |= {
        "tags": [row for row in tags if row[1] > 1 or row[0] == tag],
        # Tags with a single scenario are folded away, except the selected one.
        "rare_tags": [row for row in tags if row[1] == 1 and row[0] != tag],
        "levels": list(LEVELS),
        "runs": _own_runs(request),
        "keep_days": settings.SIM_KEEP_DAYS,
    }
    return render(request, "scenarios/list.html", context)


def _have_pictures(request: HttpRequest, stories: Iterable[Story]) -> None:
    """Make sure that this process has the pictures of these stories: missing ones are requested from a worker, once."""
    missing = [story.slug for story in stories if not is_known(story)]
    if missing:
        learn(computed(request, gallery.pictures_of, missing))


def _own_runs(request: HttpRequest) -> list[Run]:
    """The newest runs of this browser."""
    key = known_key(request)
    return runs_owned(key, limit=OWN_RUNS_MAX) if key else []


@require_safe
def scenario_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """A scenario's page with its manifest and a button to start a run."""
    scenario = scenario_or_404(slug)
    content, story = scenario.content(), builtin_story(scenario)
    _have_pictures(request, [story] if story else [])
    context = {
        "scenario": scenario,
        "story": story_text(scenario),
        "picture": thumbnail_of(story) if story else None,
        "tags": gallery.in_order(scenario.tags),
        "preview": preview_of(
            request,
            title=_(scenario.title),
            description=_(scenario.summary) if scenario.summary else "",
            path=request.path,
            image=reverse("sim:scenario-card", args=[slug]),
        ),
        "manifest": content.source.manifests,
        "facts": content.header,
    }
    return render(request, "scenarios/detail.html", context)


@costly()
@require_safe
def scenario_hint(request: HttpRequest, slug: str, step: str) -> HttpResponse:
    """The hints for a step of a built-in story as HTML, in all three grades: the page reveals them one by one."""
    story = builtin_story(scenario_or_404(slug))
    hints = hints_of(story, step) if story else None
    if hints is None:
        raise Http404
    return render(request, "runs/partials/_hints.html", {"hints": hints})


@costly()
@require_safe
def scenario_debrief(request: HttpRequest, slug: str) -> HttpResponse:
    """The debriefing of a built-in story as HTML: what it is about, and the rule behind ``step``, the last one completed."""
    story = builtin_story(scenario_or_404(slug))
    hints = hints_of(story, request.GET.get("step", "")) if story else None
    if hints is None:
        raise Http404
    return render(request, "runs/partials/_debrief.html", {"story": story, "hints": hints})


@require_POST
def scenario_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Start a run of a scenario and go there; with a moment ``t`` it is paused there, and the page shows ``sel`` and ``rec``."""
    scenario = scenario_or_404(slug)
    back = request.path.removesuffix("run/")
    form = MomentForm(request.POST)
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=back)
    t_ms = form.cleaned_data["t"]
    try:
        run = scenario_start(scenario, owner=owner_key(request), address=address_hash_of(request), at_ms=t_ms)
    except ServiceError as error:
        return refusal(request, str(error), back=back)
    moment = Moment(t_ms=t_ms, sel=form.cleaned_data["sel"], rec=form.cleaned_data["rec"] or 0)
    return redirect(reverse("sim:run", args=[run.id]) + moment.query())


def scenario_start(scenario: Scenario, *, owner: str, address: str, at_ms: Ms | None = None) -> Run:
    """Make a run of a scenario at its opening speed, or paused at ``at_ms`` if that is given. Raises ServiceError."""
    story = builtin_stories().get(scenario.slug)
    return run_create(
        content=scenario.content(),
        title=scenario.title,
        owner_key=owner,
        address=address,
        scenario=scenario,
        rate_permille=story.rate if story else 1000,
        at_ms=at_ms,
        paused=at_ms is not None,
    )


@costly("POST")
@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: HttpRequest) -> HttpResponse:
    """Start a run from pasted or edited YAML. Problems give a 422 with their lines and everything that was typed.

    With ``check`` nothing starts: the findings are shown, in all three severities.
    """
    if request.method != "POST":
        return render(request, "scenarios/new.html", {"form": NewRunForm(initial=_opening(request)), "problems": []})
    form = NewRunForm(request.POST)
    if not form.is_valid():
        return _with_problems(request, form, [])
    fields = form.cleaned_data
    checked = check_text(fields["manifest"], kubernetes=fields["kubernetes"], gates=fields["feature_gates"])
    if not checked.ok or not checked.documents or "check" in request.POST:
        report = report_of(fields["manifest"], checked, kubernetes=fields["kubernetes"], gates=fields["feature_gates"])
        return _with_problems(request, form, report_rows(report, fields["manifest"]))
    seed = fields["seed"] if fields["seed"] is not None else secrets.randbelow(1_000_000)
    content = build_content(
        checked,
        fields["manifest"],
        kubernetes=fields["kubernetes"],
        seed=seed,
        jitter=fields["jitter"],
        gates=form.gates(),
        cluster=form.cluster(),
    )
    try:
        title = title_of(checked) or _("Run from YAML")
        run = run_create(content=content, title=title, owner_key=owner_key(request), address=address_hash_of(request))
    except ServiceError as error:
        form.add_error(None, str(error))
        return _with_problems(request, form, [])
    return redirect("sim:run", run_id=run.id)


def _opening(request: HttpRequest) -> dict[str, Any]:
    """The initial content of the form: the scenario it was opened from, or one small pod."""
    opening = {"manifest": EXAMPLE, "kubernetes": OFFERED, "seed": SEED_DEFAULT, "jitter": True, "nodes": NODES_USUAL}
    scenario = scenario_get(request.GET.get("scenario", "")[:80])
    if scenario is not None:
        content = scenario.content()
        header = content.header
        opening = {
            "manifest": content.source.manifests,
            "kubernetes": header.kubernetes,
            "seed": header.seed,
            "jitter": header.jitter,
            **_cluster_fields(header.cluster),
            "phase_rules": PHASE_RULES_1_3 if header.gates.get(PHASE_GATE) else "",
            "runtime": DOCKER if header.cluster.runtime == DOCKER else "",
            "finished_pods": header.cluster.terminated_pod_gc_threshold,
            "feature_gates": ",".join(f"{name}={str(on).lower()}" for name, on in header.gates.items() if name != PHASE_GATE),
        }
    return opening


def _cluster_fields(cluster: ClusterSpec) -> dict[str, Any]:
    """The nodes of a cluster in the form's fields; the size is the first node's."""
    if not cluster.nodes:
        return {}
    return {"nodes": len(cluster.nodes), "node_size": size_text(cluster.nodes[0].capacity)}


def _with_problems(request: HttpRequest, form: NewRunForm, problems: list[dict[str, Any]]) -> HttpResponse:
    """The form again with its findings and any problems with pods from a cluster: 422, or 200 if only a check was requested."""
    lines = sorted({problem["line"] for problem in problems if problem["severity"] == ERROR})
    # The editor marks these lines before its own check has finished.
    form.fields["manifest"].widget.attrs["data-error-lines"] = ",".join(map(str, lines))
    is_sound = form.is_valid() and not lines and "check" in request.POST
    if not is_sound and not lines and not form.errors:
        form.add_error("manifest", _("There is no object in this text."))
    context = {"form": form, "problems": problems, "checked": is_sound, "troubles": trouble_rows(str(form["manifest"].value() or ""))}
    return render(request, "scenarios/new.html", context, status=200 if is_sound else 422)


EXAMPLE = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: nginx:1.27
    ports:
    - containerPort: 80
    readinessProbe:
      httpGet:
        path: /
        port: 80
      periodSeconds: 5
"""
