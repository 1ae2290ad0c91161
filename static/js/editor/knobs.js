// @ts-check
/** The knobs of the form: what each reads from the document, and what it writes back. */

/**
 * @typedef {object} Knob
 * @property {string} id
 * @property {"text" | "number" | "select" | "lines"} as
 * @property {string[]} [choices]
 * @property {string} [placeholder]  the value if nothing is written
 * @property {string} [unit]
 * @property {boolean} [wide]
 * @property {(part: any, path: (string | number)[]) => string} read
 * @property {(part: any, path: (string | number)[], value: string) => void} write
 * @property {(part: any, path: (string | number)[]) => boolean} [when]
 * @property {(part: any, path: (string | number)[]) => boolean} [locked]  whether the field has a value that the knob can't show
 */

/**
 * A knob for one plain field.
 * @param {string} id @param {(string | number)[]} below @param {Partial<Knob> & { asText?: boolean }} [more]
 * @returns {Knob}
 */
function field(id, below, { asText = true, ...more } = {}) {
  return {
    id,
    as: "text",
    read: (part, path) => String(part.get([...path, ...below]) ?? ""),
    write: (part, path, value) => part.set([...path, ...below], value, { asText }),
    ...more,
  };
}

/** @param {string} id @param {(string | number)[]} below @param {Partial<Knob>} [more] */
const number = (id, below, more) => field(id, below, { as: "number", asText: false, ...more });

/** @param {string} id @param {(string | number)[]} below @param {Partial<Knob>} [more] */
const quantity = (id, below, more) => field(id, below, { asText: false, ...more });

/**
 * A list of words, one on each line.
 * @param {string} id @param {(string | number)[]} below @param {Partial<Knob>} [more]
 * @returns {Knob}
 */
function words(id, below, more = {}) {
  return {
    id,
    as: "lines",
    read: (part, path) => part.words([...path, ...below]).join("\n"),
    locked: (part, path) => part.words([...path, ...below]).some((/** @type {string} */ word) => word.includes("\n")),
    write: (part, path, value) => {
      const place = [...path, ...below];
      const wanted = value.trim() ? value.replace(/\n+$/, "").split("\n") : [];
      const known = part.words(place);
      if (!known.length || !wanted.length) {
        part.set(place, wanted.length ? wanted : undefined);
        return;
      }
      // From the end, so that earlier indexes stay valid. Items that stay are not rewritten, and keep their comments.
      for (let at = known.length - 1; at >= wanted.length; at -= 1) part.remove([...place, at]);
      for (const [at, word] of wanted.entries()) {
        if (at >= known.length) part.add(place, word);
        else if (known[at] !== word) part.set([...place, at], word, { mayBeEmpty: true });
      }
    },
    ...more,
  };
}

/** A map as key=value lines; existing keys keep their positions. @param {string} id @param {string[]} below @returns {Knob} */
function pairs(id, below) {
  return {
    id,
    as: "lines",
    read: (part, path) => part.keys([...path, ...below]).map((/** @type {string} */ key) => `${key}=${part.get([...path, ...below, key]) ?? ""}`).join("\n"),
    write: (part, path, value) => {
      const wanted = new Map(assignments(value));
      const gone = part.keys([...path, ...below]).filter((/** @type {string} */ key) => !wanted.has(key));
      for (const [key, word] of wanted) if (part.get([...path, ...below, key]) !== word) part.set([...path, ...below, key], word, { mayBeEmpty: true });
      for (const key of gone) part.remove([...path, ...below, key]);
    },
  };
}

/** @param {string} value @returns {[string, string][]} */
function assignments(value) {
  return value.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    const key = (at < 0 ? line : line.slice(0, at)).trim();
    return key ? [/** @type {[string, string]} */ ([key, at < 0 ? "" : line.slice(at + 1).trim()])] : [];
  });
}

/** Variables with a plain value; those with valueFrom stay as they are. @type {Knob} */
const env = {
  id: "env",
  as: "lines",
  wide: true,
  placeholder: "NAME=value",
  read: (part, path) =>
    part
      .items([...path, "env"])
      .flatMap((/** @type {any} */ _, /** @type {number} */ at) => (part.has([...path, "env", at, "valueFrom"]) ? [] : [`${part.get([...path, "env", at, "name"]) ?? ""}=${part.get([...path, "env", at, "value"]) ?? ""}`]))
      .join("\n"),
  write: (part, path, value) => {
    const wanted = new Map(assignments(value));
    const known = part.items([...path, "env"]).map((/** @type {any} */ _, /** @type {number} */ at) => ({ at, name: part.get([...path, "env", at, "name"]), isOwn: !part.has([...path, "env", at, "valueFrom"]) }));
    for (const { at, name } of known.filter((/** @type {any} */ item) => item.isOwn && wanted.has(item.name))) if (part.get([...path, "env", at, "value"]) !== wanted.get(name)) part.set([...path, "env", at, "value"], wanted.get(name));
    const names = new Set(known.map((/** @type {any} */ item) => item.name));
    for (const [name, word] of wanted) if (!names.has(name)) part.add([...path, "env"], word ? { name, value: word } : { name });
    for (const { at } of known.filter((/** @type {any} */ item) => item.isOwn && !wanted.has(item.name)).reverse()) part.remove([...path, "env", at]);
  },
};

/** Ports as `8080`, `http:8080` or `53/UDP`, separated by commas. @type {Knob} */
const ports = {
  id: "ports",
  as: "text",
  placeholder: "http:8080, 53/UDP",
  read: (part, path) =>
    part
      .items([...path, "ports"])
      .map((/** @type {any} */ _, /** @type {number} */ at) => {
        const own = (/** @type {string} */ key) => part.get([...path, "ports", at, key]);
        return `${own("name") ? `${own("name")}:` : ""}${own("containerPort") ?? ""}${own("protocol") && own("protocol") !== "TCP" ? `/${own("protocol")}` : ""}`;
      })
      .join(", "),
  write: (part, path, value) => {
    const wanted = value.split(",").flatMap((word) => {
      const match = /^\s*(?:([a-z][\w-]*)\s*:)?\s*(\d+)\s*(?:\/\s*(\w+))?\s*$/i.exec(word);
      return match ? [{ name: match[1], containerPort: Number(match[2]), protocol: match[3]?.toUpperCase() }] : [];
    });
    const port = (/** @type {number} */ at, /** @type {string} */ key) => part.get([...path, "ports", at, key]);
    const count = part.items([...path, "ports"]).length;
    for (let at = count - 1; at >= wanted.length; at -= 1) part.remove([...path, "ports", at]);
    for (const [at, own] of wanted.entries()) {
      if (at >= count) part.add([...path, "ports"], Object.fromEntries(Object.entries(own).filter(([, word]) => word !== undefined)));
      else {
        if (port(at, "containerPort") !== String(own.containerPort)) part.set([...path, "ports", at, "containerPort"], own.containerPort, { asText: false });
        if (port(at, "name") !== own.name) part.set([...path, "ports", at, "name"], own.name);
        if ((port(at, "protocol") ?? "TCP") !== (own.protocol ?? "TCP")) part.set([...path, "ports", at, "protocol"], own.protocol);
      }
    }
  },
};

/** @type {Record<string, string[]>} handlers, and the fields each needs */
const ACTIONS = { httpGet: ["path", "port"], tcpSocket: ["port"], exec: ["command"], grpc: ["port"], sleep: ["seconds"] };

/**
 * The handler of a probe or hook: a choice, then the fields that the choice needs.
 * @param {string} id @param {string[]} below @param {string[]} choices
 * @returns {Knob[]}
 */
function handler(id, below, choices) {
  const now = (/** @type {any} */ part, /** @type {any} */ path) => choices.find((name) => part.has([...path, ...below, name])) ?? "";
  const starts = { httpGet: { path: "/", port: 8080 }, tcpSocket: { port: 8080 }, exec: { command: ["true"] }, grpc: { port: 8080 }, sleep: { seconds: 5 } };
  return [
    {
      id: `${id}.kind`,
      as: "select",
      choices,
      read: now,
      write: (part, path, value) => {
        const old = now(part, path);
        if (old === value) return;
        if (!value) part.remove([...path, ...below]);
        else {
          part.set([...path, ...below, value], /** @type {any} */ (starts)[value]);
          // The new one first: a probe that is momentarily empty would be removed altogether.
          if (old) part.remove([...path, ...below, old]);
        }
      },
    },
    ...Object.entries(ACTIONS)
      .filter(([name]) => choices.includes(name))
      .flatMap(([name, needs]) =>
        needs.map((need) => {
          const place = [...below, name, need];
          const when = (/** @type {any} */ part, /** @type {any} */ path) => now(part, path) === name;
          if (need === "command") return words(`${id}.command`, place, { when, wide: true });
          return field(`${id}.${need}`, place, { when, asText: need === "path", as: need === "seconds" ? "number" : "text" });
        }),
      ),
  ];
}

/** @param {string} name @returns {{ id: string, knobs: Knob[] }} */
function probe(name) {
  const below = `${name}Probe`;
  const when = (/** @type {any} */ part, /** @type {any} */ path) => part.has([...path, below]);
  const timing = /** @type {[string, string][]} */ ([["initialDelaySeconds", "0"], ["periodSeconds", "10"], ["timeoutSeconds", "1"], ["successThreshold", "1"], ["failureThreshold", "3"]]);
  return { id: below, knobs: [...handler(below, [below], ["httpGet", "tcpSocket", "exec", "grpc"]), ...timing.map(([key, usual]) => number(`${below}.${key}`, [below, key], { placeholder: usual, when }))] };
}

/** Knobs of the pod; paths begin at the parent of its metadata and spec. */
export const POD_KNOBS = [
  field("name", ["metadata", "name"]),
  field("restartPolicy", ["spec", "restartPolicy"], { as: "select", choices: ["Always", "OnFailure", "Never"] }),
  number("terminationGracePeriodSeconds", ["spec", "terminationGracePeriodSeconds"], { placeholder: "30", unit: "s" }),
  number("activeDeadlineSeconds", ["spec", "activeDeadlineSeconds"], { unit: "s" }),
  pairs("labels", ["metadata", "labels"]),
];

/** Groups of knobs of a container; paths begin at the container. @type {{ id: string, knobs: Knob[] }[]} */
export const CONTAINER_GROUPS = [
  { id: "container", knobs: [field("name", ["name"]), field("image", ["image"]), words("command", ["command"]), words("args", ["args"]), ports, env] },
  {
    id: "resources",
    knobs: [
      quantity("requests.cpu", ["resources", "requests", "cpu"], { placeholder: "100m" }),
      quantity("requests.memory", ["resources", "requests", "memory"], { placeholder: "64Mi" }),
      quantity("limits.cpu", ["resources", "limits", "cpu"], { placeholder: "500m" }),
      quantity("limits.memory", ["resources", "limits", "memory"], { placeholder: "128Mi" }),
    ],
  },
  probe("liveness"),
  probe("readiness"),
  probe("startup"),
  { id: "preStop", knobs: handler("preStop", ["lifecycle", "preStop"], ["sleep", "exec", "httpGet"]) },
];
