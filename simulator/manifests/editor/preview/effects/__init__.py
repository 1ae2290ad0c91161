"""The effects of changing an object, in sentences: rules that look at the object before and after, and at its world."""

from simulator.manifests.editor.preview.effects import configs, nodes, pods, workloads
from simulator.manifests.editor.preview.effects.effect_rules import Change, effects_of, kept_by_apply, removed
from simulator.manifests.editor.preview.effects.pods import hints_of

__all__ = ["Change", "effects_of", "hints_of", "kept_by_apply", "removed"]

_MODULES = (pods, configs, nodes, workloads)
"""Imported to register their rules."""
