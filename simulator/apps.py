"""The simulator's Django app."""

from django.apps import AppConfig


class SimulatorConfig(AppConfig):
    """Registers the system checks. Starts nothing: background work belongs to ``serve`` and ``runner`` only."""

    name = "simulator"
    verbose_name = "Podscope"

    def ready(self) -> None:
        """Register the checks."""
        from simulator.web import checks  # noqa: F401
