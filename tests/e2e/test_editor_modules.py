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

COMMANDS = [
    ("kubectl label pod web {name}={value}", {"name": "tier", "value": "not ok!"}, "kubectl label pod web tier='not ok!'"),
    ("kubectl label pod web {name}={value}", {"name": "tier", "value": ""}, "kubectl label pod web tier-"),
    ("""-p '{"finalizers":["{value}"]}'""", {"value": "a/b, c/d"}, """-p '{"finalizers":["a/b","c/d"]}'"""),
    ("""-p '{"finalizers":["{value}"]}'""", {"value": ""}, """-p '{"finalizers":null}'"""),
    ("""-p '{"limits":{"cpu":"{cpu}","memory":"{memory}"}}'""", {"cpu": "", "memory": "1Gi"}, """-p '{"limits":{"memory":"1Gi"}}'"""),
    ("kubectl exec web -- {words}", {"words": "sh -c 'ls /'"}, "kubectl exec web -- sh -c 'ls /'"),
]
COMMAND = """async ([template, values]) => {
  const { commandLine } = await import("/static/js/acts.js");
  return commandLine(template, (name) => values[name] ?? null);
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


def test_command_line_is_fit_for_a_shell(page):
    assert [page.evaluate(COMMAND, [template, values]) for template, values, _line in COMMANDS] == [line for *_given, line in COMMANDS]
