"""A container's view of its pod's user namespace, and what does not start in one."""

from typing import Any

import pytest

from tests.engine.worlds import container, header, pod, run, words

SHOWN = "cat /proc/self/uid_map /proc/1/gid_map /proc/sys/kernel/overflowuid; id -u; sleep 600"


def play(version: str = "1.33", script: str = SHOWN, **spec: Any) -> tuple[list[str], list[Any]]:
    world, records = run(header(pod(container(script), **spec), kubernetes=version), 8)
    return [line[3] for line in world.tables.logs.get(("default/p", "app"), ())], records


def test_ids_of_a_pod_with_its_own_users_are_mapped() -> None:
    assert play(hostUsers=False)[0] == ["         0      65536      65536"] * 2 + ["65534", "0"]


def test_ids_of_other_pods_are_the_nodes() -> None:
    assert play()[0] == ["         0          0 4294967295"] * 2 + ["65534", "0"]


def test_version_without_the_feature_maps_nothing() -> None:
    assert play("1.30", hostUsers=False)[0][0] == "         0          0 4294967295"


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ({"runAsUser": 70000}, "cannot set uid to unmapped user in user namespace"),
        ({"runAsGroup": 65536, "runAsUser": 1}, "cannot set gid to unmapped user in user namespace"),
        ({"fsGroup": 70000}, "setgroups: invalid argument"),
    ],
)
def test_id_without_a_place_in_the_namespace_does_not_start(context: dict[str, int], reason: str) -> None:
    lines, records = play(hostUsers=False, securityContext=context)
    told = [str(item.get("message")) for item in records if item.machine == "k8s_event" and item.target == "Failed"]
    assert lines == []
    assert told[0].endswith(f"error during container init: unable to setup user: {reason}: unknown")
    assert "RunContainerError" in words(records)


@pytest.mark.parametrize("spec", [{"hostUsers": False, "securityContext": {"runAsUser": 65535}}, {"securityContext": {"runAsUser": 70000}}])
def test_id_with_a_place_starts(spec: dict[str, Any]) -> None:
    assert words(play(**spec)[1])[-1] == "Running"
