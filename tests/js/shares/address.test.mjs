import assert from "node:assert/strict";
import { test } from "node:test";

import { momentQuery } from "../../../static/js/shares/address.js";

test("moment link names what is looked at and nothing more", () => {
  assert.equal(momentQuery({ t_ms: 48_000, seq: 9, sel: "pod/default/web", rec: 0, tab: "why" }), "t=48&sel=pod%2Fdefault%2Fweb&tab=why");
});
