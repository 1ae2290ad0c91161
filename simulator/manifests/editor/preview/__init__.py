"""What applying a manifest to a run would do, shown before it is done: a dry run on a separate world."""

from simulator.manifests.editor.preview.live import LiveObject, known_names, live_object
from simulator.manifests.editor.preview.outcome import ObjectPreview, Preview
from simulator.manifests.editor.preview.preview import preview
from simulator.manifests.editor.preview.surroundings import surroundings_of

__all__ = ["LiveObject", "ObjectPreview", "Preview", "known_names", "live_object", "preview", "surroundings_of"]
