// @ts-check
/** Entry of the pages for writing a level: what was typed is kept in this tab, and the level's text gets the editor. */

import { find } from "./base/dom.js";
import { load } from "./editor/boot.js";
import { keepDraft } from "./pages/level-draft.js";

const form = find("form.level-edit");
if (form instanceof HTMLFormElement) keepDraft(form);
const field = find("textarea[data-editor=toml]");
if (field instanceof HTMLTextAreaElement) load().then((/** @type {any} */ editor) => editor?.openToml(field));
