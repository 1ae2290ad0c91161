"""Lines that create roles, bindings and ingresses, objects that are stored and that nothing acts on; and lines that set resources."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import header, run


@pytest.fixture
def asked() -> Session:
    """An empty cluster."""
    world, records = run(header(), 5)
    return Session(world, records, now_ms=5_000)


@pytest.mark.parametrize(
    ("line", "said", "shown"),
    [
        ("role r --verb=get,list --resource=po,deploy", "role.rbac.authorization.k8s.io/r created", "rules[*].resources=pods deployments"),
        (
            "clusterrole c --verb=* --resource=nodes/status",
            "clusterrole.rbac.authorization.k8s.io/c created",
            "rules[0].resources[0]=nodes/status",
        ),
        ("rolebinding b --role=r --serviceaccount=d:bot", "rolebinding.rbac.authorization.k8s.io/b created", "subjects[0].namespace=d"),
        (
            "clusterrolebinding b --clusterrole=c --user=jane",
            "clusterrolebinding.rbac.authorization.k8s.io/b created",
            "subjects[0].name=jane",
        ),
        ("ingress i --rule=a.b/x*=svc:80", "ingress.networking.k8s.io/i created", "spec.rules[0].http.paths[0].pathType=Prefix"),
    ],
)
def test_an_object_is_made_of_flags(asked, line, said, shown):
    assert asked.ask(f"create {line}") == f"{said}\n"
    (kind, name, *_), (path, _, value) = line.split(), shown.partition("=")
    joined = asked.ask(f"get {kind} {name} -o jsonpath='{{.{path}}}'").replace("[", "").replace("]", "").replace('"', "").replace(",", " ")
    assert joined == value


def test_an_object_of_the_whole_cluster_has_no_namespace(asked):
    asked.ask("create clusterrole c --verb=get --resource=pods")
    assert asked.ask("get clusterrole c -o jsonpath='{.metadata.namespace}'") == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("role r --resource=pods", "error: at least one verb must be specified\n"),
        ("role r --verb=get --resource=nosuch", 'the server doesn\'t have a resource type "nosuch"\n'),
        ("rolebinding b", "error: exactly one of clusterrole or role must be specified\n"),
        ("rolebinding b --role=r --serviceaccount=bot", "error: serviceaccount must be <namespace>:<name>\n"),
        ("ingress i --rule=x", "error: rule x is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n"),
    ],
)
def test_what_cannot_be_made_is_refused(asked, line, said):
    assert asked.ask(f"create {line}") == said


def test_resources_of_a_workload_are_set_and_variables_listed(asked):
    asked.ask("create deployment d --image=busybox:1.28 -- sleep 9")
    assert asked.ask("set resources deploy/d --limits=cpu=200m") == "deployment.apps/d resource requirements updated\n"
    assert asked.ask("get deploy d -o jsonpath='{.spec.template.spec.containers[0].resources.limits.cpu}'") == "200m"
    asked.ask("set env deploy/d A=b")
    assert asked.ask("set env deploy/d --list") == "# Deployment d, container busybox\nA=b\n"
    assert asked.ask("set resources deploy/d").startswith("error: you must specify an update to requests or limits")


def test_all_and_a_selector_are_not_given_together(asked):
    assert asked.ask("delete pods --all --selector=a=b") == "error: setting 'all' parameter but found a non empty selector. \n"
    assert asked.ask("delete pods --all --field-selector=a=b") == "error: cannot set --all and --field-selector at the same time\n"


def test_a_deletion_is_waited_for_as_long_as_the_line_says(asked):
    asked.ask("run p --image=busybox:1.28 -- sleep 1000")
    asked.ask("wait --for=condition=Ready pod/p --timeout=60s")
    said = asked.ask("delete pod p --timeout=2s")
    assert said == 'pod "p" deleted\nerror: timed out waiting for the condition on pods/p\n'
    assert asked.ask("delete pod p --timeout=60s") == 'pod "p" deleted\n'
