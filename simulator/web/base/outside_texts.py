"""Translatable texts outside Python code and templates."""

from simulator.engine.versions.patches import PATCHES
from simulator.levels.reading import built_in_levels
from simulator.scenarios.story import read_stories
from simulator.scenarios.tracks import TRACKS
from simulator.web.base.settings_words import version_notes
from simulator.web.presenters import js_message_sources


def outside_texts() -> list[str]:
    """The texts of stories, levels, scripts and version settings, without duplicates, in the order of their sources."""
    texts: dict[str, None] = {}
    for track in TRACKS:
        texts.update(dict.fromkeys((track.title, track.summary)))
    for story in read_stories():
        texts.update(dict.fromkeys(story.texts()))
    for level in built_in_levels():
        texts.update(dict.fromkeys(level.texts()))
    texts.update(dict.fromkeys(js_message_sources().values()))
    texts.update(dict.fromkeys(version_notes()))
    texts.update(dict.fromkeys(each.reason for each in PATCHES.exceptions))
    return list(texts)
