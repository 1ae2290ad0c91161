"""kubectl set image: which container of a pod gets the image."""

import json

from simulator.engine import apply
from simulator.engine.acts.pods.set_image import SetPodImage
from simulator.engine.apiserver.documents.objects import object_document
from simulator.manifests.script.script import read_script
from tests.engine.worlds import container, header, pod, run

SLEEPS = "sleep 3600"


def started():
    document = pod(container(SLEEPS), initContainers=[container(SLEEPS, name="i")])
    return run(header(document), 5)[0]


def images(world):
    spec = object_document(world, "Pod", "default", "p")["spec"]
    return {item["name"]: item["image"] for item in (*spec["containers"], *spec["initContainers"])}


def set_image(world, name):
    return apply(world, SetPodImage(target="default/p", container=name, image="busybox:1.36"))[0]


def test_init_container_gets_the_image_that_a_script_names():
    world = started()
    before = images(world)
    (step,) = read_script("- {at: 1, set-image: {name: p, container: i, image: 'busybox:1.36'}}", kubernetes="1.30").steps
    assert apply(world, step.command)[0].target == "accepted"
    assert images(world) == {**before, "i": "busybox:1.36"}


def test_container_gets_the_image():
    world = started()
    before = images(world)
    assert set_image(world, "app").target == "accepted"
    assert images(world) == {**before, "app": "busybox:1.36"}


def test_star_means_all_of_them():
    world = started()
    set_image(world, "*")
    assert set(images(world).values()) == {"busybox:1.36"}


def test_container_that_is_not_there_is_refused_by_name():
    refused = set_image(started(), "other")
    assert (refused.target, dict(refused.data)["message"]) == ("refused", 'unable to find container named "other"')


def test_patch_of_a_missing_image_is_refused():
    refused = apply(started(), SetPodImage(target="default/p", container="app", image=""))[0]
    assert "image: Required value" in json.dumps(refused.data)
