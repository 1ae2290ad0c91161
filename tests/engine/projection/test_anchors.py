"""Every rule of Kubernetes links to its documentation."""

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.subjects import pod_key
from simulator.engine.rules.anchors import ANCHORS, anchor
from tests.engine.worlds import container, header, pod, run

STORY = header(pod(container("sleep 20; exit 1", livenessProbe={"exec": {"command": ["false"]}, "periodSeconds": 2})))


def test_every_rule_of_a_pods_life_has_an_anchor_unless_a_user_acted() -> None:
    _, records = run(STORY, 150, (100, DeletePod(target="default/p")))
    assert {record.rule for record in records if pod_key(record.subject) and not anchor(record.rule)} == {"COMMAND"}


def test_longest_prefix_wins() -> None:
    assert anchor("STOP-HOOK-OVERRUN") == ANCHORS["STOP-HOOK"] != anchor("STOP-TERM")


def test_anchor_is_empty_when_nobody_knows_the_rule() -> None:
    assert anchor("NO-SUCH-RULE") == anchor("") == ""
