"""Family ``pod_actions``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sync.pod_actions import compute_pod_actions
from simulator.engine.model.manifest import pod_from_document
from simulator.fidelity.cases.agreement import covers_with_sets
from simulator.fidelity.cases.phases import to_sandboxes

_SETS = ("initContainersToStart", "containersToStart", "ephemeralContainersToStart", "containersToKill")


def evaluate(case: Json) -> Json:
    """What the kubelet would do, as names."""
    pod = pod_from_document(case["pod"])
    results = case.get("probeResults", {})
    actions = compute_pod_actions(
        pod.spec,
        to_sandboxes(case["sandboxes"]),
        {record.name: record for record in map(_record, case["containerStatuses"])},
        liveness=results.get("liveness", {}),
        startup=results.get("startup", {}),
        is_deleted=pod.metadata.deletion_timestamp is not None,
    )
    return {
        "killPod": actions.kill_pod,
        "createSandbox": actions.create_sandbox,
        "sandboxAttempt": actions.sandbox_attempt,
        "initContainersToStart": list(actions.init_to_start),
        "containersToStart": list(actions.to_start),
        "ephemeralContainersToStart": list(actions.ephemeral_to_start),
        "containersToKill": [kill.name for kill in actions.to_kill],
    }


def agrees(expected: Json, got: Json) -> bool:
    """Whether the answer agrees; lists of names are compared as sets."""
    return covers_with_sets(expected, got, sets=_SETS)


def _record(document: Json) -> RuntimeContainer:
    return RuntimeContainer(
        name=document["name"],
        id=document.get("id", ""),
        state=document["state"],
        exit_code=document.get("exitCode", 0),
        spec_changed=document.get("specChanged", False),
    )
