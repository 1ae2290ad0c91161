import assert from "node:assert/strict";
import { test } from "node:test";

import { Concerns } from "../../../static/js/lanes/concerns.js";

/** @param {[string, string, string?][]} records  subject, machine, source */
function known(...records) {
  const concerns = new Concerns();
  records.forEach(([subject, machine, source = ""], index) => concerns.add({ seq: index + 1, subject, machine, source }));
  return concerns;
}

const OWN = /** @type {[string, string]} */ (["pod/default/a", "object"]);

test("what happens in another pod is no reason to fetch a panel anew", () => {
  const concerns = known(OWN, ["container/default/b/app", "container"]);
  assert.equal(concerns.last("yaml", "pod/default/a", 0, 2), 1);
  assert.equal(concerns.last("inspector", "pod/default/a", 0, 2), 1);
});

test("what the inspector shows of other pods is", () => {
  for (const other of /** @type {[string, string, string?][]} */ ([["condition/default/b/Ready", "condition"], ["container/default/b/app", "container", "pulling"]])) {
    assert.equal(known(OWN, other).last("inspector", "pod/default/a", 0, 2), 2);
    assert.equal(known(OWN, other).last("yaml", "pod/default/a", 0, 2), 1);
  }
});

test("a pod that is still to come is stood in for by another, of which anything may show", () => {
  const concerns = known(["pod/default/b", "object"], ["container/default/b/app", "container"], OWN);
  assert.equal(concerns.last("yaml", "pod/default/a", 0, 2), 2);
});

test("panel of a pod is not concerned by what happens to another", () => {
  const concerns = new Concerns();
  const rows = [["pod/default/a", "phase"], ["probe/default/b/app/liveness", "probe"], ["pod/default/b", "status_word"], ["node/n", "condition"], ["container/default/b/app", "container"]];
  rows.forEach(([subject, machine], index) => concerns.add({ seq: index + 1, subject, machine }));
  assert.equal(concerns.last("yaml", "pod/default/a", 0, 2), 1);
  assert.equal(concerns.last("inspector", "container/default/a/app", 0, 3), 3, "its list of pods says a new word");
  assert.equal(concerns.last("yaml", "pod/default/a", 0, 5), 4, "a node concerns everybody");
  assert.equal(concerns.last("map", "pod/default/a", 0, 5), 5, "the map shows every pod");
  assert.equal(concerns.last("why", "pod/default/a", 2, 5), 2, "causes of a record stay as they are");
});
