// @ts-check
/** The three severities: what the API server would refuse, what will cause trouble, and what it fills in. */

/** @type {Record<string, number>} */
export const ORDER = { error: 0, warning: 1, info: 2 };
