"""System checks: configurations that would work today and hurt later."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, register
from django.core.checks import Warning as CheckWarning

from simulator.web import bundles


@register()
def check_hosts(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """sim.W001: any host allowed means any site may open sockets here."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [
        CheckWarning(
            "PODSCOPE_ALLOWED_HOSTS contains '*', so pages of any other site may open sockets to this one.",
            hint="List the host names that this site answers to.",
            id="sim.W001",
        )
    ]


@register()
def check_bundles(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """sim.W002: with old bundles a page loads some eighty files one by one."""
    old = bundles.stale()
    if not old:
        return []
    return [
        CheckWarning(
            f"{', '.join(old)} in static/bundles: not made of today's sources, so pages load these one by one.",
            hint="Run: make bundles",
            id="sim.W002",
        )
    ]
