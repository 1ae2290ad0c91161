"""Exporting a scenario and importing it again, and the messages about invalid files."""

import json

import pytest
from msgspec.structs import replace

from simulator.bench.hostile.files import DAY_MS, FILES
from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.model.times import EPOCH_S_MAX
from simulator.imports.build import import_text
from simulator.manifests.script.cluster import NODES_MAX, equal_nodes
from simulator.runs.log.content import Content
from simulator.scenarios.build import story_content
from simulator.scenarios.links import packed, unpacked
from simulator.scenarios.portable import SEED_MAX, TEXT_MAX, TRY_WORK, BadFile, Limits, file_text, read_file
from simulator.scenarios.story import read_stories
from simulator.web.gallery.imports import content_of, example
from tests.counted import counted
from tests.factories import make_content

LIMITS = Limits(commands_max=100, until_ms_max=3_600_000)
STORIES = read_stories()
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: 'busybox:1.36'}]}\n"


def acted(story) -> Content:
    acts = tuple(Stamped(at_ms=step.at_ms, n=n, command=step.command) for n, step in enumerate(story.answer_steps(), start=1))
    return replace(story_content(story), commands=acts, until_ms=max((act.at_ms for act in acts), default=0) + 1000)


def file(**fields: object) -> str:
    return json.dumps({"podscope": 1, "kubernetes": "1.33", "manifests": POD} | fields)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_story_with_its_acts_comes_back_as_it_went(story):
    content = acted(story)
    assert read_file(file_text(content, title=story.title), LIMITS) == (content, story.title)


def test_imported_past_comes_back_as_it_went():
    content = content_of(import_text(example(), kubernetes="", seed=1))
    limits = Limits(commands_max=100, until_ms_max=10**9)
    assert read_file(file_text(content, title="x"), limits)[0] == content


def test_objects_that_nobody_wrote_down_come_back_too():
    content = make_content()  # its source differs from that of its header
    found, _title = read_file(file_text(content, title="x"), LIMITS)
    assert [json.loads(text)["metadata"]["name"] for text in found.header.manifests] == ["web"]
    assert found.source == content.source


def test_text_for_a_link_says_the_same_on_one_line():
    content = acted(STORIES[0])
    text = file_text(content, title="x", indent=0)
    assert "\n" not in text and read_file(text, LIMITS) == read_file(file_text(content, title="x"), LIMITS)


def test_largest_cluster_comes_back_from_file_and_link():
    content = story_content(STORIES[0])
    size = {"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "250"}
    cluster = replace(content.header.cluster, nodes=equal_nodes(NODES_MAX, size))
    content = replace(content, header=replace(content.header, cluster=cluster))
    assert read_file(file_text(content, title="x"), LIMITS)[0] == content
    assert read_file(unpacked(packed(file_text(content, title="x", indent=0))), LIMITS)[0] == content


def test_file_by_hand_needs_little():
    content, title = read_file(file(), LIMITS)
    assert (content.header.seed, content.until_ms, title) == (1, 0, "") and len(content.header.cluster.nodes) == 3


DELETE = {"at_ms": 5, "do": "delete_pod", "target": "default/web"}
IMAGES = [{"name": f"image-{n}:1"} for n in range(1000)]
NODE = {"name": "n1", "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
BAD = {
    "not JSON": ("{", "not JSON"),
    "a list": ("[]", "podscope"),
    "another program's": ('{"version": 1}', "podscope"),
    "a later format": (file(podscope=2), "podscope: "),
    "unknown field": (file(colour="red"), "colour"),
    "wrong type": (file(seed="many"), "seed: "),
    "seed out of range": (file(seed=-1), "seed: "),
    "unknown version": (file(kubernetes="9.99"), "kubernetes: 9.99"),
    "unknown gate": (file(gates={"NoSuchGate": True}), "gates.NoSuchGate"),
    "manifest with an error": (file(manifests=POD.replace("image:", "imagePullpolicy: Always, image:")), "manifests, line 4"),
    "no manifest": (file(manifests=""), "manifests: "),
    "too long": (file(until_ms=3_600_001), "until_ms: "),
    "unknown act": (file(acts=[{"at_ms": 1, "do": "explode"}], until_ms=9), "acts[0]."),
    "act without its field": (file(acts=[{"at_ms": 1, "do": "delete_pod"}], until_ms=9), "acts[0]."),
    "act without a moment": (file(acts=[{"do": "delete_pod", "target": "default/web"}], until_ms=9), "acts[0].at_ms"),
    "act after the end": (file(acts=[DELETE], until_ms=4), "acts[0].at_ms"),
    "acts out of order": (file(acts=[DELETE, DELETE | {"at_ms": 1}], until_ms=9), "acts: "),
    "too many acts": (file(acts=[DELETE] * 101, until_ms=9), "acts: "),
    "object with an error": (file(objects=[json.dumps({"kind": "Pod", "apiVersion": "v1"})]), "objects, line 1"),
    "too many nodes": (file(cluster={"nodes": [NODE | {"name": f"n{n}"} for n in range(1001)]}), "cluster.nodes"),
    "two nodes of one name": (file(cluster={"nodes": [NODE, NODE]}), "cluster.nodes"),
    "odd quantity": (file(cluster={"nodes": [NODE | {"capacity": {"cpu": "lots"}}]}), "cluster.nodes[0].capacity.cpu"),
    "odd runtime": (file(cluster={"nodes": [NODE], "runtime": "rkt"}), "cluster.runtime"),
    "runtime that the version has not": (file(cluster={"nodes": [NODE], "runtime": "docker"}), "cluster.runtime"),
    "odd stand-in": (file(cluster={"nodes": [NODE], "stand_ins": {"nginx": "no"}}), "cluster.stand_ins.nginx"),
    "too large": (file(title="x" * TEXT_MAX), "2 MB"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_by_the_name_of_its_place(case):
    text, place = BAD[case]
    with pytest.raises(BadFile) as refused:
        read_file(text, LIMITS)
    assert any(place in problem for problem in refused.value.problems), refused.value.problems


def test_file_that_no_run_could_have_written_is_refused_rather_than_played():
    with pytest.raises(BadFile, match="past.resume_ms"):
        read_file(file(past={"resume_ms": "soon"}), LIMITS)
    imported = json.loads(file_text(content_of(import_text(example(), kubernetes="", seed=1)), title="x"))
    imported["past"]["pods"][0]["document"] = "{}"
    with pytest.raises(BadFile, match="cannot be played"):
        read_file(json.dumps(imported), Limits(commands_max=100, until_ms_max=10**9))


def test_acts_stand_in_the_order_of_their_moments_whatever_order_they_were_given_in():
    moments = ((1, 30_000), (2, 10_000), (3, 10_000))
    commands = tuple(Stamped(at_ms=at_ms, n=n, command=DeletePod(target="default/web", grace_s=n)) for n, at_ms in moments)
    content, _title = read_file(file_text(replace(make_content(), commands=commands, until_ms=40_000), title="x"), LIMITS)
    assert [(item.at_ms, item.command.grace_s) for item in content.commands] == [(10_000, 2), (10_000, 3), (30_000, 1)]


@pytest.mark.parametrize("name", FILES)
def test_file_that_takes_long_to_play_is_tried_for_so_much_work_and_taken(name, monkeypatch):
    with counted(monkeypatch) as count:
        content, _title = read_file(FILES[name], Limits(commands_max=2000, until_ms_max=DAY_MS))
    # An event and a record are a unit each, so the last event and the initial records are added.
    assert 1000 < count.done < TRY_WORK + 10_000
    assert content.until_ms == DAY_MS


EDGES = [
    ({"seed": 0}, True),
    ({"seed": SEED_MAX}, True),
    ({"seed": SEED_MAX + 1}, False),
    ({"until_ms": 0}, True),
    ({"until_ms": -1}, False),
    ({"until_ms": 3_600_000}, True),
    ({"epoch_s": 0}, True),
    ({"epoch_s": -1}, False),
    ({"epoch_s": EPOCH_S_MAX}, True),
    ({"epoch_s": EPOCH_S_MAX + 1}, False),
    ({"until_ms": 9, "acts": [DELETE] * 100}, True),
    ({"until_ms": 5, "acts": [DELETE]}, True),
    ({"until_ms": 9, "acts": [DELETE | {"at_ms": 0}]}, True),
    ({"until_ms": 9, "acts": [DELETE | {"at_ms": -1}]}, False),
    ({"until_ms": 9, "acts": [DELETE | {"at_ms": True}]}, False),
    ({"until_ms": 9, "acts": [DELETE | {"at_ms": 1.5}]}, False),
    ({"until_ms": 9, "manifests": "", "acts": [DELETE]}, True),
    ({"cluster": {"nodes": [NODE | {"name": f"n{n}"} for n in range(NODES_MAX)]}}, True),
    ({"cluster": {"nodes": [NODE | {"name": ""}]}}, False),
    ({"cluster": {"nodes": [NODE], "images": IMAGES}}, True),
    ({"cluster": {"nodes": [NODE], "images": [*IMAGES, {"name": "one-more:1"}]}}, False),
]


@pytest.mark.parametrize(("fields", "is_taken"), EDGES, ids=lambda value: str(value)[:60])
def test_file_may_say_as_much_as_its_bounds_allow(fields, is_taken):
    try:
        read_file(file(**fields), LIMITS)
    except BadFile:
        assert not is_taken
    else:
        assert is_taken
