"""``auth can-i --as``: what another may do, by the stored roles and their bindings."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

MADE = (
    "create ns dev",
    "create sa robot -n dev",
    "create role reader --verb=get,list --resource=pods,deployments.apps --resource=pods/log -n dev",
    "create rolebinding reader --role=reader --user=jane --serviceaccount=dev:robot -n dev",
    "create role one --verb=get --resource=secrets --resource-name=keys -n dev",
    "create rolebinding one --role=one --group=ops -n dev",
    "create clusterrole nodes --verb='*' --resource=nodes",
    "create clusterrolebinding nodes --clusterrole=nodes --user=joe",
    "create clusterrole health --verb=get --non-resource-url='/healthz*'",
    "create clusterrolebinding health --clusterrole=health --group=system:authenticated",
    "create rolebinding view --clusterrole=view --user=ann -n dev",
    "create rolebinding edit --clusterrole=edit --user=ed -n dev",
    "create clusterrolebinding root --clusterrole=cluster-admin --user=root",
)


@pytest.fixture(scope="module")
def asked() -> Session:
    made = Session(*run(header(pod(container()), kubernetes="1.33"), 5), now_ms=5_000)
    for line in MADE:
        assert "created" in made.ask(f"kubectl {line}"), line
    return made


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("list pods --as=jane -n dev", True),
        ("get deploy --as=jane -n dev", True),
        ("get pods --subresource=log --as=jane -n dev", True),
        ("get pods --subresource=exec --as=jane -n dev", False),
        ("delete pods --as=jane -n dev", False),
        ("list pods --as=jane", False),
        ("list pods --as=jane -A", False),
        ("list pods --as=system:serviceaccount:dev:robot -n dev", True),
        ("list pods --as=system:serviceaccount:dev:default -n dev", False),
        ("get secrets/keys --as=x --as-group=ops -n dev", True),
        ("get secrets --as=x --as-group=ops -n dev", False),
        ("delete nodes --as=joe", True),
        ("get /healthz/ping --as=joe", True),
        ("get /metrics --as=joe", False),
        ("list pods --as=ann -n dev", True),
        ("list secrets --as=ann -n dev", False),
        ("create deploy --as=ann -n dev", False),
        ("create deploy --as=ed -n dev", True),
        ("create rolebindings --as=ed -n dev", False),
        ("'*' '*' --as=root -A", True),
        ("create pods --as=nobody --as-group=system:masters", True),
    ],
)
def test_another_may_do_what_roles_allow(asked: Session, line: str, allowed: bool) -> None:
    said = asked.ask(f"kubectl auth can-i {line}").splitlines()
    assert (said[-1], asked.exit_code) == (("yes", 0) if allowed else ("no", 1))


def test_a_quiet_answer_is_the_exit_code(asked: Session) -> None:
    assert (asked.ask("kubectl auth can-i get pods --as=nobody -q"), asked.exit_code) == ("", 1)
