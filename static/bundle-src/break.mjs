/**
 * Loads one module of static/js other than its file says: `node --import ./static/bundle-src/break.mjs …` with the edit of places.mjs in
 * the environment, PODSCOPE_BREAK={"file": absolute path, "begin", "end", "instead"}.
 */

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const { file, begin, end, instead } = JSON.parse(process.env.PODSCOPE_BREAK);
const broken = pathToFileURL(file).href;

registerHooks({
  load(url, context, next) {
    if (url !== broken) return next(url, context);
    const source = readFileSync(file, "utf8");
    return { format: "module", source: source.slice(0, begin) + instead + source.slice(end), shortCircuit: true };
  },
});
