"""The container of a pod that a command line means if it names none.

Source: kubectl pkg/cmd/util/podcmd/podcmd.go.
"""

from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.world.rows import PodRow
from simulator.kubectl.tables.model import Sight, at

_ANNOTATION = "kubectl.kubernetes.io/default-container"


def all_names(row: PodRow) -> list[str]:
    """The names of all containers: init, app, ephemeral."""
    spec = row.pod.spec
    return [item.name for item in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers)]


def default_container(row: PodRow, sight: Sight, said: list[str]) -> str:
    """The container named by the pod's annotation, or else the first one. If there are several, kubectl's note about the
    choice is added to ``said``."""
    spec, first = row.pod.spec, row.pod.spec.containers[0].name
    named = (
        at(pod_document(sight.world, row.key), "metadata", "annotations", _ANNOTATION) if sight.facts.default_container_annotation else None
    )
    if named in all_names(row):
        return str(named)
    if named:
        said.append(f'Default container name "{named}" not found in pod {row.name}\n')
    if len(all_names(row)) == 1:
        return first
    listed = [item.name for item in spec.containers]
    listed += [f"{item.name} (ephem)" for item in spec.ephemeral_containers]
    listed += [f"{item.name} (init)" for item in spec.init_containers]
    if sight.facts.default_container_annotation:
        said.append(f'Defaulted container "{first}" out of: {", ".join(listed)}\n')
    else:
        said.append(f"Defaulting container name to {first}.\n")
        said.append(f"Use 'kubectl describe pod/{row.name} -n {row.namespace}' to see all of the containers in this pod.\n")
    return first
