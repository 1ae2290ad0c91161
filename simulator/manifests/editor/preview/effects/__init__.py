"""What a change of an object sets going, in sentences: rules over the object before and after, and the world it lives in."""

from simulator.manifests.editor.preview.effects import configs, nodes, pods, workloads
from simulator.manifests.editor.preview.effects.effect_rules import Change, effects_of, kept_by_apply
from simulator.manifests.editor.preview.effects.pods import hints_of

__all__ = ["Change", "effects_of", "hints_of", "kept_by_apply"]

_MODULES = (pods, configs, nodes, workloads)
"""Imported for their rules."""
