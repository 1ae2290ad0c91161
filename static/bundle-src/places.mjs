/**
 * Prints as JSON where the scripts can be broken, for `manage.py mutate --browser`: `node places.mjs static bundle-src/tsconfig.json`.
 *
 * Only code in functions counts: what runs when a module is loaded would break every page at once. Each break is one edit of the source:
 * the text from `begin` to `end` becomes `instead` (break.mjs makes it). TypeScript's own parser finds the places. Its interface is not
 * stable yet, so a new version of it may need changes here.
 */

import { join, relative, resolve } from "node:path";
import { SyntaxKind as Kind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const NEGATED = { "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">" };
const AT_BOUNDARY = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const OTHER_WAY = { "&&": "||", "||": "&&" };
const OTHER_END = { min: "max", max: "min" };
/** Characters of an expression that a name repeats. */
const TEXT_MAX = 70;

const FUNCTIONS = new Set([
  Kind.FunctionDeclaration,
  Kind.FunctionExpression,
  Kind.ArrowFunction,
  Kind.MethodDeclaration,
  Kind.Constructor,
  Kind.GetAccessor,
  Kind.SetAccessor,
]);
const CLASSES = new Set([Kind.ClassDeclaration, Kind.ClassExpression]);
const NAMING = new Set([Kind.VariableDeclaration, Kind.PropertyAssignment, Kind.PropertyDeclaration]);

/** What can be broken in one node, each as [kind, expression, sign that it gets, begin, end, instead]. @param {any} node @param {any} file */
function* sitesOf(node, file) {
  const source = (part) => part.getText(file);
  const change = (part, text) => [part.getStart(file), part.end, text];
  if (node.kind === Kind.BinaryExpression) {
    const { left, right, operatorToken } = node;
    const sign = source(operatorToken);
    if (sign in NEGATED) yield ["comparison", source(node), NEGATED[sign], ...change(operatorToken, NEGATED[sign])];
    if (sign in AT_BOUNDARY) yield ["boundary", source(node), AT_BOUNDARY[sign], ...change(operatorToken, AT_BOUNDARY[sign])];
    if (sign === "in" || sign === "instanceof") yield ["comparison", source(node), `not ${sign}`, ...change(node, `!(${source(node)})`)];
    const other = OTHER_WAY[sign];
    if (other) yield ["and/or", source(node), other, ...change(node, `((${source(left)}) ${other} (${source(right)}))`)];
  } else if (node.kind === Kind.CallExpression && /^Math\.(min|max)$/.test(source(node.expression))) {
    const { name } = node.expression;
    yield ["min/max", source(node), OTHER_END[name.text], ...change(name, OTHER_END[name.text])];
  } else if (node.kind === Kind.IfStatement && node.elseStatement) {
    yield ["else", `if (${source(node.expression)})`, "", node.thenStatement.end, node.elseStatement.end, ""];
  } else if (node.kind === Kind.ConditionalExpression) {
    yield ["else", source(node), "", ...change(node.condition, `((${source(node.condition)}) || true)`)];
  }
}

/** What a function or class is called where it stands; empty for one without a name. @param {any} node @param {any} file */
function nameOf(node, file) {
  if (node.kind === Kind.Constructor) return "constructor";
  const { parent } = node;
  const name = node.name ?? (NAMING.has(parent.kind) ? parent.name : parent.kind === Kind.BinaryExpression ? parent.left.name : undefined);
  return name?.getText(file) ?? "";
}

/** All places of a module. @param {any} file */
function placesIn(file) {
  const places = [];
  const visit = (node, names, isInside) => {
    for (const [kind, expression, sign, begin, end, instead] of isInside ? sitesOf(node, file) : []) {
      const at = node.getStart(file);
      const line = file.text.slice(0, at).split("\n").length;
      places.push({ kind, text: short(expression) + (sign && ` → ${sign}`), function: names.join("."), line, at, begin, end, instead });
    }
    const isFunction = FUNCTIONS.has(node.kind);
    const isClass = CLASSES.has(node.kind);
    const name = isFunction || isClass ? nameOf(node, file) : "";
    node.forEachChild((child) => visit(child, name ? [...names, name] : names, (isInside && !isClass) || isFunction));
  };
  visit(file, [], false);
  return places;
}

/** On one line, shortened, without the ": " that separates a name from its reason in the kept file. @param {string} text */
function short(text) {
  const line = text.replace(/\s+/g, " ").replaceAll(": ", ":");
  return line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX)}…`;
}

const root = resolve(process.argv[2]);
const api = new API({ cwd: root });
const [project] = api.updateSnapshot({ openProjects: [join(root, process.argv[3])] }).getProjects();
const modules = project.rootFiles.filter((name) => name.endsWith(".js")).sort();
const places = modules.flatMap((name) => placesIn(project.program.getSourceFile(name)).map((place) => ({ path: relative(root, name), ...place })));
api.close();
process.stdout.write(JSON.stringify({ modules: modules.map((name) => relative(root, name)), places }));
