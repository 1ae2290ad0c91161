"""run, create KIND and expose: the objects they create, and the output of a dry run.

``recorded/creating.json`` has the output of kubectl 1.20.0, 1.26.4, 1.31, 1.33, 1.34.5 and 1.37.1 for each line: [first minor, text]. They
were run against a small server that had the pods, the Deployment and the Service below.
"""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.headless.session import Session
from simulator.kubectl.acting.verbs import action_of, is_acting
from simulator.kubectl.generators.stored import QUANTITY
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine
from tests.engine.worlds import container, header, pod, run

RECORDED: dict[str, list[list[Any]]] = json.loads(Path(__file__).with_name("recorded").joinpath("creating.json").read_text())
MINORS = (20, 26, 31, 33, 34, 37)
PORTS = [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}]
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d", "labels": {"app": "x", "a.b/c": "q"}},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "x"}},
        "template": {
            "metadata": {"labels": {"app": "x"}},
            "spec": {"containers": [{"name": "a", "image": "busybox", "ports": PORTS}, {"name": "b", "image": "nginx"}]},
        },
    },
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "svc"}, "spec": {"selector": {"app": "x"}, "ports": [{"port": 80}]}}
ALREADY = 'error: failed to create deployment: deployments.apps "d" already exists\n'
CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "tidy"},
    "spec": {
        "schedule": "0 0 1 1 *",
        "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "busybox"}], "restartPolicy": "Never"}}}},
    },
}


@pytest.fixture(scope="module")
def worlds():
    labelled = pod(container())
    labelled["metadata"]["labels"] = {"app": "x", "tier": "front"}
    documents = (labelled, pod(container(), name="q"), DEPLOYMENT, SERVICE)
    return {minor: run(header(*documents, kubernetes=f"1.{minor}"), 5)[0] for minor in MINORS}


def printed(world, line: str) -> str:
    """The output of a line before anything is done."""
    if not is_acting(line):
        return kubectl(world, line)
    with pytest.raises(BadLine) as refused:
        action_of(world, line)
    return f"{refused.value}\n"


@pytest.mark.parametrize("line", RECORDED)
def test_line_prints_what_kubectl_printed(worlds, line):
    for minor, world in worlds.items():
        wanted = [text for since, text in RECORDED[line] if since <= minor][-1]
        assert printed(world, line) == wanted, minor


def session(*documents: dict[str, Any], kubernetes: str = "1.33") -> Session:
    world, records = run(header(*(documents or (pod(container()), DEPLOYMENT)), kubernetes=kubernetes), 5)
    return Session(world, records, now_ms=5_000)


@pytest.mark.parametrize(
    ("line", "said", "there"),
    [
        ("run web --image=nginx:1.16.1", "pod/web created", "pod/web"),
        ("run web --image=nginx:1.16.1 --port=80 --expose", "pod/web created\nservice/web created", "svc/web"),
        ("create deployment web --image=nginx:1.16.1 --replicas=2", "deployment.apps/web created", "deploy/web"),
        ("k create cm c --from-literal=a=b", "configmap/c created", "cm/c"),
        ("create secret generic s --from-literal=a=b", "secret/s created", "secret/s"),
        ("create ns n", "namespace/n created", "ns/n"),
        ("create job j --image=busybox:1.28 -- true", "job.batch/j created", "job/j"),
        ("create cronjob c --image=busybox:1.28 --schedule='* * * * *' -- true", "cronjob.batch/c created", "cj/c"),
        ("create service clusterip s --tcp=80:8080", "service/s created", "svc/s"),
        ("create service nodeport s --tcp=80", "service/s created", "svc/s"),
        ("create quota q --hard=pods=9", "resourcequota/q created", "quota/q"),
        ("create sa s", "serviceaccount/s created", "sa/s"),
        ("create pdb b --selector=app=x --min-available=1", "poddisruptionbudget.policy/b created", "pdb/b"),
        ("create priorityclass c --value=5", "priorityclass.scheduling.k8s.io/c created", "pc/c"),
        ("expose deploy d --port=80 --name=s", "service/s exposed", "svc/s"),
        ("create deployment web --image=nginx:1.16.1 -o name", "deployment.apps/web", "deploy/web"),
    ],
)  # fmt: skip
def test_line_makes_the_object(line, said, there):
    for kubernetes in ("1.37", "1.21"):
        asked = session(kubernetes=kubernetes)
        lines = sorted(asked.ask(line).splitlines())
        assert lines == sorted(said.splitlines())
        assert asked.ask(f"get {there} -o name").partition("/")[2].strip() == there.partition("/")[2]


def test_object_is_the_one_that_its_dry_run_printed():
    asked = session()
    asked.ask("create deployment web --image=nginx:1.16.1 --port=80 -- sleep 60")
    kept = json.loads(asked.ask("get deploy web -o json"))["spec"]["template"]["spec"]["containers"][0]
    assert (kept["command"], kept["ports"][0]["containerPort"]) == (["sleep", "60"], 80)


def test_object_that_is_there_already_is_refused_by_the_server():
    assert session().ask("create deployment d --image=nginx") == ALREADY


def test_namespace_that_is_there_already_is_refused_without_a_preface():
    asked = session()
    asked.ask("create ns n")
    assert asked.ask("create ns n") == 'Error from server (AlreadyExists): namespaces "n" already exists\n'


def test_job_of_a_cron_job_belongs_to_it():
    asked = session(CRON_JOB)
    assert asked.ask("create job once --from=cronjob/tidy") == "job.batch/once created\n"
    metadata = json.loads(asked.ask("get job once -o json"))["metadata"]
    assert metadata["annotations"]["cronjob.kubernetes.io/instantiate"] == "manual"
    assert [(owner["kind"], owner["name"]) for owner in metadata["ownerReferences"]] == [("CronJob", "tidy")]


def test_image_with_a_dot_in_its_name_gets_five_letters_that_stay():
    first, second = (kubectl(session().world, "create deploy d --image=a.b --dry-run=client -o yaml") for _ in range(2))
    assert first == second and "name: a-b-" in first


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("create token nope", 'error: failed to create token: serviceaccounts "nope" not found'),
        ("create token default --duration=5m", "error: failed to create token: TokenRequest.authentication"),
        ("create cm c --from-file=x.txt", "error: there are no files here for --from-file"),
        ("run web --image=nginx --dry-run=client -o yaml > web.yaml", "error: there are no files here to write to"),
    ],
)
def test_what_is_not_here_is_refused_with_a_word(line, text):
    assert session().ask(line).startswith(text)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("delete pod p --dry-run=client", 'pod "p" deleted (dry run)\n'),
        ("scale deploy d --replicas=9 --dry-run=client", "deployment.apps/d scaled (dry run)\n"),
        ("cordon node1 --dry-run=server", "node/node1 cordoned (server dry run)\n"),
        ("label pod p a=b --dry-run=server", "pod/p labeled (server dry run)\n"),
        ("create deployment d --image=nginx --dry-run=server", ALREADY),
        ("create deployment e --image=nginx --dry-run=server", "deployment.apps/e created (server dry run)\n"),
    ],
)
def test_dry_run_prints_and_does_nothing(line, text):
    asked = session()
    before = len(asked.records)
    assert asked.ask(line) == text
    assert len(asked.records) == before


def test_dry_run_at_the_client_does_not_ask_the_server():
    assert session().ask("create deployment d --image=nginx --dry-run=client") == "deployment.apps/d created (dry run)\n"


def test_a_token_says_whose_it_is_and_until_when():
    parts = session().ask("create token default --audience=me --duration=20m").split(".")
    claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    assert (claims["sub"], claims["aud"], claims["exp"] - claims["iat"]) == ("system:serviceaccount:default:default", ["me"], 1200)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("tidy", 'error: the server doesn\'t have a resource type "tidy"\n'),
        ("cronjob", "error: resource(s) were provided, but no name was specified\n"),
        ("cj/tidy", "job.batch/once created\n"),
        ("cj/other", 'Error from server (NotFound): cronjobs.batch "other" not found\n'),
        ("deploy/d", "error: from must be an existing cronjob, not deployment\n"),
    ],
)
def test_job_is_made_from_what_is_named_by_kind_and_name(source, said):
    assert session(CRON_JOB).ask(f"create job once --from={source}") == said


@pytest.mark.parametrize(
    ("amounts", "said"),
    [
        ("cpu=1000m,a=2", '{"limits":{"a":"2","cpu":"1"}}'),
        ("cpu", "error: Invalid argument syntax cpu, expected <resource>=<value>\n"),
        ("cpu=1=2", "error: Invalid argument syntax cpu=1=2, expected <resource>=<value>\n"),
        ("cpu=1,", "error: Invalid argument syntax , expected <resource>=<value>\n"),
        ("cpu=", f"error: {QUANTITY}\n"),
        ("cpu=lots", f"error: {QUANTITY}\n"),
    ],
)
def test_limits_of_a_run_are_resources_with_amounts(amounts, said):
    line = f"run r --image=busybox --limits={amounts} --dry-run=client -o jsonpath='{{.spec.containers[0].resources}}'"
    assert session(kubernetes="1.20").ask(line) == said


@pytest.mark.parametrize(("kubernetes", "version"), [("1.20", "batch/v1beta1"), ("1.33", "batch/v1")])
def test_job_names_its_cron_job_in_the_version_that_the_server_has(kubernetes, version):
    asked = session(CRON_JOB | {"apiVersion": version}, kubernetes=kubernetes)
    line = "create job once --from=cj/tidy --dry-run=client -o jsonpath='{.metadata.ownerReferences[0].apiVersion}'"
    assert asked.ask(line) == version
