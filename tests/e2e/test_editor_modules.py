"""The editor's reading and writing of YAML, called directly in a browser."""

import pytest
import yaml

from simulator.scenarios.story import read_stories

pytestmark = pytest.mark.e2e

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


def test_written_value_changes_one_line_of_every_story(page):
    texts = [story.manifest for story in read_stories()]
    found = page.evaluate(REWRITTEN, texts)
    assert found["odd"] == []
    assert found["written"] >= len(texts)


PRESUMED = """async ([text, at]) => {
  const { readParts } = await import("/static/js/editor/yaml-edit.js");
  const { containersOf } = await import("/static/js/editor/pods.js");
  const words = await import("/static/js/editor/behaviour-text.js");
  const part = readParts(text)[0];
  const own = { ...containersOf(part)[at], part };
  const block = words.behaviourOf(part);
  words.writePresumed(block, own);
  const edit = block.change();
  return block.whole.slice(0, edit.from) + edit.insert + block.whole.slice(edit.to);
}"""
MANIFEST = """kind: Pod
spec:
  initContainers:
  - {name: init, image: example/init:1}
  containers:
  - name: app
    image: example/app:1
    ports: [{name: web, containerPort: 8080}]
    readinessProbe: {httpGet: {port: web, path: /ready}}
    livenessProbe: {grpc: {port: 9090}}
    startupProbe: {exec: {command: [/app/health.sh, --quick]}}
"""


def test_presumed_behaviour_is_what_the_probes_ask_for(page):
    app, init = (yaml.safe_load(page.evaluate(PRESUMED, [MANIFEST, at])) for at in (1, 0))
    assert app == {
        "app": {
            "listens": [{"port": 8080, "paths": {"/ready": 200}}, {"port": 9090, "grpc": {"": "SERVING"}}],
            "exec": {"/app/health.sh --quick": 0},
        }
    }
    assert init == {"init": {"exit": {"after": "1s", "code": 0}}}
