"""Lines that change something: their commands, and kubectl's output about the outcome."""

import json
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.targets import named_in
from simulator.engine.world.lookups import pods_in
from simulator.headless.session import Session
from simulator.kubectl.acting.verbs import NeedsEditor, action_of, is_acting
from simulator.kubectl.line import BadLine
from simulator.kubectl.unreachable import unreachable
from tests.engine.acts.sending import command_of, offers_of
from tests.engine.acts.test_offers import WORLDS
from tests.engine.worlds import container, header, pod, run

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "paused": True,  # so that no pods are created
        "replicas": 3,
        "selector": {"matchLabels": {"app": "x"}},
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "a", "image": "busybox"}]}},
    },
}
DEPRECATED = "kubectl exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version."
OTHER_WAY = ("remove_scheduling_gates", "resize_pod")
"""Buttons for what kubectl can do only with a patch."""


def session(*documents: dict[str, Any], kubernetes: str = "1.30", **more: Any) -> Session:
    documents = documents or (pod(container()), pod(container(), name="q"), DEPLOYMENT)
    world, records = run(header(*documents, kubernetes=kubernetes, **more), 5)
    return Session(world, records, now_ms=5_000)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_line_next_to_a_button_is_the_act_of_the_button(world: World) -> None:
    for offer in offers_of(world):
        if "kubectl " not in offer.kubectl or offer.why_not or offer.do in OTHER_WAY:
            continue
        if offer.do == "exec" and world.tables.pods[named_in(world.tables, command_of(offer)).target].gone_ms is not None:
            continue  # the page can act on a ghost; kubectl has no name for it
        if offer.do == "exec" and unreachable(world, "node1"):
            continue  # and on a node whose kubelet is down
        assert [step.command for step in action_of(world, offer.command_line).steps] == [command_of(offer)], offer.command_line


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("delete pod p", ['pod "p" deleted']),
        ("delete po p q --now", ['pod "p" deleted', 'pod "q" deleted']),
        ("delete pod/p deploy/d", ['pod "p" deleted', 'deployment.apps "d" deleted']),
        ("delete pods --all", ['pod "p" deleted\npod "q" deleted'.splitlines()[0], 'pod "q" deleted']),
        ("delete pod p x", ['pod "p" deleted', 'Error from server (NotFound): pods "x" not found']),
        ("delete pod x --ignore-not-found", []),
        ("delete pods", ["error: resource(s) were provided, but no name was specified"]),
        ("delete -f pod.yaml", ['error: the path "pod.yaml" does not exist']),
        ("label pod p tier=front", ["pod/p labeled"]),
        ("label pod p none-", ['label "none" not found.', "pod/p not labeled"]),
        ("label node node1 disk=ssd", ["node/node1 labeled"]),
        ("label pods p", ["error: at least one label update is required"]),
        ("annotate deploy d note=seen", ["deployment.apps/d annotated"]),
        ("patch deploy d -p '{\"spec\":{\"minReadySeconds\":3}}'", ["deployment.apps/d patched"]),
        ("patch deploy d -p 'spec: {replicas: 3}'", ["deployment.apps/d patched (no change)"]),
        ("patch node node1 -p '{\"spec\":{\"unschedulable\":true}}'", ["node/node1 patched"]),
        ("patch node node1 -p '{\"spec\":{\"unschedulable\":false}}'", ["node/node1 patched (no change)"]),
        ("patch node node1 --type=json -p '[{\"op\":\"add\",\"path\":\"/spec/unschedulable\",\"value\":true}]'", ["node/node1 patched"]),
        ("patch node node1 -p '{\"metadata\":{\"labels\":{\"a\":\"b\"}}}'", ["node/node1 patched"]),
        ("patch deploy d -p 'spec: ['", ['error: unable to parse "spec: [": it is neither a JSON nor a YAML object']),
        ("scale deploy d --replicas=5", ["deployment.apps/d scaled"]),
        ("scale deploy d --replicas=5 --current-replicas=2", ["error: Expected replicas to be 2, was 3"]),
        ("autoscale deploy d --max=5", ["horizontalpodautoscaler.autoscaling/d autoscaled"]),
        ("autoscale deploy/d --min=2 --max=5 --cpu-percent=60 --name=of-d", ["horizontalpodautoscaler.autoscaling/of-d autoscaled"]),
        ("autoscale deploy d", ['error: required flag(s) "max" not set']),
        ("autoscale deploy d --max=0", ["error: --max=MAXPODS is required and must be at least 1, max: 0"]),
        ("autoscale deploy d --max=1 --min=2", ["error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 1, min: 2"]),
        ("autoscale deploy d --max=many", [
            'error: invalid argument "many" for "--max" flag: strconv.ParseInt: parsing "many": invalid syntax',
            "See 'kubectl autoscale --help' for usage."]),
        ("autoscale pod p --max=2", [
            "error: cannot autoscale a Pod: could not find scale subresource for /v1, Resource=pods in discovery information"]),
        ("autoscale deploy x --max=2", ['Error from server (NotFound): deployments.apps "x" not found']),
        ("autoscale deploy d --max=2 --cpu=50%", ["error: unknown flag: --cpu", "See 'kubectl autoscale --help' for usage."]),
        ("scale pod p --replicas=5", ["Error from server (NotFound): the server could not find the requested resource"]),
        ("set image pod/p app=nginx:1.16.1", ["pod/p image updated"]),
        ("set image deploy/d a=nginx", ["deployment.apps/d image updated"]),
        ("set image pod p none=nginx", ['error: unable to find container named "none"']),
        ("cordon node1", ["node/node1 cordoned"]),
        ("uncordon node1", ["node/node1 already uncordoned"]),
        ("cordon x", ['Error from server (NotFound): nodes "x" not found']),
        ("taint nodes node1 a=b:NoSchedule", ["node/node1 tainted"]),
        ("taint nodes node1 a-", ['error: taint "a" not found']),
        ("taint nodes node1 a:NoSchedule-", ['error: taint "a:NoSchedule" not found']),
        (
            "taint nodes node1 a:Foo",
            ["error: invalid taint effect: Foo, unsupported taint effect", "See 'kubectl taint -h' for help and examples"],
        ),
        ("evict p", ["pod/p evicted"]),
        ("run web --image=nginx:1.16.1", ["pod/web created"]),
        ("run p --image=nginx:1.16.1", ['Error from server (AlreadyExists): pods "p" already exists']),
        ("debug p --image=busybox:1.28 -c look -- sleep 60", []),
        ("debug p --image=busybox:1.28 --target=app", [
            'Targeting container "app". If you don\'t see processes from this container it may be because the container runtime '
            "doesn't support this feature.",
            "Defaulting debug container name to debugger-85qxs.",
        ]),
        ("delete pod p --foo", ["error: unknown flag: --foo", "See 'kubectl delete --help' for usage."]),
    ],
)  # fmt: skip
def test_line_is_carried_out_and_reported(line: str, printed: list[str]) -> None:
    assert session().ask(line).splitlines() == printed


def test_namespace_stands_in_the_words_of_a_later_client() -> None:
    assert session(kubernetes="1.34").ask("delete pod p") == 'pod "p" deleted from default namespace\n'


def test_force_warns() -> None:
    lines = session().ask("delete pod p --force --grace-period=0").splitlines()
    assert lines[0].startswith("Warning: Immediate deletion does not wait") and lines[1] == 'pod "p" force deleted'


def test_value_that_is_there_is_kept_unless_told_otherwise() -> None:
    here = session()
    here.ask("label pod p tier=front")
    assert here.ask("label pod p tier=back") == "error: 'tier' already has a value (front), and --overwrite is false\n"
    assert here.ask("label pod p tier=front") == "pod/p not labeled\n"
    assert here.ask("label pod p tier=back --overwrite") == "pod/p labeled\n" and here.ask("get pods -l tier=back -o name") == "pod/p\n"
    assert here.ask("label pod p tier-") == "pod/p unlabeled\n"
    here.ask("annotate pod p a=b")
    found = "error: --overwrite is false but found the following declared annotation(s): 'a' already has a value (b)\n"
    assert here.ask("annotate pod p a=c") == found


def test_taint_of_the_same_effect_wants_overwrite() -> None:
    here = session()
    here.ask("taint nodes node1 a=b:NoSchedule")
    refused = "error: node node1 already has a taint(s) with same effect(s) and --overwrite is false\n"
    assert here.ask("taint nodes node1 a=c:NoSchedule") == refused
    assert here.ask("taint nodes node1 a=c:NoSchedule --overwrite") == "node/node1 modified\n"
    assert here.ask("taint nodes node1 a:NoSchedule-") == "node/node1 untainted\n"


def test_what_the_api_server_refuses_is_reported_in_its_words() -> None:
    text = session().ask('patch pod p -p \'{"spec":{"nodeName":"x"}}\'')
    assert text.startswith('The Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than')


def test_exec_prints_the_output_when_it_has_ended() -> None:
    here = session()
    assert here.ask("exec p -- sh -c 'echo one; sleep 2; echo two >&2; exit 3'").splitlines() == [
        "one",
        "two",
        "command terminated with exit code 3",
    ]
    assert here.now_ms >= 7_000
    assert here.ask("exec p -c app -it -- hostname") == "p\n"


def test_exec_is_recorded() -> None:
    here = session()
    here.ask("exec p -- echo words")
    assert [record.get("text") for record in here.records if record.rule == "EXEC-DONE"] == ["words\n"]


@pytest.mark.parametrize(
    ("line", "kubernetes", "printed"),
    [
        ("exec p", "1.30", "error: you must specify at least one command for the container"),
        ("exec x -- ls", "1.30", 'Error from server (NotFound): pods "x" not found'),
        ("exec p -c none -- ls", "1.30", "error: container none not found in pod p"),
        ("exec p ls", "1.31", "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead"),
        ("exec p hostname", "1.30", f"{DEPRECATED} Use kubectl exec [POD] -- [COMMAND] instead."),
    ],
)  # fmt: skip
def test_exec_that_cannot_be(line: str, kubernetes: str, printed: str) -> None:
    assert session(kubernetes=kubernetes).ask(line).splitlines()[0] == printed


def test_exec_of_a_program_that_is_not_there() -> None:
    text = session().ask("exec p -- nothere")
    assert text.startswith("error: Internal error occurred: error executing command in container: failed to exec in container")
    assert 'exec: "nothere": executable file not found in $PATH: unknown' in text


def test_exec_names_the_container_it_takes() -> None:
    two = pod(container(name="a"), container(name="b"))
    assert session(two).ask("exec p -- echo x").splitlines() == ['Defaulted container "a" out of: a, b', "x"]
    old = "Use 'kubectl describe pod/p -n default' to see all of the containers in this pod."
    assert session(two, kubernetes="1.20").ask("exec p -- echo x").splitlines() == ["Defaulting container name to a.", old, "x"]


def test_exec_in_a_container_that_does_not_run() -> None:
    dead = pod(container("exit 1"), restartPolicy="Always")
    assert session(dead).ask("exec p -- ls") == 'error: unable to upgrade connection: container not found ("app")\n'


def test_drain_reports_how_far_it_has_come() -> None:
    here = session(pod(container()), kubernetes="1.30")
    assert here.ask("drain node1 --force").splitlines() == [
        "node/node1 cordoned",
        "Warning: deleting Pods that declare no controller: default/p",
        "evicting pod default/p",
        "pod/p evicted",
        "node/node1 drained",
    ]
    assert here.ask("drain node1").splitlines() == ["node/node1 already cordoned", "node/node1 drained"]


def test_drain_that_a_budget_holds_up_asks_again() -> None:
    labelled = pod(container())
    labelled["metadata"]["labels"] = {"app": "web"}
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": spec}
    lines = session(labelled, budget).ask("drain node1 --force --timeout=8s").splitlines()
    assert lines[2:4] == [
        "evicting pod default/p",
        'error when evicting pods/"p" -n "default" (will retry after 5s): '
        "Cannot evict pod as it would violate the pod's disruption budget.",
    ]
    assert "global timeout reached" in lines[-1]


@pytest.mark.parametrize(
    ("kubernetes", "first", "last"),
    [
        ("1.20", 'error: unable to drain node "node1", aborting command...', "error: cannot delete Pods not managed by"),
        ("1.29", 'error: unable to drain node "node1" due to error:cannot delete Pods declare', "cannot delete Pods declare"),
        (
            "1.30",
            'error: unable to drain node "node1" due to error:cannot delete cannot delete Pods that',
            "cannot delete cannot delete Pods",
        ),
        ("1.36", 'error: unable to drain node "node1" due to error: cannot delete Pods that', "cannot delete Pods that"),
    ],
)
def test_drain_that_may_not_go_on_says_why(kubernetes: str, first: str, last: str) -> None:
    lines = session(pod(container()), kubernetes=kubernetes).ask("drain node1").splitlines()
    assert lines[0] == "node/node1 cordoned" and lines[1].startswith(first) and lines[-1].startswith(last)


def test_flags_of_drain_reach_the_act() -> None:
    world = session().world
    (step,) = action_of(world, "drain node1 --ignore-daemonsets --grace-period=5 --timeout=1m30s --pod-selector=app=x").steps
    assert step.command == DrainNode(node="node1", ignore_daemonsets=True, grace_s=5, timeout_s=90, pod_selector="app=x")


def test_selector_means_every_object_that_it_picks() -> None:
    steps = action_of(session(nodes=3).world, "cordon -l kubernetes.io/os=linux").steps
    assert [step.command for step in steps] == [CordonNode(node=f"node{number}") for number in (1, 2, 3)]


def test_patch_keeps_its_type_and_subresource() -> None:
    (step,) = action_of(session().world, 'patch deploy d --type=json --subresource=status -p \'[{"op":"remove","path":"/status"}]\'').steps
    assert step.command == PatchObject(
        kind="Deployment",
        namespace="default",
        name="d",
        patch='[{"op": "remove", "path": "/status"}]',
        patch_kind="json",
        subresource="status",
    )


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("a: " + "{a: " * 100 + "1" + "}" * 100, "exceeded max depth"),
        ("\n".join(" " * level + "a:" for level in range(102)), "exceeded max depth"),
        ('{"a":' * 101 + "1" + "}" * 101, "exceeded max depth"),
        ("a: &x 1\nb: [" + ", ".join(["*x"] * 11) + "]", "it has more than 10 aliases"),
    ],
)
def test_patch_beyond_a_bound_is_refused_by_that_bound(patch: str, why: str) -> None:
    with pytest.raises(BadLine) as caught:
        action_of(session().world, f"patch deploy d -p '{patch}'")
    assert str(caught.value) == f"error: unable to parse the patch: {why}"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("a: &x 1\nb: [" + ", ".join(["*x"] * 10) + "]", {"a": 1, "b": [1] * 10}),
        ("spec: {day: 2026-01-31, at: 2026-01-31T10:00:00Z}", {"spec": {"day": "2026-01-31", "at": "2026-01-31T10:00:00Z"}}),
    ],
)
def test_patch_may_be_written_as_yaml(written: str, sent: object) -> None:
    (step,) = action_of(session().world, f"patch deploy d -p '{written}'").steps
    assert json.loads(getattr(step.command, "patch", "")) == sent


@pytest.mark.parametrize("line", ["apply -f -", "create -f pod.yaml", "replace -f -", "edit pod p"])
def test_manifest_is_for_the_editor(line: str) -> None:
    with pytest.raises(NeedsEditor) as caught:
        action_of(session().world, line)
    assert caught.value.object == ("Pod/default/p" if line.startswith("edit") else "")


def test_only_lines_that_change_something_act() -> None:
    assert [is_acting(line) for line in ("get pods", "kubectl delete pod x", "-n a label pod b c=d", "logs p", "'", "rollout")] == [
        False,
        True,
        True,
        False,
        False,
        True,
    ]


def test_verb_that_is_not_simulated_is_named() -> None:
    assert session().ask("replace deploy/d").startswith("error: there is no file here")


def test_line_changes_only_so_many_objects_at_once() -> None:
    many = session(*(pod(container(), name=f"p{number}") for number in range(51)))
    with pytest.raises(BadLine, match="at most 50 objects"):
        action_of(many.world, "label pods --all a=b")


def autoscaler(kubernetes: str, flags: str) -> tuple[str, dict[str, Any]]:
    """kubectl's output about an autoscaler for d, and the stored spec without its target."""
    asked = session(kubernetes=kubernetes)
    said = asked.ask(f"kubectl autoscale deploy d --max=5 {flags}")
    row = asked.world.tables.objects[("HorizontalPodAutoscaler", "default", "d")]
    document = json.loads(row.document)
    assert document["spec"].pop("scaleTargetRef") == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    return said, document


@pytest.mark.parametrize(
    ("kubernetes", "flags", "version", "spec"),
    [
        ("1.32", "--cpu-percent=60", "autoscaling/v1", {"targetCPUUtilizationPercentage": 60}),
        ("1.33", "--cpu-percent=60", "autoscaling/v2", {"cpu": {"type": "Utilization", "averageUtilization": 60}}),
        ("1.34", "--cpu=500", "autoscaling/v2", {"cpu": {"type": "AverageValue", "averageValue": "500m"}}),
        ("1.34", "--memory=200", "autoscaling/v2", {"memory": {"type": "AverageValue", "averageValue": "200Mi"}}),
        (
            "1.34",
            "--cpu=70% --memory=1Gi",
            "autoscaling/v2",
            {"cpu": {"type": "Utilization", "averageUtilization": 70}, "memory": {"type": "AverageValue", "averageValue": "1Gi"}},
        ),
    ],
)
def test_autoscaler_is_the_one_that_the_version_creates(kubernetes: str, flags: str, version: str, spec: dict[str, Any]) -> None:
    said, document = autoscaler(kubernetes, flags)
    assert said == "horizontalpodautoscaler.autoscaling/d autoscaled\n"
    assert document["apiVersion"] == version
    metrics = {item["resource"]["name"]: item["resource"]["target"] for item in document["spec"].get("metrics", ())}
    assert (metrics or {key: value for key, value in document["spec"].items() if key == "targetCPUUtilizationPercentage"}) == spec


def test_percentage_of_cpu_is_deprecated_from_1_34() -> None:
    said, _ = autoscaler("1.34", "--cpu-percent=60")
    assert said.startswith("Flag --cpu-percent has been deprecated, Use --cpu with percentage") and said.endswith("/d autoscaled\n")


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ("--cpu=50% --cpu-percent=50", "error: --cpu-percent and --cpu are mutually exclusive"),
        ("--cpu=x%", "error: invalid percentage value: x"),
        ("--memory=much", "error: invalid resource memory value: much"),
    ],
)
def test_autoscaler_of_a_wrong_target_is_not_made(flags: str, text: str) -> None:
    assert session(kubernetes="1.34").ask(f"kubectl autoscale deploy d --max=5 {flags}") == f"{text}\n"


def test_second_autoscaler_of_a_name_is_refused() -> None:
    asked = session()
    asked.ask("kubectl autoscale deploy d --max=5")
    text = 'Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling "d" already exists\n'
    assert asked.ask("kubectl autoscale deploy d --max=6") == text


# ---- roles -------------------------------------------------------------------------------------------------------------------------

OWNED = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "paused": False, "replicas": 2}}  # type: ignore[dict-item]


def owned() -> Session:
    """A session about a Deployment's two existing pods."""
    return session(OWNED, images=("busybox",))


def pod_names(one: Session) -> list[str]:
    return [row.name for row in pods_in(one.world.tables, "default")]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("delete pod deployment/d[2]", "2"),
        ("delete deployment/d[2]", "2"),
        ("delete po deployment/default/d[youngest] --now", "youngest"),
        ("exec deployment/d[oldest] -- ls", "oldest"),
        ("debug deployment/d[oldest] --image=busybox", "oldest"),
        ("evict deployment/d[2]", "2"),
        ("label pod deployment/d[2] a=b", "2"),
        ("-n default delete pod deployment/d[2]", "2"),
        ("delete pod deployment/d[2] -ndefault", "2"),
    ],
)
def test_line_names_a_pod_by_its_role_and_keeps_it(line: str, place: str) -> None:
    one = owned()
    name = pod_names(one)[0 if place == "oldest" else 1]
    (step,) = action_of(one.world, line).steps
    assert getattr(step.command, "target", "") == f"deployment/default/d[{place}]={name}"


def test_line_with_the_role_all_means_each_of_them() -> None:
    one = owned()
    assert [
        getattr(step.command, "target", "").partition("=")[2] for step in action_of(one.world, "delete pod deployment/d[all]").steps
    ] == (pod_names(one))


def test_line_that_names_a_controllers_pod_keeps_its_role() -> None:
    one = owned()
    (step,) = action_of(one.world, f"delete pod {pod_names(one)[1]}").steps
    assert getattr(step.command, "target", "") == f"deployment/default/d[2]={pod_names(one)[1]}"


def test_line_by_role_prints_the_pods_name() -> None:
    one = owned()
    name = pod_names(one)[1]
    assert one.ask("delete pod deployment/d[2]") == f'pod "{name}" deleted\n'


def test_brackets_behind_the_dashes_belong_to_the_container() -> None:
    (step,) = action_of(session().world, "exec p -- ls a/b[1]").steps
    assert getattr(step.command, "command", ()) == ("ls", "a/b[1]")


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("deployment/d[3]", "error: no pod has the role deployment/default/d[3] now"),
        ("deployment/d[eldest]", "error: “eldest” is not a place; use one of oldest"),
        ("deployment/team/d[1]", "error: no pod has the role deployment/team/d[1] now"),
        ("deployment/d[1] -n team", "error: no pod has the role deployment/team/d[1] now"),
        ("deployment/d[1] -n=team", "error: no pod has the role deployment/team/d[1] now"),
        ("deployment/d[1] -nteam", "error: no pod has the role deployment/team/d[1] now"),
        ("deployment/d[1] --namespace=team", "error: no pod has the role deployment/team/d[1] now"),
    ],
)
def test_line_with_a_role_that_nothing_has_is_refused(role: str, words: str) -> None:
    with pytest.raises(BadLine) as caught:
        action_of(owned().world, f"delete pod {role}")
    assert str(caught.value).startswith(words)


STATUS = 'patch pod p --subresource=status -p \'{"status":{"reason":"seen"}}\''


def test_patch_has_no_subresource_until_1_23() -> None:
    printed = session(kubernetes="1.23").ask(STATUS)
    assert printed.splitlines() == ["Error: unknown flag: --subresource", "See 'kubectl patch --help' for usage."]


def test_patch_of_a_subresource_from_1_24() -> None:
    assert session(kubernetes="1.24").ask(STATUS) == "pod/p patched\n"


@pytest.mark.parametrize(("kubernetes", "known"), [("1.24", "status scale"), ("1.31", "status scale"), ("1.32", "status scale resize")])
def test_other_subresources_are_refused_with_those_that_kubectl_knows(kubernetes: str, known: str) -> None:
    printed = session(kubernetes=kubernetes).ask(STATUS.replace("=status", "=ephemeralcontainers"))
    assert printed == f'error: invalid subresource value: "ephemeralcontainers". Must be one of [{known}]\n'


def test_resize_is_a_subresource_of_the_client_from_1_32() -> None:
    printed = session(kubernetes="1.31").ask(STATUS.replace("=status", "=resize"))
    assert printed == 'error: invalid subresource value: "resize". Must be one of [status scale]\n'


def test_debug_is_refused_where_ephemeral_containers_are_off() -> None:
    here = session(kubernetes="1.20", gates={"EphemeralContainers": False})
    assert here.ask("debug p --image=busybox:1.28 -c look").splitlines() == [
        'error: ephemeral containers are disabled for this cluster (error from server: "the server could not find the requested resource").'
    ]
    assert "look" not in here.ask("get pod p -o yaml")


def test_debug_names_its_container_before_it_is_refused_from_1_22() -> None:
    lines = session(kubernetes="1.22", gates={"EphemeralContainers": False}).ask("debug p --image=busybox:1.28").splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["Defaulting", "error:"]


@pytest.mark.parametrize("what", ["pod p", "deploy d"])
def test_patch_of_the_name_is_a_bad_request(what: str) -> None:
    name = what.partition(" ")[2]
    printed = session().ask(f'patch {what} -p \'{{"metadata":{{"name":"y"}}}}\'')
    assert printed == f"Error from server (BadRequest): the name of the object (y) does not match the name on the URL ({name})\n"


def test_cause_that_is_found_twice_is_printed_once() -> None:
    printed = session().ask('patch pod p -p \'{"metadata":{"uid":"other"}}\'')
    assert printed == 'The Pod "p" is invalid: metadata.uid: Invalid value: "other": field is immutable\n'


def test_variable_is_set_and_taken_away() -> None:
    asked = session()
    path = "get deploy d -o jsonpath='{.spec.template.spec.containers[0].env}'"
    assert asked.ask("set env deploy/d A=b C=d") == "deployment.apps/d env updated\n"
    assert json.loads(asked.ask(path)) == [{"name": "A", "value": "b"}, {"name": "C", "value": "d"}]
    assert asked.ask("set env deploy/d A-") == "deployment.apps/d env updated\n"
    assert json.loads(asked.ask(path)) == [{"name": "C", "value": "d"}]
    assert asked.ask("set env deploy/d") == ""


def test_command_may_be_run_in_a_pod_of_a_workload() -> None:
    running = json.loads(json.dumps(DEPLOYMENT))
    running["spec"]["paused"] = False
    running["spec"]["template"]["spec"]["containers"] = [{"name": "a", "image": "busybox:1.28", "command": ["sleep", "3600"]}]
    assert session(running).ask("exec deploy/d -- hostname").startswith("d-")


def test_switches_may_be_taken_back_in_one_word() -> None:
    assert session().ask("exec -it=false p -- echo hi") == "hi\n"


def test_patch_does_not_say_that_its_server_only_tried_it() -> None:
    line = """patch pod p -p '{"metadata":{"labels":{"a":"b"}}}' --dry-run=server"""
    assert session().ask(line) == "pod/p patched\n"


def test_cascade_of_old_clients_leaves_what_belongs_to_an_object_and_is_warned_of() -> None:
    said = session().ask("delete deploy d --cascade=false").splitlines()
    warned = "warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan."
    assert said == [warned, 'deployment.apps "d" deleted']


def test_deletion_that_is_not_waited_for_takes_no_time() -> None:
    here = session(pod(container("trap '' TERM; sleep 600"), terminationGracePeriodSeconds=60))
    assert here.ask("delete pod p --wait=false") == 'pod "p" deleted\n'
    assert here.now_ms == 5_000 and "Terminating" in here.ask("get pod p")


def test_older_kubectl_refuses_a_label_as_it_is_and_calls_its_removal_labeled() -> None:
    here = session(kubernetes="1.20")
    here.ask("label pod p tier=front")
    assert here.ask("label pod p tier=front") == "error: 'tier' already has a value (front), and --overwrite is false\n"
    assert here.ask("label pod p tier-") == "pod/p labeled\n"


def test_list_prints_labels_and_changes_nothing() -> None:
    here = session()
    here.ask("label pod p tier=front")
    assert "tier=front" in here.ask("label pod p --list").splitlines()
    assert not is_acting("label pod p --list")


@pytest.mark.parametrize(
    ("kubernetes", "more"), [("1.20", ""), ("1.30", ": the server rejected our request due to an error in our request")]
)
def test_json_patch_that_does_not_apply_is_reported_by_version(kubernetes: str, more: str) -> None:
    patch = '[{"op":"remove","path":"/metadata/labels/none"}]'
    assert session(kubernetes=kubernetes).ask(f"patch pod p --type=json -p '{patch}'") == f"The request is invalid{more}\n"


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--cpu-percent=-1 --min=1", "1 "),
        ("--cpu-percent=0 --min=0", " 0"),
        ("--cpu-percent=1 --min=2", "2 1"),
    ],
)
def test_autoscaler_has_the_numbers_that_say_something(flags: str, shown: str) -> None:
    path = "{.spec.minReplicas} {.spec.targetCPUUtilizationPercentage}"
    assert session().ask(f"autoscale deploy d --max=3 {flags} --dry-run=client -o jsonpath='{path}'") == shown
