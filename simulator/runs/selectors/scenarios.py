"""The gallery."""

from django.db.models import QuerySet

from simulator.models import Scenario


def scenario_list(*, tag: str = "", level: str = "") -> QuerySet[Scenario]:
    """The gallery in order; only scenarios with ``tag`` and ``level``, if given. At most two queries."""
    rows = Scenario.objects.all()
    if level:
        rows = rows.filter(level=level)
    if tag:  # SQLite cannot look into JSON lists, and a gallery is small
        rows = rows.filter(pk__in=[pk for pk, tags in Scenario.objects.values_list("pk", "tags") if tag in tags])
    return rows


def scenario_get(slug: str) -> Scenario | None:
    """The scenario with that slug, or None."""
    return Scenario.objects.filter(slug=slug).first()
