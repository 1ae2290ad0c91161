"""The editor's reading and writing of YAML, asked for directly in a browser."""

import pytest

from simulator.scenarios.story import read_stories

pytestmark = pytest.mark.e2e

PLACES = {
    "spec:\n  containers:\n  - name: app\n    im¦": ["key", "spec.containers[]", "im"],
    "spec:\n  containers:\n    - name: app\n      livenessProbe:\n        httpGet:\n          ¦": [
        "key",
        "spec.containers[].livenessProbe.httpGet",
        "",
    ],
    "spec:\n  restartPolicy: Al¦\n": ["value", "spec.restartPolicy", "Al"],
    "spec:\n  containers:\n  - ¦\n": ["key", "spec.containers[]", ""],
    "spec:\n  containers:\n  - {name: app, im¦": ["key", "spec.containers[]", "im"],
    "spec:\n  containers:\n  - {ports: [{containerPort: 8¦": ["value", "spec.containers[].ports[].containerPort", "8"],
    "spec:\n  containers:\n  - command:\n    - sh¦": ["key", "spec.containers[].command[]", "sh"],
    "kind: Pod\n---\nkind: Service\nsp¦": ["key", "", "sp"],
    "data:\n  script: |\n    if¦": ["none", "", ""],
    "spec: # no¦": ["none", "", ""],
}
PLACE = """async (text) => {
  const [{ placeAt }, { joined }] = await Promise.all([import("/static/js/editor/place.js"), import("/static/js/editor/schema.js")]);
  const found = placeAt(text.replace("¦", ""), text.indexOf("¦"));
  return [found.at, joined(found.path), found.word];
}"""
REWRITTEN = """async (texts) => {
  const { readParts } = await import("/static/js/editor/yaml-edit.js");
  const { containersOf } = await import("/static/js/editor/pods.js");
  const odd = [];
  let written = 0;
  for (const text of texts) {
    for (const index of readParts(text).keys()) {
      for (const own of containersOf(readParts(text)[index])) {
        const part = readParts(text)[index];
        part.set([...own.path, "image"], "example.com/other:9");
        const { from, to, insert } = part.change();
        const fresh = text.slice(0, from) + insert + text.slice(to);
        const [before, after] = [text.split("\\n"), fresh.split("\\n")];
        const changed = after.filter((line, at) => line !== before[at]);
        written += 1;
        if (after.length !== before.length || changed.length !== 1 || !changed[0].includes("example.com/other:9")) odd.push(fresh);
      }
    }
  }
  return { odd, written };
}"""


@pytest.fixture
def page(visit):
    return visit().open("/new/")


def test_place_in_half_written_yaml_has_its_path(page):
    assert {text: page.evaluate(PLACE, text) for text in PLACES} == PLACES


def test_written_value_changes_one_line_of_every_story(page):
    texts = [story.manifest for story in read_stories()]
    found = page.evaluate(REWRITTEN, texts)
    assert found["odd"] == []
    assert found["written"] >= len(texts)
