"""The table of each kind.

Columns are in the server's order; a column that moved appears twice in its table, with two version ranges.
"""

from simulator.kubectl.tables import cluster, events, named, stored, workloads
from simulator.kubectl.tables.model import AGE, NAME, Column

TABLES: dict[str, tuple[Column, ...]] = {
    "Pod": workloads.PODS,
    "Deployment": workloads.DEPLOYMENTS,
    "ReplicaSet": workloads.REPLICA_SETS,
    "StatefulSet": workloads.STATEFUL_SETS,
    "DaemonSet": workloads.DAEMON_SETS,
    "ControllerRevision": workloads.REVISIONS,
    "Job": workloads.JOBS,
    "CronJob": workloads.CRON_JOBS,
    "HorizontalPodAutoscaler": workloads.AUTOSCALERS,
    "PodDisruptionBudget": workloads.BUDGETS,
    "Node": cluster.NODES,
    "Namespace": cluster.NAMESPACES,
    "PriorityClass": cluster.PRIORITY_CLASSES,
    "RuntimeClass": cluster.RUNTIME_CLASSES,
    "StorageClass": cluster.STORAGE_CLASSES,
    "Lease": cluster.LEASES,
    "CSINode": cluster.CSI_NODES,
    "ServiceAccount": cluster.SERVICE_ACCOUNTS,
    "LimitRange": cluster.LIMIT_RANGES,
    "ResourceQuota": cluster.RESOURCE_QUOTAS,
    "ConfigMap": stored.CONFIG_MAPS,
    "Secret": stored.SECRETS,
    "PersistentVolumeClaim": stored.CLAIMS,
    "PersistentVolume": stored.VOLUMES,
    "Service": stored.SERVICES,
    "EndpointSlice": stored.SLICES,
    "Endpoints": stored.ENDPOINTS,
    "Event": events.EVENTS,
    "ComponentStatus": named.COMPONENTS,
    "Ingress": named.INGRESSES,
    "IngressClass": named.INGRESS_CLASSES,
    "NetworkPolicy": named.NETWORK_POLICIES,
    "Role": named.CREATED,
    "ClusterRole": named.CREATED,
    "RoleBinding": named.BINDINGS,
    "ClusterRoleBinding": named.BINDINGS,
    "CustomResourceDefinition": named.CREATED,
    "ReplicationController": named.REPLICATION_CONTROLLERS,
}


def columns_of(kind: str, minor: int, *, wide: bool) -> tuple[Column, ...]:
    """The columns that a version prints for a kind; name and age for kinds without a table."""
    return tuple(column for column in TABLES.get(kind, (NAME, AGE)) if column.shows(minor, wide=wide))
