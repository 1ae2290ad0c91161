"""The title of a run of manifests."""

import pytest

from simulator.manifests.check.check import check_text
from simulator.scenarios.build import TITLE_CHARS_MAX, title_of

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: app, image: nginx}]}\n"
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: app, image: nginx}]}
"""
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {selector: {app: shop}, ports: [{port: 80}]}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {}\n"


@pytest.mark.parametrize(
    ("documents", "title"),
    [
        ([POD % "web"], "web"),
        ([POD % "web", POD % "cache"], "web, cache"),
        ([CONFIG % "shop", DEPLOYMENT % "shop", SERVICE % "shop"], "shop: Deployment, ConfigMap, Service"),
        ([CONFIG % "settings", SERVICE % "front", DEPLOYMENT % "shop"], "shop, settings, front"),
        ([DEPLOYMENT % "shop", SERVICE % "shop", POD % "db"], "shop, db"),
        ([POD % name for name in ("a", "b", "c", "d")], "a, b, c, …"),
    ],
)
def test_title_names_what_the_run_is_about_once(documents, title):
    checked = check_text("---\n".join(documents), kubernetes="1.33")
    assert checked.ok, checked.problems
    assert title_of(checked) == title


def test_title_that_is_cut_says_so():
    checked = check_text("---\n".join([POD % (letter * 60) for letter in "ab"]), kubernetes="1.33")
    assert title_of(checked).endswith("bbb…")
    assert len(title_of(checked)) == 80


def test_title_of_three_names_and_of_just_so_many_characters_is_whole():
    three = check_text("---\n".join([POD % letter for letter in "abc"]), kubernetes="1.33")
    assert title_of(three) == "a, b, c"
    for chars, is_whole in ((TITLE_CHARS_MAX - 62, True), (TITLE_CHARS_MAX - 61, False)):
        checked = check_text("---\n".join([POD % ("a" * 60), POD % ("b" * chars)]), kubernetes="1.33")
        assert title_of(checked).endswith("…") is not is_whole
        assert len(title_of(checked)) == TITLE_CHARS_MAX
