"""The editor's reading and writing of YAML, asked for directly in a browser."""

import pytest

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
