"""kubectl config: the context of a run, and the namespace that set-context gives it for later lines."""

import pytest

from simulator.headless.session import Session
from simulator.kubectl.acting.verbs import action_of
from simulator.kubectl.context import chosen_by
from simulator.kubectl.kubectl import answered, kubectl
from tests.engine.worlds import container, header, pod, run

CURRENT = "config set-context --current"
SHORTHAND = "error: unknown shorthand flag: 'n' in -n\nSee 'kubectl config set-context --help' for usage.\n"


def begun(kubernetes="1.33"):
    there = pod(container(), name="there")
    there["metadata"]["namespace"] = "team"
    return run(header(pod(container(), name="here"), there, kubernetes=kubernetes), 5)


@pytest.fixture(scope="module")
def worlds():
    return {minor: begun(f"1.{minor}")[0] for minor in (20, 33, 37)}


@pytest.mark.parametrize(
    ("minor", "line", "printed", "exit_code"),
    [
        (20, f"{CURRENT} --namespace=team", 'Context "podscope" modified.\n', 0),
        (33, f"{CURRENT} --namespace team", 'Context "podscope" modified.\n', 0),
        (37, f"{CURRENT} -n team", 'Context "podscope" modified.\n', 0),
        (33, f"{CURRENT} -n team", SHORTHAND, 1),
        (20, f"{CURRENT} -n team", SHORTHAND.replace("error", "Error", 1), 1),
        (33, "config set-context podscope --namespace=team", 'Context "podscope" modified.\n', 0),
        (33, f"{CURRENT} --cluster=podscope --user=podscope", 'Context "podscope" modified.\n', 0),
        (33, CURRENT, 'Context "podscope" modified.\n', 0),
        (33, "config set-context", "error: you must specify a non-empty context name or --current\n", 1),
        (33, f"{CURRENT} podscope --namespace=team", "error: you cannot specify both a context name and --current\n", 1),
        (33, f"{CURRENT} --namespace=No_name", 'error: "No_name" is not a name that a namespace can have\n', 1),
        (33, f"{CURRENT} --foo", "error: unknown flag: --foo\nSee 'kubectl config set-context --help' for usage.\n", 1),
        (33, "config set-context a b", "error: Unexpected args: [a b]\n", 1),
        (33, "config use-context podscope", 'Switched to context "podscope".\n', 0),
        (33, "config use podscope", 'Switched to context "podscope".\n', 0),
    ],
)
def test_what_is_printed(worlds, minor, line, printed, exit_code):
    found = answered(worlds[minor], line)
    assert (found.text, found.exit_code) == (printed, exit_code)


@pytest.mark.parametrize(
    ("line", "namespace"),
    [
        (f"{CURRENT} --namespace=team", "team"),
        (f"kubectl {CURRENT} --namespace=team", "team"),
        (f"k {CURRENT} --namespace team", "team"),
        (f"{CURRENT} --namespace=", "default"),
        (CURRENT, ""),
        (f"{CURRENT} -n team", ""),
        (f"{CURRENT} --namespace=team --help", ""),
        (f"{CURRENT} podscope --namespace=team", ""),
        (f"{CURRENT} --namespace=No_name", ""),
        (f"{CURRENT} --namespace={'a' * 64}", ""),
        ("config view --namespace=team", ""),
        ("get pods -n team", ""),
        ("config 'set-context", ""),
    ],
)
def test_only_a_line_that_is_not_refused_chooses_a_namespace(line, namespace):
    assert chosen_by(line, 33) == namespace


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("get pods -o name", "pod/there\n"),
        ("get pods -o name -n default", "pod/here\n"),
        ("get pods -A --no-headers -o name | wc -l", "2\n"),
        ("get pod here", 'Error from server (NotFound): pods "here" not found\n'),
        ("config view --minify -o jsonpath='{..namespace}'", "team"),
        ("config view --minify | grep namespace", "    namespace: team\n"),
        ("config get-contexts --no-headers", "*     podscope   podscope   podscope   team\n"),
        ("config get-contexts -n other --no-headers", "*     podscope   podscope   podscope   team\n"),
        ("describe pod there | head -2", "Name:             there\nNamespace:        team\n"),
        ("delete pod there --dry-run=client", 'pod "there" deleted (dry run)\n'),
    ],
)
def test_a_line_without_a_namespace_reads_in_that_of_the_context(worlds, line, printed):
    assert kubectl(worlds[33], line, namespace="team") == printed


@pytest.mark.parametrize(
    "line",
    [
        "delete pod there",
        "label pod there a=b",
        "exec there -- ls",
        "annotate pods --all a=b",
        "run x --image=busybox",
        "run x --image=busybox --save-config",
        "create deployment web --image=busybox",
        "create configmap c --from-literal=a=b",
        "create namespace other",
        "create serviceaccount s",
        "expose pod there --port=80 --selector=a=b",
        "cordon node1",
        """echo '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}' | kubectl apply -f -""",
    ],
)
def test_an_act_is_the_same_as_with_the_namespace_on_the_line(worlds, line):
    verb = line.rpartition("kubectl ")[2].split()[0]
    named = line.replace(verb, f"{verb} -n team", 1)
    asked = action_of(worlds[33], line, namespace="team")
    assert asked.steps and [step.command for step in asked.steps] == [step.command for step in action_of(worlds[33], named).steps]


def test_an_object_may_be_in_another_namespace_than_the_context(worlds):
    line = """echo '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}}' | kubectl apply -f -"""
    assert action_of(worlds[33], line, namespace="team").steps[0].command.namespace == "default"


def test_a_session_keeps_the_namespace():
    session = Session(*begun(), now_ms=5_000)
    asked = [session.ask(line) for line in (f"{CURRENT} --namespace=team", "get pods -o name", "delete pod there", "get pods -o name")]
    assert asked == ['Context "podscope" modified.\n', "pod/there\n", 'pod "there" deleted\n', ""]


def test_a_session_waits_in_the_namespace():
    session = Session(*begun(), now_ms=5_000)
    session.ask(f"{CURRENT} --namespace=team")
    assert session.ask("wait pod there --for=condition=Ready") == "pod/there condition met\n"
    assert session.ask("get pods -w --request-timeout=1 --no-headers").startswith("there ")
