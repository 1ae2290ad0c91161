"""``manage.py prepare``: everything between a fresh checkout and a site that can be served, each step only if necessary."""

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand

from lifecycle_site.collected import collect_static
from lifecycle_site.locks import alone_here, alone_in_database


class Command(BaseCommand):
    """Migrate, load the built-in scenarios, compile translations, collect static files. Several may run at once.

    If one is killed, the next one, or the next server, finishes its work.
    """

    help = "Bring database, scenarios, translations and static files up to date."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps; each is quick if there is nothing to do."""
        with alone_here(settings.DATA_DIR):
            call_command("compile_messages", quiet=True)
            with alone_in_database():
                call_command("migrate", interactive=False, verbosity=0)
                if "load_scenarios" in get_commands():
                    call_command("load_scenarios", verbosity=0, stdout=StringIO())
            if not settings.DEBUG:
                collect_static()
