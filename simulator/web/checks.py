"""System checks for configurations that seem to work but cause trouble later."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, register
from django.core.checks import Warning as CheckWarning

from simulator.web import bundles
from simulator.web.base.lti import lti_is_on, lti_platforms


@register()
def check_hosts(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """sim.W001: if any host is allowed, any site may open sockets here."""
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
    """sim.W002: with stale bundles, a page loads about eighty individual files."""
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


@register()
def check_lti(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """sim.W003: LTI needs its package if it is enabled; sim.W004: and a readable configuration."""
    if not settings.SIM_LTI_CONFIG:
        return []
    if not lti_is_on():
        told = "PODSCOPE_LTI_CONFIG is set, but the package PyLTI1p3 is not installed, so launches from courses answer 404."
        return [CheckWarning(told, hint="Run: pip install -r requirements-lti.txt", id="sim.W003")]
    try:
        lti_platforms()
    except Exception as error:  # the package raises all kinds of errors
        told = f"PODSCOPE_LTI_CONFIG names a file that cannot be used: {type(error).__name__}: {error}"[:300]
        return [CheckWarning(told, hint="docs/deployment.md shows what such a file looks like.", id="sim.W004")]
    return []
