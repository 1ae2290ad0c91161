"""Places at which the code itself can be broken, and how: one site is one changed operator, call or branch inside a function."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[3]
SITE = "lifecycle_site"
PACKAGES = (
    *(
        f"simulator/{name}"
        for name in ("web", "runs", "kubectl", "imports", "door", "cluster", "levels", "scenarios", "remedies", "manifests", "headless")
    ),
    SITE,
)
"""The code around the engine, for learners, teachers and clients: the engine's declarations and stories have mutants of their own."""
OF_THEIR_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TEXT_MAX = 70
"""Maximum length of an expression in a name."""

NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip
AT_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=",
}  # fmt: skip
OTHER_END = {"min": "max", "max": "min"}


class CodeSite(Struct, frozen=True, kw_only=True):
    """One possible break of a parsed module: its kind, the function it is in, what is changed, and the change, applied to the tree.

    ``block`` is the number, within the function, of the block whose statement is broken.
    """

    kind: str
    function: str
    text: str
    line: int
    change: Callable[[], None]
    block: int = 0


class CodePlace(Struct, frozen=True, kw_only=True):
    """A site by its location: ``index`` counts the sites of the file. ``name`` is unique and has no line number, so it survives other
    edits.

    ``block`` is the key of the block that must run for the break to make a difference, as in ``tell_calls``.
    """

    name: str
    path: str
    function: str
    line: int
    index: int
    block: str


def every_place(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> Iterator[CodePlace]:
    """All places of the packages, in the order of their files."""
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        seen: dict[str, int] = {}
        for index, site in enumerate(sites(ast.parse(path.read_text(encoding="utf-8")))):
            name = f"{site.kind} {relative.removeprefix('simulator/')} {site.function} | {site.text}"
            seen[name] = seen.get(name, 0) + 1
            yield CodePlace(
                name=f"{name} #{seen[name]}" if seen[name] > 1 else name,
                path=relative,
                function=site.function,
                line=site.line,
                index=index,
                block=block_key(relative, site.function, site.block),
            )


def break_at(tree: ast.Module, index: int) -> ast.Module:
    """The tree, broken at the site with this number."""
    next(site for number, site in enumerate(sites(tree)) if number == index).change()
    return ast.fix_missing_locations(tree)


def tell_calls(tree: ast.Module, path: str, call: str) -> ast.Module:
    """The tree, with a first statement in each block of each function that calls the builtin ``call`` with the block's key."""
    for name, function in functions(tree):
        for number, block in enumerate([*blocks(function)]):
            reported = ast.Expr(ast.Call(ast.Name(call, ast.Load()), [ast.Constant(block_key(path, name, number))], []))
            block.insert(1 if number == 0 and ast.get_docstring(function, clean=False) is not None else 0, reported)
    return ast.fix_missing_locations(tree)


def block_key(path: str, function: str, number: int) -> str:
    """The key of a block; blocks with the same number in functions of the same name in a file share it."""
    return f"{path}:{function}#{number}"


def functions(node: ast.AST, above: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function below a node with its dotted name, the outer before the inner."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{above}{child.name}", child
        inner = f"{above}{child.name}." if isinstance(child, OF_THEIR_OWN) else above
        yield from functions(child, inner)


def blocks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a function, its body first and outer before inner ones, excluding those of functions inside it."""
    yield function.body
    for statement in function.body:
        if not isinstance(statement, OF_THEIR_OWN):
            yield from _blocks_below(statement)


def _blocks_below(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], ast.stmt):
            yield value
        for child in value:
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case) and not isinstance(child, OF_THEIR_OWN):
                yield from _blocks_below(child)


def sites(tree: ast.Module) -> Iterator[CodeSite]:
    """What can be broken in the functions of a module. Code that runs on import is left out: it is not known which tests run it.

    Also left out is what nobody could notice: assertions, which are there for the type checker, and log messages.
    """
    for name, function in functions(tree):
        for number, block in enumerate(blocks(function)):
            for statement in block:
                if not isinstance(statement, (*OF_THEIR_OWN, ast.Assert)):
                    for node in _own(statement):
                        yield from _of_node(node, name, number)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and its expressions, without nested statements and log messages."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt) and not _is_log(child):
            yield from _own(child)


def _is_log(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logger"))):
            return True
    return False


def _of_node(node: ast.AST, function: str, block: int) -> Iterator[CodeSite]:
    def site(kind: str, text: str, change: Callable[[], None]) -> CodeSite:
        return CodeSite(kind=kind, function=function, text=text, line=getattr(node, "lineno", 0), change=change, block=block)

    match node:
        case ast.Compare():
            for number, sign in enumerate(node.ops):
                for kind, table in (("comparison", NEGATED), ("boundary", AT_BOUNDARY)):
                    if other := table.get(type(sign)):
                        yield site(kind, f"{_text(node)} → {SIGNS[other]}", lambda n=number, o=other: node.ops.__setitem__(n, o()))  # type: ignore[misc]
        case ast.BoolOp():
            swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield site("and/or", f"{_text(node)} → {'or' if isinstance(swapped, ast.Or) else 'and'}", lambda: setattr(node, "op", swapped))
        case ast.Call(func=ast.Name(id=("min" | "max") as end) as called):
            yield site("min/max", f"{_text(node)} → {OTHER_END[end]}", lambda: setattr(called, "id", OTHER_END[end]))
        case ast.If(orelse=[_, *_]):
            yield site("else", f"if {_text(node.test)}", node.orelse.clear)
        case ast.IfExp():
            always = ast.BoolOp(ast.Or(), [node.test, ast.Constant(value=True)])
            yield site("else", _text(node), lambda: setattr(node, "test", always))


def _text(node: ast.AST) -> str:
    """The source of a node, shortened, without the characters that separate a name from its reason in the kept file."""
    text = " ".join(ast.unparse(node).replace(": ", ":").split())
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}…"
