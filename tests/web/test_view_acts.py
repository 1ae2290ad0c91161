import json
from typing import get_args

import msgspec
import pytest

from simulator import act_sentences, acts, node_acts, object_acts
from simulator.command_forms import BUILDERS, CommandForm
from simulator.engine import apply, commands
from simulator.engine.commands import NodeControl, SetNodePressure
from simulator.engine.project import node_view
from tests.engine.worlds import container, header, pod, run

KINDS = get_args(commands.AnyCommand)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_command_has_its_sentence(kind):
    assert (kind in act_sentences.PLAIN) != (kind in act_sentences.BY_FIELD)


def test_sentence_is_filled_from_the_command():
    command = commands.SetProbe(target="default/web", container="app", probe="liveness", outcome="failure")
    assert act_sentences.act_sentence(command) == "Set liveness of app: failure"


def test_sentence_tells_force_from_grace():
    assert act_sentences.act_sentence(commands.DeletePod(target="default/web", force=True)) == "Force delete default/web"


def test_sentence_names_what_is_applied():
    documents = tuple(json.dumps({"kind": "Pod", "metadata": {"name": name}}) for name in "abcd")
    assert act_sentences.act_sentence(commands.ApplyManifest(documents=documents[:1])) == "Apply Pod a"
    assert act_sentences.act_sentence(commands.ApplyManifest(documents=documents)) == "Apply Pod a, Pod b, Pod c, …"


def all_acts():
    yield from acts.pod_acts(key="default/web", namespace="default", name="web", grace_s=30)
    for is_hung in (False, True):
        yield from acts.container_acts(key="default/web", container="app", is_hung=is_hung)
    for is_decided in (False, True):
        yield acts.probe_act(key="default/web", container="app", probe="readiness", is_decided=is_decided)
    for available in (False, True):
        yield acts.image_act(image="nginx:1.27", available=available)
    named = {"key": "default/web", "namespace": "default", "name": "web"}
    yield from object_acts.change_acts(**named, gates=("example.com/ready",))
    yield object_acts.gate_act(**named)
    yield object_acts.object_act(kind="ConfigMap", namespace="default", name="settings")
    yield object_acts.evict_act(**named, group_version="policy/v1")
    yield object_acts.bind_act(**named, nodes=("node1",))
    yield object_acts.debug_act(**named, container="debugger-1", targets=("app",))
    yield object_acts.sandbox_act(key="default/web")
    yield from object_acts.namespace_acts(namespace="shop")
    yield object_acts.exec_act(**named, container="app")
    yield object_acts.resize_act(**named, container="app", requests={"cpu": "100m"}, limits={})
    for group in ("app", "init"):
        yield object_acts.image_change_act(**named, container="app", group=group, image="nginx:1.28")
    for node in nodes():
        yield from node_acts.machine_acts(node)
        yield from node_acts.object_acts(node)
        yield from node_acts.static_pod_acts(node)


def nodes():
    """A healthy node, and one where everything is wrong."""
    healthy, _ = run(header(pod(container())), 5)
    everything = (
        (2, NodeControl(node="node1", kubelet="stop", runtime="stop", network_plugin="missing")),
        (3, commands.CordonNode(node="node1")),
        (3, SetNodePressure(node="node1", signal="memory.available", available="50Mi")),
    )
    broken, _ = run(header(pod(container())), 5, *everything)
    static = commands.PlaceStaticPod(node="node1", document=header(pod(container(), name="still")).manifests[0])
    with_file, _ = run(header(), 5, (2, static), (3, commands.ShutdownNode(node="node1")))
    return [node_view(world, "node1") for world in (healthy, broken, with_file)]


@pytest.mark.parametrize("act", list(all_acts()), ids=lambda act: act.key)
def test_every_act_of_the_page_is_a_valid_form(act):
    for button in act.buttons:
        sent = {"client_key": "12345678", **act.fields, **{field.name: field.value for field in act.inputs}}
        if button.name:
            sent[button.name] = button.value
        form = CommandForm(sent)
        assert form.is_valid(), form.errors
        assert msgspec.to_builtins(form.command())["do"] == act.fields["do"]


def test_page_offers_every_command_of_a_form():
    assert {act.fields["do"] for act in all_acts()} == set(BUILDERS)


def sent(**fields):
    form = CommandForm({"client_key": "12345678", **fields})
    assert form.is_valid(), form.errors
    return form.command()


@pytest.mark.parametrize(
    ("change", "patch"),
    [
        ({"change": "label", "name": "tier", "value": "db"}, {"metadata": {"labels": {"tier": "db"}}}),
        ({"change": "label", "name": "tier", "value": ""}, {"metadata": {"labels": {"tier": None}}}),
        ({"change": "finalizers", "value": "a.b/c, d.e/f"}, {"metadata": {"finalizers": ["a.b/c", "d.e/f"]}}),
        ({"change": "deadline", "seconds": "9"}, {"spec": {"activeDeadlineSeconds": 9}}),
        ({"change": "condition", "name": "x/y", "status": "True"}, {"status": {"conditions": [{"type": "x/y", "status": "True"}]}}),
        ({"change": "image", "container": "app", "image": "b:2"}, {"spec": {"containers": [{"name": "app", "image": "b:2"}]}}),
    ],
    ids=lambda value: str(value)[:24],
)
def test_change_of_a_pod_becomes_a_patch_that_the_engine_takes(change, patch):
    command = sent(do="patch_pod", target="default/p", **change)
    assert json.loads(command.patch) == patch
    world, _ = run(header(pod(container())), 5)
    assert apply(world, command)[0].target == "accepted"


def test_command_line_is_split_as_a_shell_would():
    assert sent(do="exec", target="default/web", container="app", words="sh -c 'exit 3'").command == ("sh", "-c", "exit 3")


@pytest.mark.parametrize("words", ["", "   ", "echo 'open"])
def test_command_line_is_refused_when_it_says_nothing(words):
    assert not CommandForm({"do": "exec", "target": "default/web", "words": words, "client_key": "12345678"}).is_valid()


def test_taint_with_a_minus_is_removed():
    assert sent(do="taint", node="n", value="key:NoSchedule-") == commands.TaintNode(node="n", remove=("key:NoSchedule",))


def test_command_line_of_an_act_has_the_values_of_its_inputs():
    act = object_acts.image_change_act(key="default/web", namespace="default", name="web", container="app", group="app", image="nginx:1.28")
    assert act.command_line == "kubectl set image pod/web app=nginx:1.28"


def test_kubectl_names_the_namespace_unless_default():
    act = acts.pod_acts(key="shop/web", namespace="shop", name="web", grace_s=30)[0]
    assert act.kubectl == "kubectl delete pod web --namespace=shop"
