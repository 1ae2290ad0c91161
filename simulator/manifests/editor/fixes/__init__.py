"""Quick fixes: edits that resolve a problem without touching comments and layout."""

from simulator.manifests.editor.fixes import advised, names, structure, syntax, values
from simulator.manifests.editor.fixes.fixers import FIXERS, fixes_for
from simulator.manifests.editor.fixes.page import Fix, Page, TextChange

__all__ = ["FIXERS", "TextChange", "Fix", "Page", "fixes_for"]

_MODULES = (structure, values, names, advised, syntax)
"""Imported to register their fixers."""
