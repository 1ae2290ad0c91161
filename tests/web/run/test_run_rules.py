"""Small decisions of a run's page, one by one: what a panel is about, what is asked, and which record is explained."""

from types import SimpleNamespace

import pytest

from simulator.engine.kernel.records import Record
from simulator.runs.log.outlook import AHEAD_MS, Outlook
from simulator.web.run import inspector, kept, panels, predict, why
from simulator.web.run.predictions import (
    COUNTS_MAX,
    GONE,
    HORIZON_MS,
    PodInQuestion,
    StandingPod,
    _exit,
    _restarts,
    _turns,
    _when,
    _word,
    riddles,
    tells_enough,
)
from simulator.web.run.why import _newest

WEB, APP, DB = "pod/default/web", "container/default/web/app", "pod/default/db"


def record(seq, subject=WEB, machine="status_word", target="Error", at_ms=0, **data):
    return Record(seq, at_ms, "transition", subject, machine, "", "", target, 0, "R", tuple(data.items()))


def scene(*past, sel="", key="default/web", node_name=""):
    return SimpleNamespace(past=past, sel=sel, key=key, node_name=node_name)


@pytest.mark.parametrize(
    ("shown", "seq"),
    [
        (scene(), 0),
        (scene(record(1), record(2, DB)), 1),
        (scene(record(1, DB)), 0),
        (scene(record(1), record(2, APP)), 1),
        (scene(record(1, APP)), 1),
        (scene(record(1, APP), node_name="node1"), 0),
        (scene(record(1), record(2), sel=DB), 2),
        (scene(record(1, DB), record(2), sel=DB), 1),
        (scene(record(1, APP, "container", "running"), record(2, APP, "probe", "failed"), sel=APP), 2),
        (scene(record(1, APP, "container", "stopping"), record(2, APP, "probe", "failed"), sel=APP), 1),
        (scene(record(1, APP, "container", "stopping"), record(2, APP, "container", "exited"), record(3, APP, "probe"), sel=APP), 3),
        (scene(record(1), record(2, APP, "probe"), record(3), sel=APP), 2),
    ],
)
def test_newest_record_about_what_is_selected_is_explained_or_why_it_stops(shown, seq):
    assert _newest(shown) == seq


def standing(word="Running", subject=WEB, is_restarted=True, is_deleted=False):
    return StandingPod(subject, word, is_restarted, is_deleted)


PODS = {"default/web": standing(), "default/db": standing(subject=DB)}


@pytest.mark.parametrize(
    ("records", "turns"),
    [
        ([], {}),
        ([record(1, target="Running")], {}),
        ([record(1, machine="phase")], {}),
        ([record(1, "pod/default/other")], {}),
        ([record(1, DB), record(2), record(3, DB, target="Completed")], {"default/db": 1, "default/web": 2}),
    ],
)
def test_pod_turns_where_its_status_first_changes(records, turns):
    found = _turns(PODS, records)
    assert ({key: each.seq for key, each in found.items()}, [*found]) == (turns, [*turns])


@pytest.mark.parametrize(
    ("until_ms", "records", "enough"), [(61_000, [record(1)], True), (60_999, [record(1)], False), (99_000, [], False)]
)
def test_look_ahead_is_enough_once_something_changes_and_restarts_can_be_counted(until_ms, records, enough):
    assert tells_enough(PODS, 1000)(records, until_ms) is enough


@pytest.mark.parametrize(("sel", "subject"), [("", DB), (WEB, WEB), (APP, WEB), (DB, DB), ("pod/default/other", DB)])
def test_question_is_about_what_is_selected_or_what_changes_first(sel, subject):
    ahead = Outlook(after=0, until_ms=99_000, records=[record(1, DB), record(2)])
    assert {riddle.subject for riddle in riddles(PODS, 0, ahead, sel=sel)} == {subject}


def question(*records, until_ms=99_000, now_ms=1000, turn=None, **pod):
    return PodInQuestion(standing(**pod), now_ms, turn or record(1), Outlook(after=0, until_ms=until_ms, records=[*records]))


@pytest.mark.parametrize(
    ("at_ms", "truth"), [(1001, "0"), (3000, "0"), (3001, "1"), (11_000, "1"), (11_001, "2"), (61_000, "2"), (61_001, "3")]
)
def test_length_falls_into_one_of_four_stretches(at_ms, truth):
    riddle = _when(question(turn=record(1, at_ms=at_ms)))
    assert (riddle.truth, len(riddle.choices)) == (truth, 4)


@pytest.mark.parametrize(
    ("pod", "target", "truth", "others"),
    [
        ({}, "Error", "Error", {"Completed", "CrashLoopBackOff", "OOMKilled"}),
        ({"is_restarted": False}, "Error", "Error", {"Completed", "OOMKilled", "Terminating"}),
        ({"word": "Pending"}, "Running", "Running", {"ErrImagePull", "Error", "ContainerCreating"}),
        ({"word": "Terminating"}, "", GONE, {"Error", "Completed", "Running"}),
    ],
)
def test_words_to_choose_from_are_those_that_may_follow(pod, target, truth, others):
    riddle = _word(question(turn=record(1, target=target), **pod))
    assert (riddle.truth, {choice.value for choice in riddle.choices}) == (truth, {truth, *others})
    assert ("is gone at" in riddle.told) is (truth == GONE)


def started(seq, at_ms, instance=1, subject=APP):
    return record(seq, subject, "container_status", "running", at_ms, instance=instance)


@pytest.mark.parametrize(
    ("records", "truth", "seq"),
    [
        ([], "0", 0),
        ([started(1, 5000), started(2, 61_000)], "2", 2),
        ([started(1, 5000), started(2, 61_001)], "1", 1),
        ([started(1, 5000, instance=0)], "0", 0),
        ([started(1, 5000, subject="container/default/db/app")], "0", 0),
        ([record(1, APP, "container", "running", 5000, instance=1)], "0", 0),
        ([started(n, n * 1000) for n in range(1, 9)], str(COUNTS_MAX), 8),
    ],
)
def test_restarts_are_counted_within_a_minute(records, truth, seq):
    riddle = _restarts(question(*records))
    assert riddle is not None and (riddle.truth, riddle.seq) == (truth, seq)


@pytest.mark.parametrize(
    ("fields", "is_asked"),
    [
        ({}, True),
        ({"until_ms": 1000 + HORIZON_MS}, True),
        ({"until_ms": 999 + HORIZON_MS}, False),
        ({"is_restarted": False}, False),
        ({"is_deleted": True}, False),
    ],
)
def test_restarts_are_asked_about_only_where_there_may_be_some_and_all_are_seen(fields, is_asked):
    assert (_restarts(question(**fields)) is not None) is is_asked


@pytest.mark.parametrize(
    ("records", "truth"),
    [
        ([], None),
        ([record(1, APP, "container", "exited", exit_code=3), record(2, APP, "container", "exited", exit_code=1)], "3"),
        ([record(1, "container/default/db/app", "container", "exited", exit_code=3)], None),
        ([record(1, APP, "container", "exited")], None),
        ([record(1, APP, "container_status", "exited", exit_code=3)], None),
        ([record(1, APP, "container", "running", exit_code=3)], None),
    ],
)
def test_exit_code_is_that_of_the_next_container_of_the_pod(records, truth):
    riddle = _exit(question(*records))
    assert (riddle and riddle.truth) == truth


@pytest.mark.parametrize(
    ("until_ms", "words"), [(5000 + AHEAD_MS, "within the next hour"), (4999 + AHEAD_MS, "in the next 59"), (4000, "in the next 0")]
)
def test_page_says_how_far_it_has_looked_where_nothing_will_change(until_ms, words):
    assert words in predict._why_nothing(5000, Outlook(after=0, until_ms=until_ms, records=[]))


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"parent": "own"}, None),
        ({"parent": "other"}, "other"),
        ({"share_id": "abc"}, "kept abc"),
        ({"share_id": "abc", "is_frozen": True}, None),
        ({"parent": "own", "share_id": "abc"}, None),
        ({}, None),
    ],
)
def test_run_continues_its_parent_or_the_run_of_its_link_if_other_rules_recorded_that(monkeypatch, fields, source):
    monkeypatch.setattr(kept, "is_kept", lambda run: run == "other")
    monkeypatch.setattr(kept, "share_kept_run", lambda share_id: f"kept {share_id}")
    assert kept._source_of(SimpleNamespace(**{"parent": None, "share_id": "", "is_frozen": False} | fields)) == source


def of_panel(monkeypatch, **fields):
    monkeypatch.setattr(panels, "kubectl", lambda world, line, now_ms: f"output of {line}")
    return SimpleNamespace(world=SimpleNamespace(header=SimpleNamespace(namespace="default")), now_ms=0, **fields)


@pytest.mark.parametrize(
    ("node", "command"),
    [(None, ""), (SimpleNamespace(name="n", is_deleted=True), ""), (SimpleNamespace(name="n", is_deleted=False), "kubectl get node n")],
)
def test_panel_of_a_node_shows_its_object_while_there_is_one(monkeypatch, node, command):
    found = panels._of_node(of_panel(monkeypatch, node=node), "get node {}")
    assert found == {"text": command and f"output of {command.removeprefix('kubectl ')}", "command": command}


@pytest.mark.parametrize(
    ("kind", "namespace", "command"),
    [
        ("Service", "default", "kubectl get services web"),
        ("Service", "dev", "kubectl get services web -n dev"),
        ("Namespace", "", "kubectl get namespaces web"),
        ("Widget", "dev", "kubectl get widget web -n dev"),
    ],
)
def test_panel_of_an_object_names_its_namespace_if_it_is_another(monkeypatch, kind, namespace, command):
    about = SimpleNamespace(kind=kind, namespace=namespace, name="web")
    assert panels._of_object(of_panel(monkeypatch), about, "get {}")["command"] == command


@pytest.mark.parametrize(
    ("word", "values", "has_reason"),
    [("", (), False), ("answered", (), False), ("refused", (), True), ("answered", (("pods", 2),), True), ("", (("pods", 2),), True)],
)
def test_outcome_of_requests_has_a_reason_unless_they_are_simply_answered(monkeypatch, word, values, has_reason):
    line = SimpleNamespace(word=word, rule="R", values=values, counts=(3, 0, 5))
    view = SimpleNamespace(counts=(3, 0, 5), lines=[line], rates=())
    monkeypatch.setattr(inspector, "requests_view", lambda world, namespace, name, *, now_ms: view)
    monkeypatch.setattr(inspector, "RULEBOOK", {"R": SimpleNamespace(sentence="Why.")})
    found = inspector._requests(None, SimpleNamespace(kind="Service", namespace="default", name="web"), 0)
    assert (bool(found["lines"][0]["why"]), found["lines"][0]["counts"], found["totals"]) == (has_reason, [3, 5], [3, 5])


def test_only_a_service_gets_requests(monkeypatch):
    monkeypatch.setattr(inspector, "requests_view", lambda *_, **__: pytest.fail("asked"))
    assert inspector._requests(None, SimpleNamespace(kind="Deployment", namespace="default", name="web"), 0) is None


@pytest.mark.parametrize(
    ("rec", "newest", "seq", "asked"),
    [(2, 9, 2, [2]), (3, 9, 3, [3]), (4, 1, 1, [1]), (0, 1, 1, [1]), (0, 0, 0, []), (0, 3, 3, [3]), (0, 4, 4, [])],
)
def test_chosen_record_is_explained_or_else_the_newest(monkeypatch, rec, newest, seq, asked):
    explained = []
    monkeypatch.setattr(why, "explain", SimpleNamespace(why=lambda past, seq: explained.append(seq) or ("step",)))
    monkeypatch.setattr(why, "_newest", lambda scene: newest)
    monkeypatch.setattr(why, "_with_lines", lambda scene, steps: [*steps])
    found = why.why_panel(SimpleNamespace(rec=rec, seq=3, past=[1, 2, 3], part=""))
    assert (found["seq"], explained, found["shown"]) == (seq, asked, "sentences")


@pytest.mark.parametrize(
    ("part", "steps", "shown", "has_sequence"),
    [("sequence", (1,), "sequence", True), ("sequence", (), "sequence", False), ("nonsense", (1,), "sentences", False)],
)
def test_chain_is_drawn_as_a_sequence_where_it_is_asked_for(monkeypatch, part, steps, shown, has_sequence):
    monkeypatch.setattr(why, "explain", SimpleNamespace(why=lambda past, seq: steps))
    monkeypatch.setattr(why, "_with_lines", lambda scene, steps: [])
    monkeypatch.setattr(why, "_sequence", lambda steps, past: "drawn")
    found = why.why_panel(SimpleNamespace(rec=1, seq=3, past=[1, 2, 3], part=part))
    assert (found["shown"], "sequence" in found) == (shown, has_sequence)


def test_time_stands_beside_the_first_message_of_an_instant(monkeypatch):
    steps = [SimpleNamespace(seq=n, at_ms=at_ms) for n, at_ms in ((3, 9000), (2, 5000), (1, 5000))]
    monkeypatch.setattr(why, "step_context", lambda step: {"seq": step.seq})
    monkeypatch.setattr(why, "message_of", lambda record: ("api", "kubelet"))
    found = why._sequence(steps, [1, 2, 3])
    assert [(row["seq"], row["time"]) for row in found["rows"]] == [(1, "0:05.0"), (2, ""), (3, "0:09.0")]


@pytest.mark.parametrize(
    ("sel", "namespace", "gone_ms", "line", "is_refused"),
    [
        ("pod/default/web", "default", None, "logs web -c first", True),
        ("container/default/web/app", "default", None, "logs web -c app", True),
        ("container/dev/web/app", "dev", None, "logs web -c app -n dev", True),
        ("container/dev/web/app", "dev", 5, "logs web -c app -n dev", False),
    ],
)
def test_logs_are_those_of_the_selected_container_with_its_line(monkeypatch, sel, namespace, gone_ms, line, is_refused):
    row = SimpleNamespace(name="web", namespace=namespace, gone_ms=gone_ms)
    world = SimpleNamespace(header=SimpleNamespace(namespace="default"), tables=SimpleNamespace(pods={"key": row}))
    monkeypatch.setattr(
        panels, "log_view", lambda world, key, container, *, now_ms: SimpleNamespace(container=container or "first", parts=())
    )
    monkeypatch.setattr(panels, "readable", lambda row, container: {})
    monkeypatch.setattr(panels, "kubectl", lambda world, line, *, now_ms: f"refused: {line}")
    found = panels.logs_panel(SimpleNamespace(sel=sel, key="key", world=world, now_ms=0))
    assert (found["line"], found["refused"]) == (line, f"refused: {line}" if is_refused else "")


def test_nothing_is_read_where_no_pod_is_selected():
    assert panels.logs_panel(SimpleNamespace(sel="node/node1", key="", world=None, now_ms=0)) == {"view": None}
