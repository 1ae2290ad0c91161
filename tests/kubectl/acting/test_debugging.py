"""``kubectl debug``: copies of pods, pods on nodes, and the messages on attaching."""

import json

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

PROMPT = "If you don't see a command prompt, try pressing enter.\n"


def session(kubernetes: str) -> Session:
    """A running pod on one node."""
    world, records = run(header(pod(container()), kubernetes=kubernetes), 5)
    return Session(world, records, now_ms=5_000)


def test_a_copy_has_the_other_containers_and_none_of_the_labels():
    asked = session("1.30")
    asked.ask("label pod p app=web")
    said = asked.ask("debug p --image=busybox:1.28 --copy-to=q -c look -- sleep 1000")
    asked.ask("wait --for=condition=Ready pod/q --timeout=30s")
    assert said == "" and asked.ask("get pod q --show-labels --no-headers").split()[1:3] == ["2/2", "Running"]
    assert asked.ask("get pod q -o jsonpath='{.metadata.labels}{.spec.containers[*].name}'") == "app look"


def test_a_copy_may_have_other_images():
    asked = session("1.30")
    asked.ask("debug p --copy-to=q --set-image=app=nginx:1.16.1")
    assert asked.ask("get pod q -o jsonpath='{.spec.containers[*].image}'") == "nginx:1.16.1"
    assert asked.ask("debug p --copy-to=r -c new") == "error: you must specify image when creating new container\n"


def test_a_node_is_looked_at_from_a_pod_on_it():
    asked = session("1.30")
    said = asked.ask("debug node/node1 --image=busybox:1.28 -- sleep 100").split()
    assert said[:3] == ["Creating", "debugging", "pod"] and said[3].startswith("node-debugger-node1-")
    assert asked.ask(f"get pod {said[3]} -o jsonpath='{{.spec.nodeName}} {{.spec.hostPID}}'") == "node1 true"
    assert asked.ask("debug node/nope --image=busybox:1.28") == 'Error from server (NotFound): nodes "nope" not found\n'


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.20", PROMPT),
        (
            "1.32",
            "--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a profile, "
            f'for example "--profile=general".\n{PROMPT}',
        ),
        (
            "1.36",
            "All commands and output from this session will be recorded in container logs, including credentials and sensitive "
            f"information passed through the command prompt.\n{PROMPT}",
        ),
    ],
)
def test_attaching_is_reported_in_the_words_of_the_version(kubernetes, said):
    assert session(kubernetes).ask("debug p -it=false --image=busybox:1.28 --copy-to=q -c look -- sleep 9") == said


def test_a_copy_that_brings_its_token_along_gets_no_second_one():
    """As made by kubectl 1.20: the whole spec of the pod with one additional container."""
    asked = session("1.20")
    copy = json.loads(asked.ask("get pod p -o json"))
    copy = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q"}, "spec": {**copy["spec"], "nodeName": ""}}
    copy["spec"]["containers"].append({"name": "look", "image": "busybox:1.28"})
    assert asked.ask(f"create -f - <<'EOF'\n{json.dumps(copy)}\nEOF") == "pod/q created\n"
    mounts = asked.ask("get pod q -o jsonpath='{.spec.containers[*].volumeMounts[*].name} {.spec.volumes[*].name}'").split()
    assert len(mounts) == 3 and len(set(mounts)) == 1


@pytest.mark.parametrize(
    ("flags", "image", "command", "args"),
    [
        ("-c app -- sleep 2d", "busybox:1.28", ["sleep", "2d"], None),
        ("--image=busybox:1.36 -c app", "busybox:1.36", ["sleep"], ["1d"]),
        ("--image=busybox:1.36 -c app -- sleep 2d", "busybox:1.36", ["sleep", "2d"], None),
        ("--set-image=*=busybox:1.36 -c app", "busybox:1.36", ["sleep"], ["1d"]),
    ],
)
def test_a_command_for_a_container_of_the_copy_replaces_its_arguments_too(flags, image, command, args):
    app = {"name": "app", "image": "busybox:1.28", "command": ["sleep"], "args": ["1d"]}
    asked = Session(*run(header(pod(app), kubernetes="1.30"), 5), now_ms=5_000)
    asked.ask(f"debug p --copy-to=q {flags}")
    (found,) = json.loads(asked.ask("get pod q -o json"))["spec"]["containers"]
    assert (found["name"], found["image"], found["command"], found.get("args")) == ("app", image, command, args)
