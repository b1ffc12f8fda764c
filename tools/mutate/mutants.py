"""The faults: comparisons, arithmetic, logic and constants, changed one at a time in the syntax tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "maximum": "minimum", "minimum": "maximum"}


@dataclass(frozen=True)
class Mutant:
    """One fault in one file."""

    path: Path
    number: int
    line: int
    what: str
    tree: ast.Module


def mutants(path: Path) -> Iterator[Mutant]:
    """All faults of a file. Annotations, docstrings and the words for the operator are left alone."""
    tree = ast.parse(path.read_text())
    nodes = [node for node in ast.walk(tree) if id(node) not in _left_alone(tree)]
    number = 0
    for place, node in enumerate(nodes):
        for choice, what in enumerate(_changes(node)):
            changed = copy.deepcopy(tree)
            skip = _left_alone(changed)
            target = [other for other in ast.walk(changed) if id(other) not in skip][place]
            _apply(target, choice)
            yield Mutant(path, number, getattr(node, "lineno", 0), what, changed)
            number += 1


def _left_alone(tree: ast.Module) -> set[int]:
    """Nodes of annotations, messages and decorators, and the word `strict`, which guards against programs alone."""
    skip: set[int] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if part is not None:
                skip |= {id(inner) for inner in ast.walk(part)}
        strict = isinstance(node, ast.keyword) and node.arg == "strict"
        if strict or isinstance(node, ast.JoinedStr | ast.Raise):
            skip |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dataclass":
            skip |= {id(inner) for inner in ast.walk(node)}
    return skip


def _changes(node: ast.AST) -> list[str]:
    """What can be done to a node, in words."""
    if isinstance(node, ast.Compare):
        return [f"{type(op).__name__} → {COMPARISONS[type(op)].__name__}" for op in node.ops]
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        return [f"{type(node.op).__name__} → {ARITHMETIC[type(node.op)].__name__}"]
    if isinstance(node, ast.BoolOp):
        return [f"{type(node.op).__name__} → the other"]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [f"without {type(node.op).__name__}"]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return [f"{node.value} → {_other(node.value)}"]
    if isinstance(node, ast.Call) and _name(node) in CALLS:
        return [f"{_name(node)} → {CALLS[_name(node)]}"]
    return []


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _other(value: float) -> float:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else (value * 1.5 if value else 1.0)


def _apply(node: ast.AST, choice: int) -> None:
    if isinstance(node, ast.Compare):
        node.ops[choice] = COMPARISONS[type(node.ops[choice])]()
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.Constant):
        node.value = _other(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        node.func.id = CALLS[node.func.id]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node.func.attr = CALLS[node.func.attr]
