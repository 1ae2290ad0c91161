"""What applying a manifest to a run would do, said before it is done: a dry run on a world of its own."""

from simulator.preview.live import LiveObject, known_names, live_object
from simulator.preview.outcome import ObjectPreview, Preview
from simulator.preview.preview import preview
from simulator.preview.surroundings import surroundings_of

__all__ = ["LiveObject", "ObjectPreview", "Preview", "known_names", "live_object", "preview", "surroundings_of"]
