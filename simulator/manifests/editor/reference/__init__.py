"""The fields of every kind by version, for completion and for the help next to the text."""

from simulator.manifests.editor.reference.kinds import KindReference, index, kind_reference

__all__ = ["KindReference", "index", "kind_reference"]
