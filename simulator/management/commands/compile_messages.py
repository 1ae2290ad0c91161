"""``manage.py compile_messages``: write the .mo files of the site's languages if the .po file is newer. Does not need GNU gettext."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lifecycle_site.catalogs import compile_catalog


class Command(BaseCommand):
    """Compile every catalog below LOCALE_PATHS that is out of date."""

    help = "Compile translations where they are out of date."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """``--quiet`` prints nothing."""
        parser.add_argument("--quiet", action="store_true", help="print nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the catalogs that changed."""
        for folder in settings.LOCALE_PATHS:
            for source in sorted(Path(folder).glob("*/LC_MESSAGES/*.po")):
                if _compile(source) and not options["quiet"]:
                    self.stdout.write(f"Compiled {source.relative_to(folder)}")


def _compile(source: Path) -> bool:
    target = source.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return False
    draft = target.with_suffix(f".{os.getpid()}.mo")  # a server that starts now must not read a partial file
    try:
        draft.write_bytes(compile_catalog(source))
        draft.replace(target)
    except SyntaxError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}. Run this as the user who owns the program's files.") from None
    return True
