"""List translatable texts outside Python code and templates, so that makemessages finds them."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from simulator.web.base.outside_texts import outside_texts

TARGET = Path(__file__).resolve().parents[2] / "web" / "texts.py"
HEAD = '''"""Texts of stories, scripts and version settings, for the translators. Written by ``manage.py collect_texts``; not committed."""

# ruff: noqa: E501
# fmt: off
from django.utils.translation import gettext_noop

TEXTS = (
'''


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Command(BaseCommand):
    """``manage.py collect_texts``: run by ``make messages`` before makemessages, and with ``--clear`` after it."""

    requires_system_checks = ()
    help = "Collect the texts of stories, scripts and version settings into simulator/web/texts.py, where makemessages finds them."

    def add_arguments(self, parser: CommandParser) -> None:
        """``--clear`` removes the file."""
        parser.add_argument("--clear", action="store_true", help="remove the file again")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file, or remove it."""
        if options["clear"]:
            TARGET.unlink(missing_ok=True)
            return
        texts = outside_texts()
        TARGET.write_text(HEAD + "".join(f"    gettext_noop({_literal(text)}),\n" for text in texts) + ")\n", encoding="utf-8")
        self.stdout.write(f"{len(texts)} texts collected")
