"""From computing time to what several machines can do, on a machine with fewer processors than they would have together.

Two processors cannot show that four machines do four times as much by doing it. They can show what each machine had to compute for it:
every machine gets the same share of work, and what it needed is read from its processes. A site does as much as the machine that has
most to do lets it, be it the one with PostgreSQL and Redis. So it could do this work at

    capacity = units / computing time of the busiest machine

a second if each machine had one core. This is less than ``machines`` times that of one machine where work is dealt unevenly, where a unit
costs more because there are others, and where the coordinator has more to do than any of them.
"""

from collections.abc import Sequence

from msgspec import Struct

BARS = {2: 1.8, 4: 3.4}
"""What so many machines do at least, as a multiple of one."""


class SharedWork(Struct, frozen=True, kw_only=True):
    """What machines did together: ``units`` of it, and the computing time that it took each of them and the coordinator, in seconds."""

    units: float
    machines_s: Sequence[float]
    coordinator_s: float

    @property
    def capacity(self) -> float:
        """Units a second if each machine, and the coordinator, had one core and nothing else to do. 0 where nothing was computed."""
        busiest_s = max(*self.machines_s, self.coordinator_s)
        return self.units / busiest_s if busiest_s else 0.0

    @property
    def evenness(self) -> float:
        """What the average machine computed, as a share of what the busiest did: 1 where all had the same to do."""
        busiest_s = max(self.machines_s)
        return sum(self.machines_s) / len(self.machines_s) / busiest_s if busiest_s else 1.0

    @property
    def unit_ms(self) -> float:
        """Computing time of the machines for a unit, in ms."""
        return 1000 * sum(self.machines_s) / self.units if self.units else 0.0

    @property
    def coordinator_unit_ms(self) -> float:
        """Computing time of the coordinator for a unit, in ms."""
        return 1000 * self.coordinator_s / self.units if self.units else 0.0

    @property
    def coordinator_share(self) -> float:
        """The coordinator's part of all computing time."""
        whole_s = sum(self.machines_s) + self.coordinator_s
        return self.coordinator_s / whole_s if whole_s else 0.0

    @property
    def machines_a_coordinator(self) -> float:
        """How many machines with one core give a coordinator with one core as much to do as it can. Infinite where it has nothing to do."""
        return sum(self.machines_s) / self.coordinator_s if self.coordinator_s else float("inf")


def shared_work(units: float, took_s: Sequence[float], coordinator_s: float, *, slowness: float) -> SharedWork:
    """What was done, in seconds of a core as it was at first. ``slowness`` is how many times as long the fixed work took meanwhile."""
    return SharedWork(units=units, machines_s=[each / slowness for each in took_s], coordinator_s=coordinator_s / slowness)


def times(work: SharedWork, alone: SharedWork) -> float:
    """The capacity of several machines as a multiple of that of one; 0 where one did nothing."""
    return work.capacity / alone.capacity if alone.capacity else 0.0
