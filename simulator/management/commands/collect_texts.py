"""List texts that stand outside Python and templates, so that makemessages finds them."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from simulator.engine.versions.patches import PATCHES
from simulator.scenarios.story import read_stories
from simulator.scenarios.tracks import TRACKS
from simulator.web.base.settings_words import version_notes
from simulator.web.presenters import js_message_sources

TARGET = Path(__file__).resolve().parents[2] / "web" / "texts.py"
HEAD = '''"""Texts of stories, scripts and version settings, for the translators. Written by ``manage.py collect_texts``; do not edit."""

# ruff: noqa: E501
# fmt: off
from django.utils.translation import gettext_noop

TEXTS = (
'''


def module_text() -> str:
    """The module with every text once, in the order of its sources."""
    texts: dict[str, None] = {}
    for track in TRACKS:
        texts.update(dict.fromkeys((track.title, track.summary)))
    for story in read_stories():
        texts.update(dict.fromkeys(story.texts()))
    texts.update(dict.fromkeys(js_message_sources().values()))
    texts.update(dict.fromkeys(version_notes()))
    texts.update(dict.fromkeys(each.reason for each in PATCHES.exceptions))
    return HEAD + "".join(f"    gettext_noop({_literal(text)}),\n" for text in texts) + ")\n"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Command(BaseCommand):
    """``manage.py collect_texts``: run by ``make messages`` before makemessages."""

    requires_system_checks = ()
    help = "Collect the texts of stories, scripts and version settings into simulator/web/texts.py."

    def add_arguments(self, parser: CommandParser) -> None:
        """``--check`` only compares."""
        parser.add_argument("--check", action="store_true", help="say whether the file is up to date, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file, or exit 1 with --check where it is out of date."""
        text = module_text()
        if options["check"]:
            if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text:
                self.stderr.write("simulator/web/texts.py is out of date: run manage.py collect_texts")
                raise SystemExit(1)
            return
        TARGET.write_text(text, encoding="utf-8")
        self.stdout.write(f"{text.count('gettext_noop(')} texts collected")
