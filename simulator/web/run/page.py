"""The data of a run's page before its scripts take over: for the run's own page, a link's, a frame and the landing page.

Everything is computed on the server, so that the page shows the same without scripts; the scripts continue from
``clock_json``, the socket's URL and the first panels.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.engine.past.document import past_of
from simulator.models import Run, SharedScenario
from simulator.runs.log.clock import coming
from simulator.runs.permissions import OWNER, role_for
from simulator.runs.selectors.records import milestones
from simulator.runs.selectors.runs import BranchRow, run_branches, run_clock, run_waits
from simulator.runs.turns.allowance import StillComputing
from simulator.runs.turns.constants import ASK_AGAIN_S
from simulator.runs.wire.protocol import Clock
from simulator.web.base.common import LABELS, Context, Moment
from simulator.web.base.rules import rule_texts_url
from simulator.web.base.stories import StoryText, builtin_story, story_text
from simulator.web.pictures.previews import PagePreview, run_preview
from simulator.web.presenters import clock_text, computing_text, said, wait_text
from simulator.web.run.attempts import attempts_of_tree
from simulator.web.run.frozen import KeptPanel, kept_panel
from simulator.web.run.kept import kept_facts
from simulator.web.run.level_card import LevelCard, level_card, story_asks
from simulator.web.run.moves import later_context, move_context
from simulator.web.run.panels import panel_or_progress
from simulator.web.run.refused import refused_facts
from simulator.web.run.scenes import PanelScene, scene_or_before

SPEEDS = ((250, "0.25×"), (500, "0.5×"), (1000, "1×"), (4000, "4×"), (16_000, "16×"), (60_000, "60×"), (600_000, "600×"))
MILESTONES_MAX = 300


@dataclass(frozen=True)
class DrawnPanel:
    """A panel's template and its ``panel`` context; or ``kept`` instead of both if the panel is cached."""

    template: str = ""
    context: Context = field(default_factory=dict)
    kept: KeptPanel | None = None

    @cached_property
    def html(self) -> SafeString:
        """The cached HTML; empty if it has to be rendered. Use it only if it is shown, because getting a token sets a cookie."""
        return self.kept.html() if self.kept is not None else mark_safe("")


@dataclass(frozen=True)
class BranchItem:
    """A branch of the tree with its name; ``is_dated``: the name includes the moment at which it begins."""

    row: BranchRow
    label: str
    is_dated: bool = False


@dataclass(frozen=True)
class TabLink:
    """A tab of the drawer; ``href`` is the moment with that tab open."""

    name: str
    label: str | Promise
    href: str


@dataclass(frozen=True)
class MilestoneLink:
    """A moment in the list that replaces the timeline without scripts."""

    at_ms: Ms
    subject: Subject
    target: str
    href: str


@dataclass(frozen=True)
class AssumedPast:
    """When an imported past ends, and the assumptions about its containers from then on, by name."""

    clock: str
    assumed: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """A run at the moment in the URL, or live. Templates have it as ``page``, in addition to the context of all panels.

    ``share`` is the link through which it was opened. ``computing``: how far the run has been computed, and the moment it is on its way to.
    ``wait`` says why it stands still; ``is_unanswered``: an act was just given, and has not been carried out yet.
    """

    run: Run
    share: SharedScenario | None
    moment: Moment
    scene: PanelScene
    clock: Clock
    computing: tuple[Ms, Ms] | None
    wait: str
    is_unanswered: bool
    kept: Context | None
    refused: Context
    preview: PagePreview
    branches: Sequence[BranchItem]
    moved: Context | None
    later: Context | None
    story: StoryText | None
    level: LevelCard | None
    asks: str
    milestones: Sequence[MilestoneLink]
    inspector: DrawnPanel
    drawer: DrawnPanel
    speeds = SPEEDS
    ask_again_s = ASK_AGAIN_S

    def context(self, **more: Any) -> Context:
        """The context for the page's templates."""
        return {"page": self, "moment": self.moment, **self.scene.frame(), **more}

    @property
    def header(self) -> RunHeader:
        """What the run starts from."""
        return self.scene.header

    @property
    def shown_seq(self) -> Seq:
        """The number of the last record at the moment shown."""
        return self.scene.seq

    @property
    def clock_json(self) -> str:
        """The clock as the socket sends it."""
        return msgspec.json.encode(self.clock).decode()

    @property
    def socket(self) -> str:
        """The URL of the run's socket; empty if nothing more will happen."""
        return "" if self.run.is_frozen else f"/ws/run/{self.run.id}/"

    @property
    def loads(self) -> str:
        """The Services that get requests, separated by spaces."""
        return " ".join(self.scene.loads)

    @property
    def manifest(self) -> str:
        """The text that the run was made from; empty if there was none."""
        return self.run.content().source.manifests

    @property
    def imported(self) -> AssumedPast | None:
        """The facts about an imported past; None for other runs."""
        past = past_of(self.header)
        if past is None:
            return None
        return AssumedPast(clock_text(past.resume_ms), [(subject.removeprefix("container/"), text) for subject, text in past.assumed])

    @property
    def parent_url(self) -> str:
        """The URL of the parent's records; empty if the run is not a branch, or belongs to a link."""
        return reverse("sim:run-records", args=[self.run.parent_id]) if self.run.parent_id and not self.run.is_frozen else ""

    @property
    def rules_url(self) -> str:
        """The URL of the rules' sentences in the reader's language."""
        return rule_texts_url()

    @property
    def branch_path(self) -> list[str]:
        """The names from the root to the current branch."""
        labels = {item.row.run_id: (item.row.parent_id, item.label) for item in self.branches}
        found: list[str] = []
        at = next((item.row.run_id for item in self.branches if item.row.is_current), None)
        while at in labels:
            at, label = labels[at]
            found.insert(0, label)
        return found

    @property
    def tabs(self) -> list[TabLink]:
        """The tabs of the drawer, in order."""
        shown = self.moment
        at = {"t_ms": shown.t_ms, "sel": shown.sel, "rec": shown.rec, "line": shown.line, "did": shown.did, "namespace": shown.namespace}
        return [TabLink(tab, label, Moment(**at, tab=tab).query() or "?tab=why") for tab, label in LABELS.items()]  # type: ignore[arg-type]


def run_page(request: HttpRequest, run: Run, moment: Moment, share: SharedScenario | None = None) -> RunPage:
    """The page of a run at a moment; ``share`` is the link through which it was opened. One seek.

    Plays as much as one request may: for a moment further on, it shows what the log has, and how far that has got (``computing``).
    """
    scene = _scene(request, run, moment)
    clock = run_clock(run)
    drawer, inspector = (_panel(request, tab, scene, moment) for tab in (moment.tab, "inspector"))
    computing = scene.computing or coming(run)
    return RunPage(
        run=run,
        share=share,
        moment=moment,
        scene=scene,
        clock=clock,
        computing=computing,
        wait=_wait(run, scene, computing),
        is_unanswered=moment.t_ms is None and run_waits(run),
        kept=kept_facts(run, share),
        refused=refused_facts(run),
        preview=run_preview(request, run, moment, scene.now_ms, share.id if share else ""),
        branches=[] if run.is_frozen else _branches(run),
        moved=move_context(run),
        later=later_context(run),
        story=story_text(run.scenario) if run.scenario else None,
        level=level_card(run, is_owner=role_for(request, run) == OWNER),
        asks=_asks(run),
        milestones=_milestones(run),
        inspector=inspector,
        drawer=drawer,
    )


def _panel(request: HttpRequest, tab: str, scene: PanelScene, moment: Moment) -> DrawnPanel:
    try:
        kept = kept_panel(request, tab, scene, moment)
    except StillComputing:
        kept = None
    return DrawnPanel(*panel_or_progress(tab, scene)) if kept is None else DrawnPanel(kept=kept)


def _branches(run: Run) -> list[BranchItem]:
    rows = run_branches(run)
    return branch_items(rows, attempts_of_tree(run, rows))


def _scene(request: HttpRequest, run: Run, moment: Moment) -> PanelScene:
    return scene_or_before(
        run,
        t_ms=moment.t_ms,
        asked_ms=run.head_ms if moment.t_ms is None else moment.t_ms,
        sel=moment.sel,
        rec=moment.rec,
        role=role_for(request, run),
        is_live=moment.t_ms is None,
        line=moment.line,
        did=moment.did,
        namespace=moment.namespace,
        part=moment.part,
        pin_ms=moment.pin_ms,
        noise=moment.noise,
    )


def _wait(run: Run, scene: PanelScene, computing: tuple[Ms, Ms] | None) -> str:
    """What the page is waiting for: the requested moment, a place for the run, or the run reaching its clock."""
    if run.wait and run.wait.reason != "opening" and not scene.computing:
        return wait_text(run.wait)
    return computing_text(*computing) if computing else ""


def branch_items(rows: Sequence[BranchRow], attempts: Mapping[UUID, str] | None = None) -> list[BranchItem]:
    """The branches of a tree, with unique names.

    ``attempts``: the names of attempts at a level, by run; the first act is added to the name, except for a solution's.

    A branch is named after the first act in it. If several have the same name, the moment at which each begins is added, and those of
    the same moment are numbered. A branch without acts is named after its moment, and the root is "main".
    """
    acts = [said(sentence_of(ACTS.of(row.first), row.first)) if row.first is not None else "" for row in rows]
    shared = Counter(acts)
    known: Counter[str] = Counter()
    items: list[BranchItem] = []
    for row, act in zip(rows, acts, strict=True):
        moment = _("main") if row.parent_ms is None else _("from %(time)s") % {"time": clock_text(row.parent_ms)}
        is_dated = not act or (shared[act] > 1 and row.parent_ms is not None)
        if attempt := (attempts or {}).get(row.run_id, ""):
            is_dated, name = False, attempt if attempt == row.title else " · ".join(filter(None, (attempt, act)))
        else:
            name = " · ".join(filter(None, (act, moment if is_dated else "")))
        known[name] += 1
        items.append(BranchItem(row, name if known[name] == 1 else f"{name} ({known[name]})", is_dated))
    return items


def _asks(run: Run) -> str:
    """The predictions of the run's story, which its owner is asked."""
    story = builtin_story(run.scenario) if run.scenario and not run.is_frozen else None
    return story_asks(run, story) if story else ""


def _milestones(run: Run) -> list[MilestoneLink]:
    return [
        MilestoneLink(row.at_ms, row.subject, row.target, Moment(t_ms=row.at_ms, sel=row.subject, rec=row.seq).query())
        for row in milestones(run, limit=MILESTONES_MAX)
    ]
