"""The components of the cluster, with what each watches: the one place that knows them all.

The order of the table is the order in which those are told who watch the same object.
"""

from simulator.engine.controllers import requeue
from simulator.engine.controllers.kubelet import intake
from simulator.engine.controllers.node import drained, monitor, pod_gc, taints
from simulator.engine.controllers.store import budgets, disruption, garbage, namespaces, protection
from simulator.engine.watch import Watches

WATCHES = Watches(
    line
    for module in (budgets, disruption, taints, requeue, drained, protection, garbage, namespaces, monitor, pod_gc, intake)
    for line in module.WATCHES
)
