// @ts-check
/** What stands in the list of commands. */

/**
 * @typedef {object} Command
 * @property {string} group  where it stands in the list
 * @property {string} label
 * @property {string} [also]  other words for it
 * @property {string} [more]  what else it is found by
 * @property {string} [code]  its line of kubectl
 * @property {string} [note]  said beside the label
 * @property {string} [keys]  that do the same
 * @property {string} [lang]  of the label
 * @property {boolean} [refused]  would be refused now
 * @property {boolean} [always]  fits whatever was typed
 * @property {Node | null} [icon]
 * @property {() => void} run
 */

export {};
