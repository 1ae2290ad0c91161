import assert from "node:assert/strict";
import { test } from "node:test";

import { escaped, SvgContext } from "../../../static/js/timeline/svg-context.js";

const context = (colourOf = (colour) => colour) => new SvgContext(colourOf);
const ABOUT = { width: 10, height: 5.555, title: "a < b", desc: "\"c\"", lang: "en" };

test("numbers are cut to hundredths, and a rectangle may be drawn from any corner", () => {
  const own = context();
  own.fillRect(10, 10, -4.004, -2.006);
  assert.deepEqual(own.parts, ['<rect x="6" y="7.99" width="4" height="2.01" fill="#000000"/>']);
});

test("nothing is drawn of an empty path", () => {
  const own = context();
  own.fill();
  own.stroke();
  assert.deepEqual(own.parts, []);
});

test("a colour that lets through is split into colour and opacity, together with that of the pen", () => {
  const own = context((colour) => (colour === "veil" ? "rgba(1, 2, 3, 0.5)" : colour));
  own.fillStyle = "veil";
  own.fillRect(0, 0, 1, 1);
  own.globalAlpha = 0.5;
  own.fillRect(0, 0, 1, 1);
  own.fillStyle = "red";
  own.fillRect(0, 0, 1, 1);
  assert.deepEqual(own.parts.map((part) => part.replace(/.*height="1" /, "")), ['fill="rgb(1,2,3)" fill-opacity="0.5"/>', 'fill="rgb(1,2,3)" fill-opacity="0.25"/>', 'fill="red" fill-opacity="0.5"/>']);
});

test("lines have their width, ends and dashes", () => {
  const own = context();
  own.moveTo(0, 0);
  own.lineTo(5, 5);
  own.lineWidth = 2;
  own.stroke();
  own.setLineDash([4, 3]);
  own.strokeRect(1, 2, 3, 4);
  assert.deepEqual(own.parts, [
    '<path d="M0 0L5 5" fill="none" stroke="#000000" stroke-width="2" stroke-linecap="butt" stroke-linejoin="miter"/>',
    '<rect x="1" y="2" width="3" height="4" fill="none" stroke="#000000" stroke-width="2" stroke-linecap="butt" stroke-linejoin="miter" stroke-dasharray="4 3"/>',
  ]);
});

test("text has the font, the side and the middle of its line", () => {
  const own = context();
  own.font = '600 10px "Some Sans"';
  own.textAlign = "right";
  own.fillText("a & b", 5, 5);
  own.font = "20px serif";
  own.textAlign = "start";
  own.fillText("c", 5, 5);
  assert.deepEqual(own.parts, [
    '<text x="5" y="8.5" text-anchor="end" font-size="10" font-weight="600" font-family="&quot;Some Sans&quot;" fill="#000000">a &amp; b</text>',
    '<text x="5" y="12" text-anchor="start" font-size="20" font-weight="400" font-family="serif" fill="#000000">c</text>',
  ]);
});

test("corners are as round as there is room for, each by itself", () => {
  const path = (radii, height = 10) => {
    const own = context();
    own.roundRect(0, 0, 20, height, radii);
    return own.path;
  };
  assert.equal(path(0), "M0 0h20v10h-20v-10Z");
  assert.equal(path(9), "M5 0h10a5 5 0 0 1 5 5v0a5 5 0 0 1 -5 5h-10a5 5 0 0 1 -5 -5v0a5 5 0 0 1 5 -5Z");
  assert.equal(path(30, 40), "M10 0h0a10 10 0 0 1 10 10v20a10 10 0 0 1 -10 10h0a10 10 0 0 1 -10 -10v-20a10 10 0 0 1 10 -10Z");
  assert.equal(path(-3), path(0));
  assert.equal(path([3, 0, 0, 3]), "M3 0h17v10h-17a3 3 0 0 1 -3 -3v-4a3 3 0 0 1 3 -3Z");
});

test("what is moved and scaled stays so until it is restored", () => {
  const own = context();
  own.restore();
  own.save();
  own.translate(1, 2);
  own.scale(2, 2);
  own.fillRect(0, 0, 1, 1);
  own.restore();
  own.fillRect(0, 0, 1, 1);
  assert.deepEqual(own.parts.map((part) => /transform="[^"]*"/.exec(part)?.[0] ?? ""), ['transform="translate(1 2)scale(2 2)"', ""]);
});

test("what is clipped is seen within the path, and within what clips it already", () => {
  const own = context();
  own.save();
  own.rect(0, 0, 5, 5);
  own.clip();
  own.beginPath();
  own.rect(1, 1, 9, 9);
  own.clip();
  own.fillRect(0, 0, 1, 1);
  own.restore();
  own.fillRect(0, 0, 1, 1);
  assert.match(own.parts[0], /^<g clip-path="url\(#c1\)"><rect/);
  assert.match(own.parts[1], /^<rect/);
  assert.match(own.document(ABOUT), /<clipPath id="c0"><path d="M0 0h5v5h-5Z"\/><\/clipPath><clipPath id="c1" clip-path="url\(#c0\)">/);
});

test("a pattern is defined once, and filled with", () => {
  const own = context();
  const tile = (pen) => pen.fillRect(0, 0, 1, 1);
  own.fillStyle = own.patternOf("waiting", 9, 17, tile, "red");
  assert.deepEqual([own.fillStyle.url, own.patternOf("waiting", 1, 1, tile, "red").url, own.patternOf("waiting", 2, 1, tile, "red").url, own.patternOf("none", 0, 0, undefined, "red")], ["p-waiting-0", "p-waiting-0", "p-waiting-1", null]);
  own.fillRect(0, 0, 1, 1);
  own.globalAlpha = 0.5;
  own.fillRect(0, 0, 1, 1);
  assert.deepEqual(own.parts.map((part) => part.replace(/.*height="1" /, "")), ['fill="url(#p-waiting-0)"/>', 'fill="url(#p-waiting-0)" opacity="0.5"/>']);
});

test("the document says what it shows, and nothing in it is taken for markup", () => {
  assert.match(context().document(ABOUT), /^<svg [^>]*width="10" height="5.56" viewBox="0 0 10 5.56"[^>]*xml:lang="en"[^>]*><title id="t">a &lt; b<\/title><desc id="d">&quot;c&quot;<\/desc>/);
  assert.equal(escaped("\u0007\u0000\n"), "\ufffd\ufffd\n");
});
