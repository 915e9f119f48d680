#!/usr/bin/env python3
"""A folder includes only files of itself and of the folders before it.

usage: check_layers.py PROJECT_DIR
"""
import pathlib
import re
import sys

# The same as in the top CMakeLists.txt.
ORDER = [
    "src/base",
    "src/curve",
    "partition",
    "src/mesh",
    "src/shapes",
    "io",
    "src/octree",
    "src/elastic",
    "src/springs",
    "src/multigrid",
    "src/solve",
    "src/model",
    "src/contact",
    "src/render",
    "src/shot",
    "src/plan",
    "src/cli",
]
TOP_LEVEL = ("io", "partition")
SUFFIXES = (".c", ".h", ".inc")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def folder_of(path):
    """src/octree/nodes.c is in src/octree, io/scene.c in io."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def folder_of_include(name):
    """Headers are named from src/ or from the top: octree/nodes.h, io/scene.h."""
    return folder_of(name if name.split("/")[0] in TOP_LEVEL else "src/" + name)


def problems_of_file(project, path):
    relative = path.relative_to(project).as_posix()
    folder = folder_of(relative)
    if folder not in ORDER:
        yield f"{relative}: the folder {folder} has no place in the order of tests/check_layers.py"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = folder_of_include(match.group(1))
        if included not in ORDER:
            yield f'{relative}:{number}: "{match.group(1)}" is in no known folder'
        elif ORDER.index(included) > ORDER.index(folder):
            yield f"{relative}:{number}: {folder} comes before {included} and must not call it"


def problems_of_build(project):
    """CMake adds the folders in the same order."""
    text = (project / "CMakeLists.txt").read_text()
    match = re.search(r"foreach\(folder ([^)]*)\)", text)
    listed = match.group(1).split() if match else []
    if listed != ORDER:
        yield "CMakeLists.txt: foreach(folder ...) should list " + " ".join(ORDER)


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    files = [
        f
        for top in ("src", *TOP_LEVEL)
        for f in sorted((project / top).rglob("*"))
        if f.suffix in SUFFIXES
    ]
    problems = list(problems_of_build(project))
    for path in files:
        problems += problems_of_file(project, path)
    for problem in problems:
        print(problem)
    if not files:
        print("no source files under", project)
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
