"""Acts that name a pod or an object by its role: which one is meant at which moment, and the message if there is none."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from simulator.engine import Record, World
from simulator.engine.acts import all_acts
from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.narrator import headline
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.roles import BadRole, role_of, with_role
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.units import Key
from simulator.engine.projection.pod import pod_view
from simulator.engine.projection.text import fill, translated_text
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.versions.usual import ERAS
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_in
from simulator.engine.world.world import Tables
from tests.engine.acts.sending import command_of, offers_of
from tests.engine.worlds import container, header, run, script


def owner(kind: str = "Deployment", replicas: int = 3, name: str = "web", **spec: Any) -> dict[str, Any]:
    """A workload of that kind, with pods that use their whole grace period."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [container("trap '' TERM; sleep 600")], "terminationGracePeriodSeconds": 20, **spec},
    }
    counted = {} if kind == "DaemonSet" else {"replicas": replicas}
    named = {"serviceName": name} if kind == "StatefulSet" else {}
    selector = {"selector": {"matchLabels": {"app": name}}}
    return {
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": {**counted, **named, **selector, "template": template},
    }  # fmt: skip


def job(name: str = "report", **spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [container("sleep 600")], "restartPolicy": "Never"}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {**spec, "template": template}}


def names(world: World) -> list[str]:
    """The pods in order of creation."""
    return [row.name for row in pods_in(world.tables, "default")]


def commands(records: list[Record]) -> list[Record]:
    return [record for record in records if record.kind == "command"]


def meant(target: str, *documents: dict[str, Any], at: float = 20.0, before: tuple[tuple[float, AnyCommand], ...] = (), **more: Any) -> str:
    """The pod that an act with this target reaches, by its position in the order of creation before the act: "2 of 3"."""
    head = header(*(documents or (owner(),)), **more)
    world, _ = run(head, at, *before)
    there = names(world)
    _, records = run(head, at, *before, (at, DeletePod(target=target)))
    own = commands(records)[-1]
    if own.target == "refused":
        return own.rule
    return f"{there.index(own.subject.rpartition('/')[2]) + 1} of {len(there)}"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("oldest", "1 of 3"),
        ("youngest", "3 of 3"),
        ("1", "1 of 3"),
        ("2", "2 of 3"),
        ("4", "COMMAND-NO-ROLE"),
        ("finished", "COMMAND-NO-ROLE"),
    ],
)
@pytest.mark.parametrize("seed", [1, 42, 7000])
def test_place_counts_the_order_of_creation_at_every_seed(place: str, expected: str, seed: int) -> None:
    assert meant(f"deployment/default/web[{place}]", seed=seed, jitter=True) == expected


@pytest.mark.parametrize("version", ERAS)
def test_role_means_the_same_under_every_version(version: str) -> None:
    assert meant("deployment/default/web[2]", kubernetes=version) == "2 of 3"


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_pods_of_every_kind_of_owner_are_found(kind: str) -> None:
    assert meant(f"{kind.lower()}/default/web[2]", owner(kind)) == "2 of 3"


def test_pod_of_a_job_is_found_by_its_job() -> None:
    assert meant("job/default/report[2]", job(completions=2, parallelism=2)) == "2 of 2"


def test_pod_of_a_cron_job_is_found_through_its_jobs() -> None:
    spec = job()["spec"]
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "c"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": spec}},
    }
    assert meant("cronjob/default/c[youngest]", cron, at=130.0) == "2 of 2"


def test_pod_of_a_daemon_set_is_found_by_its_node() -> None:
    _, records = run(header(owner("DaemonSet"), nodes=3), 20.0, (20.0, DeletePod(target="daemonset/default/web[node=node2]")))
    (own,) = commands(records)
    world, _ = run(header(owner("DaemonSet"), nodes=3), 20.0)
    assert own.target == "accepted" and world.tables.pods[own.subject.partition("/")[2]].node == "node2"


AGAIN = (
    (20.0, DeleteObject(kind="Deployment", namespace="default", name="web")),
    (24.0, ApplyManifest(documents=(json.dumps(owner(replicas=1)),))),
)
"""A Deployment is deleted, and recreated while its pods are still in their grace period."""


def test_pods_of_a_deleted_owner_do_not_count_for_a_new_one_of_its_name() -> None:
    assert meant("deployment/default/web[oldest]", at=30.0, before=AGAIN) == "4 of 4"
    assert meant("deployment/default/web[terminating]", at=30.0, before=AGAIN) == "COMMAND-NO-ROLE"
    world, _ = run(header(owner()), 30.0, *AGAIN)
    old, *_, new = (f"default/{name}" for name in names(world))
    assert (with_role(world.tables, old), "[oldest]" in with_role(world.tables, new)) == (old, True)


def test_pods_whose_owner_is_gone_keep_the_role_that_names_it() -> None:
    deleted = (20.0, DeleteObject(kind="ReplicaSet", namespace="default", name="web"))
    assert meant("replicaset/default/web[terminating]", owner("ReplicaSet"), at=22.0, before=(deleted,)) == "1 of 3"


def test_pods_of_others_do_not_count() -> None:
    assert meant("deployment/default/api[oldest]", owner(), owner(name="api", replicas=1)) == "4 of 4"


def test_place_counts_those_that_stay_before_those_that_go() -> None:
    gone = (20.0, DeletePod(target="deployment/default/web[oldest]"))
    again = DeletePod(target="deployment/default/web[oldest]")
    _, records = run(header(owner()), 21.0, gone, (21.0, again))
    first, second = commands(records)
    assert first.subject != second.subject


def test_pod_that_is_being_deleted_is_meant_where_there_is_no_other() -> None:
    twice = DeletePod(target="statefulset/default/web[oldest]")
    _, records = run(header(owner("StatefulSet", replicas=1)), 21.0, (20.0, twice), (20.5, twice))
    assert [record.target for record in commands(records)] == ["accepted", "accepted"]


def test_those_that_go_have_a_place_of_their_own() -> None:
    gone = DeletePod(target="deployment/default/web[2]")
    forced = DeletePod(target="deployment/default/web[terminating]", grace_s=0, force=True)
    _, records = run(header(owner()), 22.0, (20.0, gone), (21.0, forced))
    first, second = commands(records)
    assert (second.target, second.subject) == ("accepted", first.subject)


def test_finished_pods_have_a_place_of_their_own() -> None:
    end = ExitContainer(target="job/default/report[oldest]", container="app", exit_code=1)
    late = (60.0, DeletePod(target="job/default/report[finished]"))
    _, records = run(header(job(backoffLimit=3)), 60.0, (20.0, end), late)
    ended, deleted = commands(records)
    assert deleted.target == "accepted" and ended.subject == f"container/{deleted.subject.partition('/')[2]}/app"


def test_all_reaches_each_of_them_with_one_record_of_the_command() -> None:
    world, records = run(header(owner()), 22.0, (20.0, DeletePod(target="deployment/default/web[all]")))
    (own,) = commands(records)
    assert own.subject == "deployment/default/web"
    assert headline(own).english == "You deleted pod " + ", ".join(names(run(header(owner()), 20.0)[0]))
    assert sum(row.deletion_ms is not None for row in pods_in(world.tables, "default")) == 3


def test_all_lists_those_for_which_the_act_was_refused_meanwhile() -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
    }
    _, records = run(header(owner(), budget), 21.0, (20.0, EvictPod(target="deployment/default/web[all]")))
    assert [record.target for record in commands(records)] == ["accepted"]
    assert len([record for record in records if record.target == "act-refused"]) == 2


@pytest.mark.parametrize(("place", "expected"), [("2", "ccd"), ("all", "ccccdcdcd")])
def test_all_are_checked_before_anything_is_done_and_each_again_at_its_turn(
    place: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """c: checked, d: done. A single one is handled like several."""
    act, told = ACTS.of(DeletePod(target="")), []

    def handler(fx: Effects, command: DeletePod) -> Doing:
        told.append("c")
        doing = act.handler(fx, command)
        return lambda: (told.append("d"), doing())[1]

    monkeypatch.setitem(ACTS._by_command, DeletePod, replace(act, handler=handler))
    run(header(owner()), 22.0, (20.0, DeletePod(target=f"deployment/default/web[{place}]")))
    assert "".join(told) == expected


def test_record_names_the_role_and_the_pod() -> None:
    world, records = run(header(owner()), 20.0, (20.0, DeletePod(target="deployment/default/web[2]")))
    (own,) = commands(records)
    assert (own.get("role"), own.subject) == ("deployment/default/web[2]", f"pod/default/{names(world)[1]}")


def test_role_that_nothing_has_is_refused_with_a_sentence_that_names_it() -> None:
    _, records = run(header(owner()), 20.0, (20.0, DeletePod(target="deployment/default/web[4]")))
    (own,) = commands(records)
    assert (own.target, own.rule, own.subject) == ("refused", "COMMAND-NO-ROLE", "deployment/default/web")
    sentence = fill(RULEBOOK[own.rule].sentence, dict(own.data))
    assert "deployment/default/web[4]" in sentence and "3" in sentence


@pytest.mark.parametrize(
    "text", ["deployment/web[oldest]", "deployment/default/web[eldest]", "deployment/default/web[0]", "default/web[1]"]
)
def test_text_in_brackets_that_is_not_a_role_is_refused_with_a_message(text: str) -> None:
    _, records = run(header(owner()), 20.0, (20.0, DeletePod(target=text)))
    (own,) = commands(records)
    assert (own.target, own.rule) == ("refused", "COMMAND-BAD-VALUE") and str(own.get("message"))
    with pytest.raises(BadRole):
        role_of(text)


def test_script_of_the_header_takes_roles() -> None:
    head = header(owner(), script=script((20.0, DeletePod(target="deployment/default/web[2]"))))
    _, records = run(head, 21.0)
    assert [record.target for record in commands(records)] == ["accepted"]


def test_object_is_named_by_its_role_where_its_name_differs_by_version() -> None:
    patch = json.dumps({"metadata": {"labels": {"seen": "yes"}}})
    act = PatchObject(kind="ReplicaSet", name="deployment/default/web[oldest]", patch=patch)
    found = {run(header(owner(), kubernetes=version), 20.0, (20.0, act))[1][-1].subject for version in ("1.20", "1.36")}
    outcomes = [commands(run(header(owner(), kubernetes=version), 20.0, (20.0, act))[1])[0].target for version in ("1.20", "1.36")]
    assert outcomes == ["accepted", "accepted"] and len(found) == 2


def test_sentence_shows_the_name_that_was_clicked_on() -> None:
    act = ACTS.of(DeletePod(target="deployment/default/web[2]=web-abc"))
    assert sentence_of(act, DeletePod(target="deployment/default/web[2]=web-abc")).english == "Delete default/web-abc"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("deployment/default/api[oldest]", "Delete the oldest pod of Deployment api"),
        ("deployment/shop/api[youngest]", "Delete the youngest pod of Deployment shop/api"),
        ("replicaset/default/api[2]", "Delete pod 2 of ReplicaSet api (oldest first)"),
        ("daemonset/default/agent[node=node-3]", "Delete the pod of DaemonSet agent on node-3"),
        ("job/default/report[all]", "Delete all pods of Job report"),
        ("deployment/default/api[terminating]", "Delete the terminating pod of Deployment api"),
        ("job/default/report[finished=2]", "Delete finished pod 2 of Job report"),
    ],
)
def test_act_describes_a_role_in_words(target: str, words: str) -> None:
    assert sentence_of(ACTS.of(DeletePod(target=target)), DeletePod(target=target)).english == words


def test_act_on_another_kind_has_its_role_in_parentheses() -> None:
    act = DeleteObject(kind="ReplicaSet", namespace="default", name="deployment/default/web[oldest]")
    assert sentence_of(ACTS.of(act), act).english == "Delete ReplicaSet (the oldest of Deployment web)"


def test_role_is_translated_with_the_sentence_that_names_it() -> None:
    act = DeletePod(target="deployment/default/api[oldest]")
    text = sentence_of(ACTS.of(act), act)
    assert translated_text(text, lambda msgid: f"<{msgid}>") == "<Delete <the oldest pod of Deployment api>>"


def test_object_acts_on_pods_take_roles_too() -> None:
    act = DeleteObject(kind="Pod", namespace="default", name="deployment/default/web[youngest]")
    world, records = run(header(owner()), 20.0, (20.0, act))
    assert commands(records)[0].subject == f"pod/default/{names(world)[2]}"


# ---- clicked targets ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1, 2])
def test_role_of_a_pod_means_that_pod(number: int) -> None:
    world, _ = run(header(owner()), 20.0)
    name = names(world)[number]
    target = with_role(world.tables, f"default/{name}")
    assert target == f"deployment/default/web[{('oldest', '2', '3')[number]}]={name}"
    _, records = run(header(owner()), 20.0, (20.0, DeletePod(target=target)))
    assert commands(records)[0].subject == f"pod/default/{name}"


@pytest.mark.parametrize("state", ["terminating", "finished"])
def test_role_of_a_pod_that_leaves_means_that_pod(state: str) -> None:
    if state == "finished":
        head, act = header(job(backoffLimit=3)), ExitContainer(target="job/default/report[oldest]", container="app", exit_code=1)
        at = 60.0
    else:
        head, act, at = header(owner()), DeletePod(target="deployment/default/web[2]"), 21.0  # type: ignore[assignment]
    world, records = run(head, at, (20.0, act))
    key = commands(records)[0].subject.split("/", 1)[1].removesuffix("/app")
    target = with_role(world.tables, key)
    assert f"[{state}]=" in target
    _, records = run(head, at, (20.0, act), (at, DeletePod(target=target.partition("=")[0], grace_s=0, force=True)))
    assert commands(records)[1].subject == f"pod/{key}"


def test_name_behind_a_role_goes_before_the_place() -> None:
    world, _ = run(header(owner()), 20.0)
    third = names(world)[2]
    _, records = run(header(owner()), 20.0, (20.0, DeletePod(target=f"deployment/default/web[oldest]={third}")))
    assert commands(records)[0].subject == f"pod/default/{third}"


def test_pod_that_was_clicked_on_and_went_meanwhile_is_not_replaced_by_another() -> None:
    world, _ = run(header(owner()), 20.0)
    name = names(world)[0]
    clicked = DeletePod(target=f"deployment/default/web[oldest]={name}")
    _, records = run(header(owner()), 30.0, (20.0, DeletePod(target=f"default/{name}", force=True)), (25.0, clicked))
    assert [(record.target, record.rule) for record in commands(records)][1] == ("refused", "COMMAND-NO-POD")


@pytest.mark.parametrize("seed", [2, 3, 42])
def test_act_that_was_clicked_is_carried_out_at_another_seed_and_version(seed: int) -> None:
    world, _ = run(header(owner(), jitter=True, seed=1, kubernetes="1.30"), 20.0)
    pod_view_of = pod_view(world, f"default/{names(world)[1]}")
    assert pod_view_of is not None
    offer = next(offer for offer in ACTS.about(world, pod_view_of).on_pod() if offer.do == "delete_pod")
    _, records = run(header(owner(), jitter=True, seed=seed, kubernetes="1.36"), 20.0, (20.0, command_of(offer)))
    other, _ = run(header(owner(), jitter=True, seed=seed, kubernetes="1.36"), 20.0)
    (own,) = commands(records)
    assert (own.target, own.subject) == ("accepted", f"pod/default/{names(other)[1]}")


def test_every_offer_on_a_controllers_pod_names_it_by_its_role() -> None:
    world, _ = run(header(owner()), 20.0)
    key = f"default/{names(world)[2]}"
    targets = {offer.given["target"] for offer in offers_of(world) if str(offer.given.get("target", "")).endswith(key.partition("/")[2])}
    assert targets == {f"deployment/default/web[3]={key.partition('/')[2]}"}


def test_role_of_a_pod_is_looked_up_once_for_all_that_is_offered_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = {"exec": {"command": ["true"]}}
    world, _ = run(header(owner(containers=[container("sleep 600", name=name, livenessProbe=probe) for name in ("app", "log")])), 20.0)
    view = pod_view(world, f"default/{names(world)[0]}")
    asked: list[str] = []

    def counted(tables: Tables, key: Key) -> str:
        asked.append(key)
        return with_role(tables, key)

    monkeypatch.setattr(all_acts, "with_role", counted)
    assert view is not None
    offers = ACTS.about(world, view)
    assert asked == []
    every = [*offers.on_pod(), *(offer for item in view.containers for offer in offers.on_container(item))]
    every += [offer for item in view.containers for one in item.probes for offer in offers.on_probe(item, one)]
    assert {offer.do for offer in every} >= {"delete_pod", "exit_container", "set_probe"}
    assert asked == [view.key]


def test_place_counts_where_nobody_has_the_name_behind_it() -> None:
    assert meant("deployment/default/web[2]=web-of-another-seed") == "2 of 3"


def test_role_of_a_daemon_sets_pod_is_its_node() -> None:
    world, _ = run(header(owner("DaemonSet"), nodes=2), 20.0)
    row = pods_in(world.tables, "default")[1]
    assert with_role(world.tables, row.key) == f"daemonset/default/web[node={row.node}]={row.name}"


def test_name_that_is_the_same_at_every_seed_stays() -> None:
    world, _ = run(header(owner("StatefulSet")), 60.0)
    assert with_role(world.tables, "default/web-1") == "default/web-1"
