"""The names of time zones: ``Europe/Berlin``, ``UTC``."""

from functools import lru_cache
from importlib.resources import files

_NO_AREA = "-"


@lru_cache(maxsize=1)
def time_zones() -> frozenset[str]:
    """All names of ``engine/data/timezones.txt``, in which a line that is not indented begins with its area."""
    text = files("simulator.engine").joinpath("data/timezones.txt").read_text(encoding="utf-8")
    found: set[str] = set()
    area = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        names = line.split()
        if not line.startswith(" "):
            area = names.pop(0).removeprefix(_NO_AREA)
        found.update(area + name for name in names)
    return frozenset(found)
