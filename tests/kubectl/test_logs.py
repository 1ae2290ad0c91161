"""``kubectl logs``: its output for each instance, and the messages if there is nothing to print."""

from functools import lru_cache

import pytest

from simulator.engine import World
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.delete import DeletePod
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run

COUNTS = "i=0; while true; do i=$((i+1)); echo line $i; sleep 1; done"
DIES = "echo begin; sleep 2; echo oh no >&2; exit 3"


@lru_cache
def cluster(kubernetes: str = "1.30") -> World:
    several = pod(container("echo main; sleep 600", name="main"), container("echo side; sleep 600", name="side"), name="two")
    several["spec"]["initContainers"] = [container("echo first", name="first")]
    several["metadata"]["labels"] = {"app": "two"}
    named = pod(container("echo a; sleep 600", name="a"), container("echo b; sleep 600", name="b"), name="named")
    named["metadata"]["annotations"] = {"kubectl.kubernetes.io/default-container": "b"}
    documents = (
        pod(container(COUNTS), name="web"),
        pod(container(DIES), name="crash"),
        pod(container(image="none:1"), name="pulls"),
        pod(container(), name="gated", schedulingGates=[{"name": "example.com/hold"}]),
        {"kind": "Service", "metadata": {"name": "front"}, "spec": {"selector": {"app": "two"}, "ports": [{"port": 80}]}},
        several,
        named,
    )
    return run(header(*documents, kubernetes=kubernetes), 10)[0]


def ask(line: str, kubernetes: str = "1.30") -> list[str]:
    return kubectl(cluster(kubernetes), line, now_ms=10_000).splitlines()


def test_log_is_what_the_container_has_printed_by_the_moment() -> None:
    assert ask("logs web") == [f"line {n}" for n in range(1, 11)]


def test_following_shows_as_much_as_there_is_yet() -> None:
    assert ask("logs -f web") == ask("logs web") == ask("logs pod/web --follow")


def test_earlier_moment_shows_less() -> None:
    assert kubectl(cluster(), "logs web", now_ms=4_000).splitlines() == ask("logs web")[: -len(ask("logs web --since=6s"))]


def test_tail_and_since_take_the_newest() -> None:
    lines = ask("logs web")
    assert ask("logs web --tail=2") == lines[-2:]
    assert ask("logs web --tail 0") == []
    assert ask("logs web --since=3s") == lines[-3:]
    assert ask("logs web --tail=2 --since=1h") == lines[-2:]
    assert ask("logs web --since-time=2026-01-01T00:00:07Z") == lines[-3:]


def test_timestamps_are_the_runtimes_to_nanoseconds() -> None:
    assert ask("logs web --tail=1 --timestamps")[0].startswith("2026-01-01T00:00:09.") and ask("logs web --tail=1 --timestamps")[0].count(
        "000000Z line"
    )


def test_container_that_waits_shows_the_instance_that_ended() -> None:
    assert ask("logs crash") == ["begin", "oh no"]


def test_previous_is_the_last_one_that_ended() -> None:
    world, _ = run(header(pod(container("echo $(( $(cat /data/n 2>/dev/null || echo 0) + 1 )) | tee /data/n; sleep 4; exit 1",
        volumeMounts=[{"name": "v", "mountPath": "/data"}]), volumes=[{"name": "v", "emptyDir": {}}])), 8)  # fmt: skip
    assert (kubectl(world, "logs p"), kubectl(world, "logs p --previous"), kubectl(world, "logs p -p")) == ("2\n", "1\n", "1\n")


def test_selector_takes_ten_lines_of_each_with_the_prefix_asked_for() -> None:
    assert ask("logs -l app=two --all-containers --prefix") == ["[pod/two/first] first", "[pod/two/main] main", "[pod/two/side] side"]
    assert ask("logs -l app=none") == ["No resources found in default namespace."]


def test_first_of_several_containers_is_taken_and_said() -> None:
    assert ask("logs two") == ['Defaulted container "main" out of: main, side, first (init)', "main"]
    assert ask("logs two -c first") == ask("logs two first") == ["first"]


def test_what_can_be_read_stands_before_what_cannot() -> None:
    mixed = pod(container(image="none:1"), initContainers=[container("echo first", name="first")])
    world, _ = run(header(mixed), 5)
    read, refused = kubectl(world, "logs p --all-containers").splitlines()
    assert read == "first" and refused.startswith("Error from server (BadRequest): container")


def test_annotation_names_the_container() -> None:
    assert ask("logs named") == ["b"]


def test_old_client_asks_for_a_name() -> None:
    assert ask("logs two", "1.23") == [
        "error: a container name must be specified for pod two, choose one of: [main side] or one of the init containers: [first]"
    ]


def test_log_of_what_selects_pods_is_that_of_one() -> None:
    assert ask("logs svc/front -c side") == ["side"]


def test_pod_without_a_node_has_an_empty_log() -> None:
    assert ask("logs gated") == []


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("logs", "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'."),
        ("logs x", 'error: error from server (NotFound): pods "x" not found in namespace "default"'),
        ("logs web -p", 'Error from server (BadRequest): previous terminated container "app" in pod "web" not found'),
        (
            "logs pulls",
            'Error from server (BadRequest): container "app" in pod "pulls" is waiting to start: image can\'t be pulled',
        ),
        ("logs web -c none", "error: container none is not valid for pod web"),
        ("logs web -l app=x", "error: only a selector (-l) or a POD name is allowed"),
        ("logs two main -c side", "error: only one of -c or an inline [CONTAINER] arg is allowed"),
        ("logs web --tail=x", 'error: invalid argument "x" for "--tail" flag: strconv.ParseInt: parsing "x": invalid syntax'),
        ("logs web --tail=-2", "error: --tail must be greater than or equal to -1"),
        ("logs web --since=soon", 'error: invalid argument "soon" for "--since" flag: time: invalid duration "soon"'),
        ("logs web -w", "error: unknown shorthand flag: 'w' in -w"),
        ("get pods -f", "error: flag needs an argument: 'f' in -f"),
    ],
)
def test_what_cannot_be_answered_is_said_as_kubectl_does(line: str, answer: str) -> None:
    assert ask(line)[0] == answer


def test_older_client_names_no_namespace() -> None:
    assert ask("logs x", "1.28") == ['Error from server (NotFound): pods "x" not found']


def test_container_that_is_being_made_has_no_log_yet() -> None:
    world, _ = run(header(pod(container())), 0.3)
    assert kubectl(world, "logs p") == 'Error from server (BadRequest): container "app" in pod "p" is waiting to start: ContainerCreating\n'


def test_kubelet_that_is_stopped_cannot_be_asked() -> None:
    world, _ = run(header(pod(container())), 6, (5, NodeControl(node="node1", kubelet="stop")))
    url = "https://10.0.0.10:10250/containerLogs/default/p/app?tailLines=3"
    assert kubectl(world, "logs p --tail=3").startswith(f'Error from server: Get "{url}": dial tcp') and "connection refused" in kubectl(
        world, "logs p"
    )


def test_ghost_has_no_name_to_ask_for() -> None:
    world, _ = run(header(pod(container("trap '' TERM; echo a; sleep 600"))), 6, (5, DeletePod(target="default/p", force=True)))
    assert "not found" in kubectl(world, "logs p")
