import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, keyFor } from "../../../static/js/wire/client-key.js";

const sent = (target) => [["do", "delete_pod"], ["target", target]];

test("an act that is sent again after its pod has got another role is the same act", () => {
  const key = keyFor("/a/", sent("deployment/default/web[2]=web-abc"));
  answered(key, 0);
  assert.equal(keyFor("/a/", sent("deployment/default/web[terminating]=web-abc")), key);
});

test("an act on another pod is another act", () => {
  const key = keyFor("/b/", sent("deployment/default/web[2]=web-abc"));
  answered(key, 0);
  assert.notEqual(keyFor("/b/", sent("deployment/default/web[2]=web-xyz")), key);
});

for (const status of [0, 500, 502, 503, 504]) {
  test(`an act that was answered with ${status} is sent again under its key, so that it is done once`, () => {
    const key = keyFor(`/c${status}/`, sent("web"));
    answered(key, status);
    assert.equal(keyFor(`/c${status}/`, sent("web")), key);
  });
}

for (const status of [200, 302, 409, 422, 429]) {
  test(`an act that was answered with ${status} is another one the next time`, () => {
    const key = keyFor(`/d${status}/`, sent("web"));
    answered(key, status);
    assert.notEqual(keyFor(`/d${status}/`, sent("web")), key);
  });
}

test("an act that was answered once it was sent again is another one the next time", () => {
  const first = keyFor("/e/", sent("web"));
  answered(first, 0);
  answered(keyFor("/e/", sent("web")), 200);
  assert.notEqual(keyFor("/e/", sent("web")), first);
});

test("the key and the token that a form carries do not make it another act", () => {
  const form = (key, token) => [...sent("web"), ["client_key", key], ["csrfmiddlewaretoken", token]];
  const key = keyFor("/e/", form("one", "a"));
  answered(key, 0);
  assert.equal(keyFor("/e/", form("two", "b")), key);
});

test("an act that got no answer is another one after a minute", (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const again = (path, ms) => {
    const key = keyFor(path, sent("web"));
    answered(key, 0);
    context.mock.timers.tick(ms);
    return keyFor(path, sent("web")) === key;
  };
  assert.deepEqual([again("/f/", 59_999), again("/g/", 60_000)], [true, false]);
});
