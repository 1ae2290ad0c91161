"""``kubectl set`` beyond images: its requests to the server, and its message if there is nothing to request."""

import json

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

LABELS = {"app": "d"}
DOCUMENTS = (
    {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [container(env=[{"name": "A", "value": "b"}])]}},
        },
    },
    {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"selector": {"app": "x", "old": "y"}, "ports": [{"port": 80}]},
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"lower-key": "1", "UP": "2"}},
    pod(container()),
)  # fmt: skip


@pytest.fixture
def asked() -> Session:
    return Session(*run(header(*DOCUMENTS), 30), now_ms=30_000)


def found(asked: Session, what: str, path: str) -> object:
    return json.loads(asked.ask(f"kubectl get {what} -o jsonpath-as-json='{{{path}}}'"))[0]


def test_an_account_is_set(asked: Session) -> None:
    assert asked.ask("kubectl set sa deploy/d bot") == "deployment.apps/d serviceaccount updated\n"
    assert found(asked, "deploy d", ".spec.template.spec.serviceAccountName") == "bot"


def test_a_selector_is_replaced(asked: Session) -> None:
    assert asked.ask("kubectl set selector svc s app=d") == "service/s selector updated\n"
    assert found(asked, "svc s", ".spec.selector") == LABELS


def test_variables_come_from_a_config_map(asked: Session) -> None:
    said = asked.ask("kubectl set env deploy/d --from=configmap/c --prefix=P_")
    assert said == "Warning: key lower-key transferred to LOWER_KEY\ndeployment.apps/d env updated\n"
    env = found(asked, "deploy d", ".spec.template.spec.containers[0].env")
    assert {"name": "P_LOWER_KEY", "valueFrom": {"configMapKeyRef": {"key": "lower-key", "name": "c"}}} in env


def test_subjects_are_added_once(asked: Session) -> None:
    asked.ask("kubectl create rolebinding r --role=x --user=y")
    assert asked.ask("kubectl set subject rolebinding r --user=z") == "rolebinding.rbac.authorization.k8s.io/r subjects updated\n"
    assert asked.ask("kubectl set subject rolebinding r --user=z") == ""
    assert [each["name"] for each in found(asked, "rolebinding r", ".subjects")] == ["y", "z"]


@pytest.mark.parametrize("line", ["set env deploy/d A=b", "set env deploy/d X-", "set env deploy/d"])
def test_what_changes_nothing_is_not_asked_for(asked: Session, line: str) -> None:
    before = len(asked.records)
    assert asked.ask(f"kubectl {line}") == ""
    assert not [record for record in asked.records[before:] if record.kind == "command"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sa", "error: serviceaccount is required\n"),
        ("selector deploy d a=b", "error: setting a selector is only supported for Services\n"),
        ("env deploy/d A=b c", "error: all resources must be specified before environment changes: deploy/d A=b c\n"),
        ("env deploy/d --from=svc/s", "error: unsupported resource specified in --from\n"),
        ("image deploy/d app", "error: there is no need to specify a resource type"),
        ("resources deploy/d --limits=cpu=x", "error: quantities must match the regular expression"),
        ("nope", "error: unknown command \"nope\"\nSee 'kubectl set -h' for help and examples\n"),
        ("env pod/p A=b", "error: failed to patch env update to pod template: Pod "),
    ],
)
def test_what_cannot_be_set_is_refused(asked: Session, line: str, said: str) -> None:
    assert asked.ask(f"kubectl set {line}").startswith(said)
