"""The kubectl line of a command that was given."""

import pytest

from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.web.run.act_lines import act_line
from tests.engine.worlds import container, header, pod, run


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (DeletePod(target="default/p"), "kubectl delete pod p"),
        (DeletePod(target="default/p", grace_s=1), "kubectl delete pod p --now"),
        (DeletePod(target="default/p", grace_s=70), "kubectl delete pod p --grace-period=70"),
        (DeletePod(target="default/p", force=True, grace_s=0), "kubectl delete pod p --grace-period=0 --force"),
        (CordonNode(node="node1"), "kubectl cordon node1"),
        (HangContainer(target="default/p", container="app"), ""),
        (DeletePod(target="default/nobody"), ""),
    ],
)
def test_line_is_that_of_the_offer_which_gives_the_command(command, line):
    world, _records = run(header(pod(container())), 10)
    assert act_line(world, command) == line
