"""Classes, looked up by code or leader."""

from django.db.models import CharField

from simulator.models import Classroom
from simulator.runs.log.statements import Given, Statement
from simulator.runs.permissions import hash_key


def classroom_get(code: str) -> Classroom | None:
    """The class with that code, or None. One query."""
    return _ROOMS.first(code=code)


def classrooms_get(codes: list[str]) -> list[Classroom | None]:
    """The classes with those codes, in the same order. One query."""
    rows = Classroom.objects.in_bulk(codes)
    return [rows.get(code) for code in codes]


def classroom_led(owner_key: str | None) -> Classroom | None:
    """The class that a browser leads, or None. One query."""
    return Classroom.objects.filter(owner_hash=hash_key(owner_key)).first() if owner_key else None


_ROOMS = Statement(lambda: Classroom.objects.filter(id=Given("code", CharField())))
