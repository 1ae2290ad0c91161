"""Remedies for pages: texts in the reader's language, command lines, and the button that does the same in a run."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from simulator.manifests.documentation import docs_link
from simulator.remedies.remedy import NextStep, Remedy
from simulator.remedies.trouble import Trouble, examined

ACT_NAMES = {
    "apply": gettext_lazy("Apply"),
    "autoscale": gettext_lazy("Autoscale"),
    "cordon": gettext_lazy("Cordon"),
    "delete_node": gettext_lazy("Delete node object"),
    "delete_pod": gettext_lazy("Delete pod"),
    "drain": gettext_lazy("Drain"),
    "exec": gettext_lazy("Run command"),
    "join_node": gettext_lazy("Join another machine"),
    "label_node": gettext_lazy("Set label"),
    "node": gettext_lazy("Start kubelet"),
    "patch": gettext_lazy("Edit YAML"),
    "patch_pod": gettext_lazy("Edit YAML"),
    "remove_scheduling_gates": gettext_lazy("Remove scheduling gates"),
    "resize_pod": gettext_lazy("Resize container"),
    "rollout_undo": gettext_lazy("Undo rollout"),
    "scale": gettext_lazy("Scale"),
    "set_image": gettext_lazy("Make image available"),
    "set_pod_image": gettext_lazy("Change image"),
    "taint": gettext_lazy("Set taint"),
    "uncordon": gettext_lazy("Uncordon"),
}
"""The button labels of the acts that remedies name."""


def remedy_row(remedy: Remedy) -> dict[str, Any]:
    """A remedy for a template: causes, what to look at and steps, in order."""
    return {
        "anchor": remedy.anchor,
        "causes": [_(cause.text) for cause in remedy.causes],
        "look": [{"text": _(look.text), "line": look.line} for look in remedy.look],
        "steps": [step_row(step) for step in remedy.steps],
        "doc": docs_link(remedy.doc),
    }


def step_row(step: NextStep) -> dict[str, Any]:
    """A step for a template: its text, its command line, and the name of the act in a run (empty if there is none)."""
    act = "uncordon" if step.act == "cordon" and "uncordon" in step.line else step.act
    return {"text": _(step.text), "line": step.line, "act": str(ACT_NAMES.get(act, ""))}


def trouble_row(trouble: Trouble) -> dict[str, Any]:
    """A problem with a pod, for a template."""
    place = f"{trouble.namespace}/{trouble.pod}"
    return {
        "pod": f"{place} · {trouble.container}" if trouble.container else place,
        "word": trouble.word,
        "cause": _(trouble.cause.text),
        "is_shown": trouble.is_shown,
        "quotes": trouble.quotes,
        "step": step_row(trouble.step),
        "look": {"text": _(trouble.look.text), "line": trouble.look.line},
        "anchor": trouble.remedy.anchor,
        "help_word": trouble.remedy.word,
    }


def trouble_rows(text: str) -> list[dict[str, Any]]:
    """The problems with the pods in a text, for a template; empty if it contains no pods from a cluster."""
    return [trouble_row(trouble) for trouble in examined(text).troubles]
