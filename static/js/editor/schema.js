// @ts-check
/** The fields of a kind in a version, as the server knows them, and looking one of them up by its path. */

/**
 * @typedef {object} Field
 * @property {string} type
 * @property {string} [of]
 * @property {string} [doc]
 * @property {boolean} [required]
 * @property {string[]} [values]
 * @property {any} [default]
 * @property {string} [since]
 * @property {boolean} [modelled]
 *
 * @typedef {{ kind: string, api_version: string, root: string, types: Record<string, { doc?: string, fields: Record<string, Field> }>, mutable: Record<string, string> }} Reference
 */

const MANY = "[]";

export class Schemas {
  /**
   * @param {string} base  address that ends with a slash
   * @param {() => string} version
   */
  constructor(base, version) {
    this.base = base;
    this.version = version;
    /** @type {Map<string, Promise<any>>} */
    this.asked = new Map();
  }

  /**
   * Only successful answers and 404s are kept: after a server error it is fetched again.
   * @param {string} address
   * @returns {Promise<any>} null if there is none
   */
  fetched(address) {
    const known = this.asked.get(address);
    if (known) return known;
    const answer = fetch(this.base + address, { credentials: "same-origin", headers: { Accept: "application/json" } })
      .then((response) => {
        if (response.ok) return response.json();
        if (response.status !== 404) throw new Error(`schema answered ${response.status}`);
        return null;
      })
      .catch(() => {
        this.asked.delete(address);
        return null;
      });
    this.asked.set(address, answer);
    return answer;
  }

  /** @returns {Promise<{ kind: string, api_version: string, modelled: boolean }[]>} */
  async kinds() {
    return (await this.fetched(`${this.version()}/`))?.kinds ?? [];
  }

  /** @param {string} kind @returns {Promise<Reference | null>} */
  async of(kind) {
    return kind ? this.fetched(`${this.version()}/${encodeURIComponent(kind)}/`) : null;
  }
}

/**
 * What is at a path: its field, and the fields below it if it has any.
 * @param {Reference} reference
 * @param {string[]} path
 * @returns {{ field: Field | null, fields: Record<string, Field> | null, isList: boolean } | null}
 */
export function fieldAt(reference, path) {
  /** @type {Field} */
  let field = { type: "object", of: reference.root };
  for (const step of path) {
    const below = stepInto(reference, field, step);
    if (!below) return null;
    field = below;
  }
  const inner = field.type === "object" && field.of ? reference.types[field.of]?.fields ?? null : null;
  return { field, fields: inner, isList: field.type === "list" };
}

/**
 * @param {Reference} reference @param {Field} field @param {string} step
 * @returns {Field | null}
 */
function stepInto(reference, field, step) {
  if (field.type === "list") return step === MANY ? inner(reference, field) : null;
  if (field.type === "map") return step === MANY ? null : inner(reference, field);
  if (field.type !== "object" || !field.of) return null;
  return reference.types[field.of]?.fields[step] ?? null;
}

/**
 * The items of a list or the values of a map.
 * @param {Reference} reference @param {Field} field
 * @returns {Field}
 */
function inner(reference, field) {
  const { of = "string" } = field;
  return reference.types[of] ? { type: "object", of, doc: reference.types[of].doc } : { type: of };
}

/**
 * How a field of an existing object may change.
 * @param {Reference} reference
 * @param {string[]} path
 * @returns {string} yes, lower, add, remove, resize, once or never
 */
export function changeOf(reference, path) {
  // The rule of the nearest ancestor that has one: a list that may not change states it once for all its items.
  for (let length = path.length; length > 0; length -= 1) {
    const said = reference.mutable[joined(path.slice(0, length))];
    if (said) return said;
  }
  return reference.mutable[""] ?? "yes";
}

/** @param {string[]} path  "spec", "containers", "[]", "image" → spec.containers[].image */
export function joined(path) {
  return path.reduce((words, step) => (step === MANY ? `${words}[]` : words ? `${words}.${step}` : step), "");
}

/** @param {Field} field  its type, in a word or two */
export function typeText(field) {
  const plain = field.of && /^[a-z]/.test(field.of) ? ` of ${field.of}` : "";
  return field.type === "object" && field.of ? field.of : field.type === "list" || field.type === "map" ? `${field.type}${plain || (field.of ? ` of ${field.of}` : "")}` : field.type;
}
