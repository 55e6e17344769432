"""The house keeps its shape: imports point down, in no circle, and a module is read in one sitting."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "skillgrade"

# From the top down. A part may import what stands below it, and itself. The modules that lie directly in skillgrade/
# are the ground floor, below all of these.
FLOORS = (
    "cli",
    "reports",
    "engine",
    "checks",
    "diagnostics",
    "graders",
    "judges",
    "agents",
    "models",
    "transcript",
    "workspace",
    "results",
    "suite",
    "skill",
)
LONGEST_MODULE = 500

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def floor(module: str) -> int:
    """Height of a module; those directly in the package are the ground, but for `__main__`, the door to the cli."""
    if module == "skillgrade.__main__":
        return len(FLOORS)
    parts = module.split(".")
    path = PACKAGE.parent.joinpath(*parts)
    part = parts[1] if len(parts) > 2 or (len(parts) == 2 and path.is_dir()) else None
    return 0 if part is None else len(FLOORS) - FLOORS.index(part)


def imports(module: str) -> dict[str, int]:
    """The modules of the package that a module imports, anywhere in it, with the line."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: imports are absolute here"
            submodules = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else str(node.module) for name in submodules]
        else:
            continue
        found.update({name: node.lineno for name in names if name in MODULES})
    return found


IMPORTS = {module: imports(module) for module in MODULES}


def test_every_part_has_its_floor() -> None:
    parts = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert parts <= set(FLOORS)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    upwards = [f"line {line}: {name}" for name, line in IMPORTS[module].items() if floor(name) > floor(module)]
    assert upwards == []


def test_imports_run_in_no_circle() -> None:
    done: set[str] = set()
    trail: list[str] = []

    def visit(module: str) -> None:
        if module in done:
            return
        assert module not in trail, f"{' -> '.join([*trail[trail.index(module) :], module])}"
        trail.append(module)
        for name in IMPORTS[module]:
            visit(name)
        done.add(trail.pop())

    for module in MODULES:
        visit(module)


@pytest.mark.parametrize("folder", [PACKAGE, PACKAGE.parent / "tests", PACKAGE.parent / "benchmarks"])
def test_a_module_is_read_in_one_sitting(folder: Path) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in folder.rglob("*.py")}
    assert lengths
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}
