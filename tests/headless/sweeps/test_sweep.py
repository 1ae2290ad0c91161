"""A sweep: its cells, its summaries, and what is refused."""

import json
from typing import Any

import msgspec
import pytest

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.acts.workloads.scale import ScaleWorkload
from simulator.engine.projection.text import Text
from simulator.headless.refused import RefusedAct
from simulator.headless.sweeps.fields import field_of
from simulator.headless.sweeps.sweep import (
    CELL,
    REFUSED_MAX,
    BadSweep,
    Summary,
    Sweep,
    SweepCell,
    SweepPlan,
    encode_sweep,
    seeds_of,
    summaries,
    sweep_id,
    values_of,
)
from simulator.headless.sweeps.table import sweep_json, sweep_table
from tests.engine.worlds import container, header, pod, run, script, stamped

LATE = "sleep 7; touch /ok; sleep 600"
HANGS = "touch /ok; sleep 20; rm /ok; sleep 25; touch /ok; sleep 600"
LOOK = {"exec": {"command": ["cat", "/ok"]}, "periodSeconds": 5}
PERIOD = "spec.containers[0].readinessProbe.periodSeconds"
THRESHOLD = "spec.containers[0].livenessProbe.failureThreshold"
READY = header(pod(container(LATE, readinessProbe=LOOK)))
HANG = header(pod(container(HANGS, livenessProbe=LOOK)))


def plan(base=READY, **fields) -> SweepPlan:
    """A plan of a small sweep."""
    values = {"field": PERIOD, "values": (1, 10), "seeds": (1, 2, 3), "outcome": "time-to-ready", "until_ms": 60_000}
    return SweepPlan(Sweep(header=base, **(values | fields)))


def cells_of(one: SweepPlan) -> list[SweepCell]:
    return [one.play(value, seed) for value, seed in one.places()]


def test_time_to_ready_grows_with_the_period_of_the_probe() -> None:
    one = plan(values=(1, 20))
    often, seldom = summaries(one.sweep, cells_of(one), one.unit)
    assert often.middle is not None and seldom.middle is not None
    assert 7_000 < often.middle < 10_000 < seldom.middle
    assert often.happened == seldom.happened == 3


def test_restarts_end_where_the_threshold_outlasts_the_hang() -> None:
    one = plan(HANG, field=THRESHOLD, values=(1, 3, 8), outcome="restarts", until_ms=120_000)
    assert [row.most for row in summaries(one.sweep, cells_of(one), one.unit)] == [2, 1, 0]


def test_no_request_fails_once_a_hook_sleeps_as_long_as_the_proxies_need() -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    service["metadata"]["annotations"] = {"podscope.dev/load": "rate=100 duration=50ms after=5s"}
    pods = [pod({"name": "app", "image": "nginx:1.16.1"}, name=name) for name in "ab"]
    for one in pods:
        one["metadata"]["labels"] = {"app": "web"}
    field, deletes = "Pod/a: spec.containers[0].lifecycle.preStop.sleep.seconds", tuple(stamped((10, DeletePod(target="default/a"))))
    asked = plan(
        header(service, *pods, kubernetes="1.34"), field=field, values=(0, 2), outcome="failed-requests", commands=deletes, until_ms=20_000
    )
    none, some = summaries(asked.sweep, cells_of(asked), asked.unit)
    assert none.least > 0 and some.most == 0
    late = plan(
        header(service, *pods, kubernetes="1.34"),
        field=field,
        values=(0,),
        outcome="failed-requests:refused",
        commands=deletes,
        until_ms=20_000,
    )
    assert 0 < summaries(late.sweep, cells_of(late), late.unit)[0].most < none.most


def test_sweep_gives_the_same_cells_again() -> None:
    assert cells_of(plan()) == cells_of(plan())


def test_seeds_give_different_runs() -> None:
    cells = cells_of(plan(header(pod(container("sleep 600"))), field="spec.terminationGracePeriodSeconds", values=(1,)))
    assert len({cell.value for cell in cells}) > 1


def test_one_seed_keeps_the_delays_of_the_run() -> None:
    assert plan(seeds=(5,)).header(1, 5).jitter is READY.jitter is False
    assert plan(seeds=(5, 6)).header(1, 5).jitter is True


def test_cell_names_the_moment_and_subject_of_its_outcome() -> None:
    cell = plan().play(1, 1)
    assert cell.at_ms == cell.value and cell.subject == "condition/default/p/Ready"


def test_outcome_that_does_not_happen_is_never() -> None:
    one = plan(until_ms=3_000)
    assert one.play(1, 1) == SweepCell()
    assert summaries(one.sweep, [one.play(1, 1)], one.unit)[0].happened == 0


def test_commands_of_the_run_are_given_in_every_cell() -> None:
    deletes = tuple(stamped((10, DeletePod(target="default/p"))))
    one = plan(commands=deletes, field="spec.terminationGracePeriodSeconds", values=(2, 30), outcome="time-to-gone", seeds=(1,))
    short, long = (cell.value for cell in cells_of(one))
    assert short is not None and 2_000 <= short < 4_000 and long is not None and long >= 30_000


def test_value_that_the_api_server_refuses_says_why_in_its_cells() -> None:
    one = plan(values=(-1, 1))
    refused, played = one.play(-1, 1), one.play(1, 1)
    assert refused.problem == f"{PERIOD}: Invalid value: -1: must be greater than or equal to 0"
    assert refused.value is None and played.problem == ""


@pytest.mark.parametrize(
    ("outcome", "value"),
    [("failed-probes", 4), ("failed-probes:liveness", 2), ("failed-probes:startup", 0), ("events:unhealthy", 4), ("events:BackOff", 0)],
)
def test_outcomes_count_what_their_argument_says(outcome: str, value: int) -> None:
    both = header(pod(container(HANGS, livenessProbe=LOOK, readinessProbe=LOOK)))
    one = plan(both, field=THRESHOLD, values=(9,), seeds=(1,), outcome=outcome, until_ms=34_900)
    assert one.play(9, 1).value == value


def test_time_ready_ends_where_readiness_is_lost() -> None:
    one = plan(header(pod(container("touch /ok; sleep 20; rm /ok; sleep 600", readinessProbe=LOOK))), outcome="time-ready", values=(1, 5))
    short, long = (cell.value for cell in cells_of(one)[::3])
    assert short is not None and long is not None and 15_000 < short < long < 40_000


def test_time_to_end_is_never_where_the_pod_goes_on() -> None:
    ends = header(pod(container("sleep 3"), restartPolicy="Never"))
    grace = "spec.terminationGracePeriodSeconds"
    assert (plan(ends, field=grace, outcome="time-to-end").play(1, 1).value or 0) > 3_000
    assert plan(ends, field=grace, outcome="time-to-end:Failed").play(1, 1).value is None
    assert plan(field=grace, outcome="time-to-end").play(1, 1).value is None


def test_pods_that_the_pattern_leaves_out_do_not_count() -> None:
    two = header(pod(container("sleep 600"), name="web-1"), pod(container("exit 1"), name="job-1"))
    grace = "web-1: spec.terminationGracePeriodSeconds"
    counts = [plan(two, field=grace, outcome="restarts", pod=pattern).play(1, 1).value or 0 for pattern in ("", "web-*", "job-1")]
    assert counts[1] == 0 and counts[0] == counts[2] > 0


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("field", {"field": "spec.nothing"}),
        ("outcome", {"outcome": "nothing"}),
        ("outcome", {"outcome": "events"}),
        ("outcome", {"outcome": "restarts:x"}),
        ("values", {"values": ()}),
        ("seeds", {"seeds": ()}),
        ("until", {"until_ms": 0}),
    ],
)
def test_sweep_that_cannot_be_made_names_its_part(part: str, fields: dict) -> None:
    with pytest.raises(BadSweep) as refused:
        plan(**fields)
    assert refused.value.part == part


@pytest.mark.parametrize(
    ("text", "values"),
    [("0..30/10", (0, 10, 20, 30)), ("1..3", (1, 2, 3)), ("5,1,5", (5, 1)), ("7", (7,)), ("-1..1", (-1, 0, 1)), ("0..7/5", (0, 5))],
)
def test_values_are_read(text: str, values: tuple[int, ...]) -> None:
    assert values_of(text) == values


@pytest.mark.parametrize("text", ["", ",", "x", "1..", "3..1", "1..5/0", "1..99999999", "64Mi", "1.5", "9" * 30])
def test_values_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadSweep) as refused:
        values_of(text)
    assert refused.value.part == "values"


@pytest.mark.parametrize("text", ["1.5Gi..3Gi", "1Gi..3Mi", "64Mi..96Mi/0"])
def test_quantities_that_make_no_row_are_refused(text: str) -> None:
    with pytest.raises(BadSweep) as refused:
        values_of(text, field_of(READY, "spec.containers[0].resources.limits.memory"))
    assert refused.value.part == "values"


def test_values_of_a_quantity_keep_their_unit() -> None:
    field = field_of(READY, "spec.containers[0].resources.limits.memory")
    assert values_of("64Mi..256Mi/64Mi", field) == ("64Mi", "128Mi", "192Mi", "256Mi")
    assert values_of("100m,1", field) == ("100m", 1)
    assert len(values_of("1e3..3e3/1e3", field)) == 3


@pytest.mark.parametrize("text", ["", "-1", "x", "1..2000", "1..99999999999"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadSweep) as refused:
        seeds_of(text)
    assert refused.value.part == "seeds"


def test_equal_sweeps_have_equal_names_and_others_have_others() -> None:
    assert sweep_id(plan().sweep) == sweep_id(plan().sweep)
    assert len({sweep_id(plan(**fields).sweep) for fields in ({}, {"values": (1,)}, {"seeds": (1,)}, {"until_ms": 1}, {"pod": "x"})}) == 5
    assert encode_sweep(plan().sweep) == encode_sweep(plan().sweep)


def test_summary_is_of_the_runs_in_which_it_happened() -> None:
    one = plan(values=(1,))
    cells = [SweepCell(10), SweepCell(None), SweepCell(40)]
    assert summaries(one.sweep, cells, one.unit) == (Summary(value=1, measured=3, happened=2, least=10, middle=25.0, most=40, mean=25.0),)


def test_table_has_a_row_per_value_with_a_chart_and_lists_problems_once() -> None:
    one = plan(values=(-1, 1, 10))
    lines = list(sweep_table(one, cells_of(one)))
    assert lines[0].startswith("Time to Ready against spec.containers[0].readinessProbe.periodSeconds, 3 seeds, 60 s")
    assert [line.split()[:2] for line in lines[2:5]] == [["-1", "0/0"], ["1", "3/3"], ["10", "3/3"]]
    assert "●" in lines[3] and lines[5:] == [f"-1: {one.refusal(-1)}"]


def test_json_has_every_cell() -> None:
    one = plan()
    found = sweep_json(one, cells_of(one))
    assert [[cell["seed"] for cell in row["cells"]] for row in found["values"]] == [[1, 2, 3]] * 2
    assert found["values"][0]["median"] == summaries(one.sweep, cells_of(one), one.unit)[0].middle


def test_pod_that_is_never_ready_has_no_time_ready() -> None:
    assert plan(outcome="time-ready", until_ms=3_000).play(1, 1).value is None


def replicas(number: int = 2, script: str = "sleep 600") -> dict[str, object]:
    """A ReplicaSet."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod(container(script))["spec"]}
    spec = {"replicas": number, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}


def test_workload_is_whole_later_the_more_pods_it_has() -> None:
    one = plan(header(replicas()), field="spec.replicas", values=(0, 1, 20), outcome="time-to-whole", seeds=(1,))
    none, few, many = (cell.value for cell in cells_of(one))
    assert none is not None and few is not None and many is not None and none < few < many


def test_workload_is_short_of_pods_from_the_loss_of_one_until_another_is_ready() -> None:
    probe = {"exec": {"command": ["true"]}, "initialDelaySeconds": 0, "periodSeconds": 1}
    template = replicas()
    template["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = probe
    drains = tuple(stamped((30, DrainNode(node="node1", ignore_daemonsets=True))))
    delay = "spec.template.spec.containers[0].readinessProbe.initialDelaySeconds"
    one = plan(header(template, nodes=2), commands=drains, field=delay, values=(0, 10), seeds=(1,), outcome="time-short")
    soon, late = (cell.value for cell in cells_of(one))
    assert soon is not None and late is not None and 0 < soon < 5_000 and soon + 5_000 < late < 20_000


def test_workload_that_is_never_whole_is_not_short() -> None:
    one = plan(header(replicas(script="exit 1")), field="spec.replicas", values=(2,), outcome="time-short", seeds=(1,))
    assert one.play(2, 1).value is None


# ---- acts that are refused, and acts that write the field ---------------------------------------------------------------------------

WEB = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [container(resources={"requests": {"cpu": "100m"}})], "terminationGracePeriodSeconds": 5},
        },
    },
}
SET_GRACE = "spec.template.spec.terminationGracePeriodSeconds"


def of_seed_1() -> str:
    """A pod's name that is true for seed 1 with its delays drawn."""
    world, _ = run(header(WEB, jitter=True, seed=1), 10)
    return next(iter(world.tables.pods))


def test_cell_whose_act_was_refused_is_not_a_result_and_says_so() -> None:
    acts = tuple(stamped((10, DeletePod(target=of_seed_1()))))
    one = plan(header(WEB), field=SET_GRACE, values=(1, 5), seeds=(1, 2, 3), outcome="time-to-gone", commands=acts, until_ms=30_000)
    cells = cells_of(one)
    assert [cell.is_result for cell in cells] == [True, False, False] * 2
    assert [cell.value for cell in cells if cell.refused] == [None] * 4
    (act,) = cells[1].refused
    assert act.words == f"10 s, Delete {of_seed_1()}: There is no pod with that name at this moment."
    assert CELL.from_json(msgspec.json.encode(cells[1])) == cells[1]


def test_cells_with_refused_acts_are_not_counted() -> None:
    acts = tuple(stamped((10, DeletePod(target="default/gone"))))
    one = plan(commands=acts)
    first, second = summaries(one.sweep, cells_of(one), one.unit)
    assert (first.measured, first.happened, first.least, first.mean, first.refused) == (0, 0, None, None, 3)
    assert first.refusal is not None and second.refusal is not None


def test_table_says_how_many_runs_are_not_counted_and_why() -> None:
    acts = tuple(stamped((10, DeletePod(target="default/gone"))))
    one = plan(commands=acts)
    lines = list(sweep_table(one, cells_of(one)))
    assert "[3 with a refused action, not counted]" in lines[2]
    assert lines[-2] == "In 6 of 6 runs an action was refused. These runs are not counted:"
    assert lines[-1] == "  6 × 10 s, Delete default/gone: There is no pod with that name at this moment."
    found = sweep_json(one, cells_of(one))["values"][0]
    assert found["refused"] == 3 and "value" not in found["cells"][0] and "default/gone" in found["cells"][0]["refused"][0]


def test_table_counts_the_refused_acts_that_it_does_not_name() -> None:
    acts = tuple(stamped(*((10 + n, DeletePod(target=f"default/gone-{n}")) for n in range(REFUSED_MAX + 2))))
    one = plan(commands=acts)
    cells = cells_of(one)
    assert {(len(cell.refused), cell.unnamed) for cell in cells} == {(REFUSED_MAX, 2)}
    assert CELL.from_json(msgspec.json.encode(cells[0])) == cells[0]
    assert list(sweep_table(one, cells))[-1] == "  … and 12 more refused actions"
    assert sweep_json(one, cells)["values"][0]["cells"][0]["unnamed"] == 2


@pytest.mark.parametrize(
    ("refused", "head"), [(1, "In 1 of 2 runs an action was refused. This run is not counted:"), (2, "These runs are not counted:")]
)
def test_one_run_with_a_refused_act_is_reported_as_one(refused: int, head: str) -> None:
    one = plan(values=(1,), seeds=(1, 2))
    void = SweepCell(refused=(RefusedAct(0, 1, Text("Delete it"), Text("It is gone.")),), unnamed=1)
    lines = list(sweep_table(one, [*[SweepCell(1)] * (2 - refused), *[void] * refused]))
    assert head in lines[-3] and lines[-1] == ("  … and 1 more refused action" if refused == 1 else "  … and 2 more refused actions")


def test_act_of_the_script_that_is_refused_counts_too() -> None:
    base = header(pod(container(LATE, readinessProbe=LOOK)), script=script((10, DeletePod(target="default/gone"))))
    one = plan(base)
    assert all(cell.refused[0].words.startswith("10 s, Delete default/gone") for cell in cells_of(one))


def test_act_by_role_is_carried_out_at_every_seed() -> None:
    acts = tuple(stamped((10, DeletePod(target="replicaset/default/web[oldest]"))))
    one = plan(header(WEB), field=SET_GRACE, values=(1, 5), seeds=(1, 2, 3), outcome="time-to-gone", commands=acts, until_ms=30_000)
    assert all(cell.is_result and cell.value for cell in cells_of(one))


def grace_of(seconds: int) -> dict[str, Any]:
    return json.loads(json.dumps(WEB).replace('"terminationGracePeriodSeconds": 5', f'"terminationGracePeriodSeconds": {seconds}'))


GRACE_PATCH = json.dumps({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 9}}}})
JSON_PATCH = json.dumps([{"op": "replace", "path": "/spec/template/spec/terminationGracePeriodSeconds", "value": 9}])
LABEL_PATCH = json.dumps({"metadata": {"labels": {"a": "b"}}})
ON_SET = {"kind": "ReplicaSet", "namespace": "default", "name": "web"}
CPU = "spec.containers[0].resources.requests.cpu"
POD_WITH_CPU = header(pod(container(resources={"requests": {"cpu": "100m"}})), kubernetes="1.35")
WRITES: list[tuple[Any, str, AnyCommand]] = [
    (header(WEB), SET_GRACE, PatchObject(**ON_SET, patch=GRACE_PATCH)),
    (header(WEB), SET_GRACE, PatchObject(**ON_SET, patch=GRACE_PATCH, patch_kind="merge")),
    (header(WEB), SET_GRACE, PatchObject(**ON_SET, patch=JSON_PATCH, patch_kind="json")),
    (header(WEB), SET_GRACE, ApplyManifest(documents=(json.dumps(grace_of(7)),))),
    (header(WEB), SET_GRACE, ReplaceObject(document=json.dumps(grace_of(7)))),
    (header(WEB), "spec.replicas", ScaleWorkload(**ON_SET, replicas=5)),
    (POD_WITH_CPU, CPU, ResizePod(target="default/p", requests={"cpu": "1"})),
    (header(pod(container())), "spec.activeDeadlineSeconds", PatchPod(target="default/p", patch='{"spec":{"activeDeadlineSeconds":9}}')),
]
LEAVES: list[tuple[Any, str, AnyCommand]] = [
    (header(WEB), SET_GRACE, PatchObject(**ON_SET, patch=LABEL_PATCH)),
    (header(WEB), SET_GRACE, PatchObject(**{**ON_SET, "name": "other"}, patch=GRACE_PATCH)),
    (header(WEB), SET_GRACE, PatchObject(**{**ON_SET, "kind": "Deployment"}, patch=GRACE_PATCH)),
    (header(WEB), SET_GRACE, PatchObject(**ON_SET, patch="no patch", patch_kind="merge")),
    (header(WEB), SET_GRACE, ApplyManifest(documents=(json.dumps(grace_of(7)),), create=True)),
    (header(WEB), SET_GRACE, ScaleWorkload(**ON_SET, replicas=5)),
    (header(WEB), SET_GRACE, DeletePod(target="replicaset/default/web[oldest]")),
    (POD_WITH_CPU, CPU, ResizePod(target="default/p", requests={"memory": "1Gi"})),
    (POD_WITH_CPU, CPU, ResizePod(target="default/q", requests={"cpu": "1"})),
]


@pytest.mark.parametrize(("base", "field", "act"), WRITES, ids=lambda value: type(value).__name__)
def test_field_that_an_act_writes_cannot_be_swept(base: Any, field: str, act: AnyCommand) -> None:
    with pytest.raises(BadSweep, match=r"sets this field at 12\.5 s \(") as caught:
        plan(base, field=field, commands=tuple(stamped((12.5, act))))
    assert caught.value.part == "field" and caught.value.step is None


@pytest.mark.parametrize(("base", "field", "act"), LEAVES, ids=lambda value: type(value).__name__)
def test_field_that_no_act_writes_can_be_swept(base: Any, field: str, act: AnyCommand) -> None:
    assert plan(base, field=field, commands=tuple(stamped((12.5, act)))).field.path == field


def test_act_after_the_end_of_the_sweep_writes_nothing_that_counts() -> None:
    assert plan(header(WEB), field=SET_GRACE, commands=tuple(stamped((60, PatchObject(**ON_SET, patch=GRACE_PATCH)))))


def test_step_of_a_script_that_writes_the_field_is_named() -> None:
    steps = script((1, DeletePod(target="default/x")), (5, PatchObject(**ON_SET, patch=GRACE_PATCH)))
    with pytest.raises(BadSweep) as caught:
        plan(header(WEB, script=steps), field=SET_GRACE)
    assert caught.value.step == 1
