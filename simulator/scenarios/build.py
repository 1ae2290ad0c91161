"""Build the content of a run from checked manifests."""

from collections.abc import Mapping

import msgspec

from simulator.engine.course.header import RunHeader
from simulator.engine.world.cluster import ClusterSpec
from simulator.manifests.check.check import Checked, check_text
from simulator.manifests.read.loader import without_passed
from simulator.manifests.script.cluster import default_cluster
from simulator.runs.log.content import Content, Source
from simulator.scenarios.story import Story

TITLE_CHARS_MAX = 80
KINDS_OF_PODS = frozenset({"Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"})
"""The kinds that a run is about; other objects accompany them."""


def build_content(
    checked: Checked,
    text: str,
    *,
    kubernetes: str,
    seed: int,
    jitter: bool,
    gates: Mapping[str, bool] | None = None,
    scenario: str = "",
    cluster: ClusterSpec | None = None,
) -> Content:
    """The beginning of a run from manifests without errors, in the default cluster unless one is given.

    The schemas of CustomResourceDefinitions are left out of the stored text.
    """
    header = RunHeader(
        kubernetes=kubernetes,
        seed=seed,
        jitter=jitter,
        gates=dict(gates or {}),
        cluster=cluster or default_cluster(),
        manifests=tuple(document.json for document in checked.documents),
        scenario=scenario,
    )
    return Content(header=header, source=Source(manifests=without_passed(text, checked.passed)))


def story_content(story: Story) -> Content:
    """The content of a built-in story. Raises ValueError if its manifest has errors."""
    checked = check_text(story.manifest, kubernetes=story.kubernetes)
    if not checked.ok:
        raise ValueError(f"{story.slug}: " + "; ".join(f"line {problem.line}: {problem.message}" for problem in checked.problems))
    return build_content(
        checked,
        story.manifest,
        kubernetes=story.kubernetes,
        seed=story.seed,
        jitter=story.jitter,
        cluster=msgspec.structs.replace(default_cluster(), images=story.cluster.images),
        scenario=story.slug,
    )


def title_of(checked: Checked) -> str:
    """A title for a run of these manifests: the names of its first objects, pods and workloads first.

    Each name appears once; if it is the only one, the kinds of its objects follow: ``shop: Deployment, Service``.
    """
    kinds: dict[str, list[str]] = {}
    for document in sorted(checked.documents, key=lambda document: document.kind not in KINDS_OF_PODS):
        kinds.setdefault(document.name, []).append(document.kind)
    names = list(filter(None, kinds))
    title = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    if len(names) == 1 and len(different := list(dict.fromkeys(kinds[names[0]]))) > 1:
        title += ": " + ", ".join(different)
    return title if len(title) <= TITLE_CHARS_MAX else title[: TITLE_CHARS_MAX - 1] + "…"
