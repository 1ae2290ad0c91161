import assert from "node:assert/strict";
import { test } from "node:test";

import { placeAt } from "../../../static/js/editor/place.js";
import { joined } from "../../../static/js/editor/schema.js";

/** Half-written YAML with the caret, and what is being written there. */
const PLACES = {
  "spec:\n  containers:\n  - name: app\n    im¦": ["key", "spec.containers[]", "im"],
  "spec:\n  containers:\n    - name: app\n      livenessProbe:\n        httpGet:\n          ¦": ["key", "spec.containers[].livenessProbe.httpGet", ""],
  "spec:\n  restartPolicy: Al¦\n": ["value", "spec.restartPolicy", "Al"],
  "spec:\n  containers:\n  - ¦\n": ["key", "spec.containers[]", ""],
  "spec:\n  containers:\n  - {name: app, im¦": ["key", "spec.containers[]", "im"],
  "spec:\n  containers:\n  - {ports: [{containerPort: 8¦": ["value", "spec.containers[].ports[].containerPort", "8"],
  "spec:\n  containers:\n  - command:\n    - sh¦": ["key", "spec.containers[].command[]", "sh"],
  "kind: Pod\n---\nkind: Service\nsp¦": ["key", "", "sp"],
  "data:\n  script: |\n    if¦": ["none", "", ""],
  "spec: # no¦": ["none", "", ""],
};

for (const [text, place] of Object.entries(PLACES)) {
  test(`place in half-written YAML: ${JSON.stringify(text)}`, () => {
    const found = placeAt(text.replace("¦", ""), text.indexOf("¦"));
    assert.deepEqual([found.at, joined(found.path), found.word], place);
  });
}
