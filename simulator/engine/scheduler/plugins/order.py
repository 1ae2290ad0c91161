"""The plugins in the order in which the framework calls them. Source: pkg/scheduler/apis/config/v1/default_plugins.go.

NodeName is not among them: a pod created with a node never reaches the scheduler.
"""

from simulator.engine.scheduler.plugins.balanced_allocation import BALANCED_ALLOCATION
from simulator.engine.scheduler.plugins.image_locality import IMAGE_LOCALITY
from simulator.engine.scheduler.plugins.inter_pod_affinity import INTER_POD_AFFINITY
from simulator.engine.scheduler.plugins.node_affinity import NODE_AFFINITY
from simulator.engine.scheduler.plugins.node_ports import NODE_PORTS
from simulator.engine.scheduler.plugins.node_resources_fit import NODE_RESOURCES_FIT
from simulator.engine.scheduler.plugins.node_unschedulable import NODE_UNSCHEDULABLE
from simulator.engine.scheduler.plugins.node_volume_limits import AZURE_DISK_LIMITS, EBS_LIMITS, GCEPD_LIMITS, NODE_VOLUME_LIMITS
from simulator.engine.scheduler.plugins.pod_topology_spread import POD_TOPOLOGY_SPREAD
from simulator.engine.scheduler.plugins.taint_toleration import TAINT_TOLERATION
from simulator.engine.scheduler.plugins.volume_binding import VOLUME_BINDING
from simulator.engine.scheduler.plugins.volume_restrictions import VOLUME_RESTRICTIONS
from simulator.engine.scheduler.plugins.volume_zone import VOLUME_ZONE

# The order decides which reason a node is counted under: the first plugin that rejects.
FILTERS = (
    NODE_UNSCHEDULABLE,
    TAINT_TOLERATION,
    NODE_AFFINITY,
    NODE_PORTS,
    NODE_RESOURCES_FIT,
    VOLUME_RESTRICTIONS,
    EBS_LIMITS,
    GCEPD_LIMITS,
    NODE_VOLUME_LIMITS,
    AZURE_DISK_LIMITS,
    VOLUME_BINDING,
    VOLUME_ZONE,
    POD_TOPOLOGY_SPREAD,
    INTER_POD_AFFINITY,
)
SCORES = (
    TAINT_TOLERATION,
    NODE_AFFINITY,
    NODE_RESOURCES_FIT,
    POD_TOPOLOGY_SPREAD,
    INTER_POD_AFFINITY,
    BALANCED_ALLOCATION,
    IMAGE_LOCALITY,
)
