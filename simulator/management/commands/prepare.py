"""``manage.py prepare``: everything between a fresh checkout and a site that can be served, each step only where it is needed."""

from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Migrate, load the built-in scenarios, compile translations, collect static files."""

    help = "Bring database, scenarios, translations and static files up to date."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps; each is quick where there is nothing to do."""
        call_command("compile_messages", quiet=True)
        call_command("migrate", interactive=False, verbosity=0)
        if "load_scenarios" in get_commands():
            call_command("load_scenarios", verbosity=0)
        if not settings.DEBUG:
            call_command("collectstatic", interactive=False, verbosity=0)
