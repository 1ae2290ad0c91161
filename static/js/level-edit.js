// @ts-check
/** Entry of the pages on which a level is written: what was typed is kept in this tab, and a level's text has the editor. */

import { find } from "./base/dom.js";
import { load } from "./editor/boot.js";
import { keepDraft } from "./pages/level-draft.js";

const form = find("form.level-edit");
if (form instanceof HTMLFormElement) keepDraft(form);
const field = find("textarea[data-editor=toml]");
if (field instanceof HTMLTextAreaElement) load().then((/** @type {any} */ editor) => editor?.openToml(field));
