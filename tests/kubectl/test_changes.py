"""The differences between two states of an object, field by field."""

import pytest

from simulator.engine.acts.containers.exit import ExitContainer
from simulator.kubectl.changes import ADDED, CHANGED, REMOVED, FieldChange, changes, document_of, without_noise
from tests.engine.worlds import container, header, pod, run


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, FieldChange(path="a.b", kind=CHANGED, before=1, after=2)),
        ({"a": {}}, {"a": {"b": [1]}}, FieldChange(path="a.b", kind=ADDED, after=[1])),
        ({"a": [1, 2]}, {"a": [1]}, FieldChange(path="a[1]", kind=REMOVED, before=2)),
        ({"m": {"x/y.z": 1}}, {"m": {"x/y.z": 2}}, FieldChange(path='m["x/y.z"]', kind=CHANGED, before=1, after=2)),
        (
            {"c": [{"type": "A", "s": 1}, {"type": "B", "s": 1}]},
            {"c": [{"type": "B", "s": 2}, {"type": "A", "s": 1}]},
            FieldChange(path="c[B].s", kind=CHANGED, before=1, after=2),
        ),
        ({"a": [1]}, {"a": {"b": 1}}, FieldChange(path="a", kind=CHANGED, before=[1], after={"b": 1})),
        ({"a": {"b": 1}}, {"a": [1]}, FieldChange(path="a", kind=CHANGED, before={"b": 1}, after=[1])),
        ({"a": [1]}, {"a": "x"}, FieldChange(path="a", kind=CHANGED, before=[1], after="x")),
        ({"a": None}, {"a": [1]}, FieldChange(path="a", kind=CHANGED, before=None, after=[1])),
        (None, {"a": 1}, FieldChange(path="", kind=ADDED)),
        ({"a": 1}, None, FieldChange(path="", kind=REMOVED)),
    ],
)
def test_change_is_named_by_its_path(before, after, expected):
    assert changes(before, after) == (expected,)


def test_equal_documents_have_no_change():
    assert changes({"a": [{"name": "x"}]}, {"a": [{"name": "x"}]}) == () == changes(None, None)


def test_restart_of_a_container_shows_in_its_status():
    head = header(pod(container()))
    before, after = (run(head, until, (10, ExitContainer(target="default/p", container="app", exit_code=3)))[0] for until in (9, 20))
    paths = {change.path: change for change in changes(document_of(before, "pod/default/p"), document_of(after, "container/default/p/app"))}
    count = paths["status.containerStatuses[app].restartCount"]
    assert (count.before, count.after) == (0, 1)


def test_noise_is_left_out_and_nothing_else():
    document = document_of(run(header(pod(container())), 10)[0], "pod/default/p")
    shown = without_noise(document)
    assert "resourceVersion" in document["metadata"] and "resourceVersion" not in shown["metadata"]
    assert shown["spec"] == document["spec"]


@pytest.mark.parametrize("subject", ["pod/default/nobody", "pod/p", "node", "node/nowhere", "deployment/default/none", "run", ""])
def test_what_is_not_there_has_no_document(subject):
    assert document_of(run(header(pod(container())), 5)[0], subject) is None


def test_node_has_a_document():
    assert document_of(run(header(pod(container())), 5)[0], "node/node1")["kind"] == "Node"
