"""``manage.py prepare``: everything between a fresh checkout and a site that can be served, each step only where it is needed."""

import hashlib
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand

from lifecycle_site.locks import alone_here, alone_in_database

COLLECTED = "collected.sha256"
SOURCES = ["editor-src", "bundle-src", "*.d.ts"]
"""What below static/ is for building and checking, not for browsers."""


class Command(BaseCommand):
    """Migrate, load the built-in scenarios, compile translations, collect static files. Any number of these may run at once."""

    help = "Bring database, scenarios, translations and static files up to date."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps; each is quick where there is nothing to do."""
        with alone_here(settings.DATA_DIR):
            call_command("compile_messages", quiet=True)
            with alone_in_database():
                call_command("migrate", interactive=False, verbosity=0)
                if "load_scenarios" in get_commands():
                    call_command("load_scenarios", verbosity=0, stdout=StringIO())
            if not settings.DEBUG:
                collect_static()


def collect_static() -> bool:
    """Collect static files where any was added, changed or removed since the last time; whether that was so."""
    mark = Path(settings.STATIC_ROOT) / COLLECTED
    now = _fingerprint()
    if mark.exists() and mark.read_text() == now:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=SOURCES)
    mark.write_text(now)
    return True


def _fingerprint() -> str:
    """A digest of the name, size and time of every static file."""
    found = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(SOURCES):
            status = Path(storage.path(name)).stat()
            found.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return found.hexdigest()
