"""From CPU time to the capacity of several machines, measured on a machine with fewer processors than they would have together.

Two processors cannot demonstrate directly that four machines do four times as much. They can show what each machine had to compute for it:
every machine gets the same share of work, and its CPU time is read from its processes. The capacity of a site is limited by the busiest
machine, including the one with PostgreSQL and Redis. So the site could do

    capacity = units / CPU time of the busiest machine

units per second if each machine had one core. This is less than ``machines`` times that of one machine if work is distributed unevenly, if
a unit costs more because there are other machines, or if the coordinator is the busiest.
"""

from collections.abc import Sequence

from msgspec import Struct

BARS = {2: 1.8, 4: 3.4}
"""The minimum capacity of this many machines, as a multiple of one."""


class SharedWork(Struct, frozen=True, kw_only=True):
    """The work of several machines: the number of units, and the CPU seconds that it took each of them and the coordinator."""

    units: float
    machines_s: Sequence[float]
    coordinator_s: float

    @property
    def capacity(self) -> float:
        """Units per second if each machine, and the coordinator, had one core and nothing else to do. 0 if nothing was computed."""
        busiest_s = max(*self.machines_s, self.coordinator_s)
        return self.units / busiest_s if busiest_s else 0.0

    @property
    def evenness(self) -> float:
        """The CPU time of the average machine as a share of the busiest: 1 if all had the same."""
        busiest_s = max(self.machines_s)
        return sum(self.machines_s) / len(self.machines_s) / busiest_s if busiest_s else 1.0

    @property
    def unit_ms(self) -> float:
        """CPU time of the machines per unit, in ms."""
        return 1000 * sum(self.machines_s) / self.units if self.units else 0.0

    @property
    def coordinator_unit_ms(self) -> float:
        """CPU time of the coordinator per unit, in ms."""
        return 1000 * self.coordinator_s / self.units if self.units else 0.0

    @property
    def coordinator_share(self) -> float:
        """The coordinator's share of all CPU time."""
        whole_s = sum(self.machines_s) + self.coordinator_s
        return self.coordinator_s / whole_s if whole_s else 0.0

    @property
    def machines_a_coordinator(self) -> float:
        """How many one-core machines saturate a one-core coordinator. Infinite if it has nothing to do."""
        return sum(self.machines_s) / self.coordinator_s if self.coordinator_s else float("inf")


def shared_work(units: float, took_s: Sequence[float], coordinator_s: float, *, slowness: float) -> SharedWork:
    """The work, in seconds of a core at its initial speed. ``slowness`` is how many times as long the fixed work took meanwhile."""
    return SharedWork(units=units, machines_s=[each / slowness for each in took_s], coordinator_s=coordinator_s / slowness)


def times(work: SharedWork, alone: SharedWork) -> float:
    """The capacity of several machines as a multiple of that of one; 0 if one did nothing."""
    return work.capacity / alone.capacity if alone.capacity else 0.0
