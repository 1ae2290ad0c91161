// @ts-check
/** What this browser tab knows about its class. boot.js writes it first, if the address has a code. */

const KEY = "podscope.class";

/** @typedef {{ code: string, follows: boolean, calls: number, path: string }} Membership */

/** @returns {Membership} without a code if the tab is in no class */
export function keptClass() {
  try {
    const { code = "", follows = false, calls = 0, path = "" } = JSON.parse(sessionStorage.getItem(KEY) || "{}");
    return { code: String(code), follows: Boolean(follows), calls: Number(calls), path: String(path) };
  } catch {
    return { code: document.documentElement.dataset.class || "", follows: true, calls: 0, path: location.pathname };
  }
}

/** @param {Membership | null} membership  null leaves the class */
export function keepClass(membership) {
  try {
    if (membership) sessionStorage.setItem(KEY, JSON.stringify(membership));
    else sessionStorage.removeItem(KEY);
  } catch {
    // The class then lasts for this page only.
  }
  if (!membership) delete document.documentElement.dataset.class;
}
