"""``kubectl apply --server-side`` with real kubectls: conflicts, force, migration from client-side apply, hidden managedFields."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door.clients import Kubectl
from tests.door.cluster import cluster_of

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {tier: front}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'nginx:1.27', env: [{name: COLOUR, value: red}]}
"""
OTHER = MANIFEST.replace("1.27", "1.26")
PATH = '.spec.template.spec.containers[name="web"].image'


@pytest.fixture(params=["1.20", "1.27", "1.37"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kubectl]:
    with cluster_of(request.param) as url:
        yield Kubectl(request.param, url, tmp_path)


def apply(client: Kubectl, text: str, *words: str) -> tuple[int, str]:
    done = client.run("apply", "-f", "-", *words, stdin=text)
    return done.returncode, done.stdout + done.stderr


def test_an_object_is_applied_and_applied_again(client: Kubectl) -> None:
    for text in (MANIFEST, OTHER):
        assert apply(client, text, "--server-side") == (0, "deployment.apps/web serverside-applied\n")
    assert client.said("get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}") == "nginx:1.26"


def test_a_conflict_is_reported_and_can_be_forced(client: Kubectl) -> None:
    apply(client, MANIFEST, "--server-side")
    code, text = apply(client, OTHER, "--server-side", "--field-manager=other")
    assert (code, text.splitlines()[0]) == (1, f'error: Apply failed with 1 conflict: conflict with "kubectl": {PATH}')
    assert apply(client, OTHER, "--server-side", "--field-manager=other", "--force-conflicts")[0] == 0


def test_a_conflict_after_scale_names_the_subresource(client: Kubectl) -> None:
    apply(client, MANIFEST, "--server-side")
    assert client.said("scale", "deploy", "web", "--replicas=3") == "deployment.apps/web scaled\n"
    text = 'error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
    assert apply(client, MANIFEST, "--server-side")[1].splitlines()[0] == text


def test_fields_that_are_applied_no_more_go(client: Kubectl) -> None:
    apply(client, MANIFEST, "--server-side")
    apply(client, MANIFEST.replace(", env: [{name: COLOUR, value: red}]", ""), "--server-side")
    assert client.said("get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[0].env}") == ""


def test_client_side_apply_goes_over_to_server_side(client: Kubectl) -> None:
    assert apply(client, MANIFEST)[1] == "deployment.apps/web created\n"
    assert apply(client, OTHER.replace("tier: front", "tier: back"), "--server-side")[0] == 0
    assert client.said("get", "deploy", "web", "-o", "jsonpath={.metadata.labels}") == '{"tier":"back"}'
    assert "nginx:1.26" in client.said("apply", "view-last-applied", "deploy/web")


def test_managed_fields_are_hidden_unless_they_are_asked_for(client: Kubectl) -> None:
    apply(client, MANIFEST, "--server-side")
    plain = client.said("get", "deploy", "web", "-o", "yaml")
    shown = client.run("get", "deploy", "web", "-o", "yaml", "--show-managed-fields")
    if client.number < 21:  # it lacks the option and always shows them
        assert "manager: kubectl\n" in plain and "unknown flag" in shown.stderr
    else:
        assert "managedFields" not in plain and "manager: kubectl\n" in shown.stdout


def test_a_dry_run_on_the_server_changes_nothing(client: Kubectl) -> None:
    text = apply(client, MANIFEST, "--server-side", "--dry-run=server")[1]
    # 1.20 looks in OpenAPI v2 to see whether a kind supports dry runs.
    assert text in (
        "deployment.apps/web serverside-applied (server dry run)\n",
        "error: apps/v1, Kind=Deployment doesn't support dry-run\n",
    )
    assert client.run("get", "deploy", "web").returncode == 1
