"""The state machines, one file each. ``ALL`` is what docs, diagrams and checks walk over."""

from typing import Any

from simulator.engine.machine import Machine
from simulator.engine.machines.container import CONTAINER
from simulator.engine.machines.pod_worker import POD_WORKER
from simulator.engine.machines.sandbox import SANDBOX
from simulator.engine.machines.stop import STOP

ALL: tuple[Machine[Any], ...] = (CONTAINER, STOP, SANDBOX, POD_WORKER)
