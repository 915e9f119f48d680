#!/usr/bin/env python3
"""A folder includes only files of itself and of the folders before it, and README.md lists the
folders in that order. This is the only place that knows the order.

A module's settings.h is what a scene can tell it. io/scene fills these structs, so it may include
the settings.h of any folder, and nothing else of a later one. A folder's parts may include the
settings.h of the whole. A settings.h itself includes only src/base and other settings.h.

usage: check_layers.py PROJECT_DIR
"""
import pathlib
import re
import sys

# A sub-folder is a folder of its own in this order. Some are parts that the folder above is made
# of and come before it (src/contact/self); others are made of the folder above and come after it
# (src/elastic/laws).
ORDER = [
    "src/base",
    "src/curve",
    "partition",
    "src/mesh",
    "src/mesh/winding",
    "src/mesh/parts",
    "src/shapes/modelling",
    "src/shapes",
    "io/text",
    "io/schema",
    "io/gltf",
    "io/mesh",
    "io/motion",
    "io/hdf5",
    "io/frames",
    "io/export",
    "io/python",
    "io/picture",
    "src/region",
    "src/motion",
    "src/octree",
    "src/field",
    "src/elastic",
    "src/elastic/laws",
    "src/transfer",
    "src/sparse",
    "src/springs",
    "src/system",
    "src/rigid",
    "src/multigrid",
    "src/solve",
    "src/surface",
    "src/contact/stiffness",
    "src/contact/friction",
    "src/contact/colliders",
    "src/contact/self",
    "src/contact",
    "src/survey",
    "src/init",
    "io/scene",
    "src/model",
    "src/render",
    "src/shot",
    "src/shot/output",
    "src/shot/checkpoint",
    "src/plan",
    "src/run",
    "src/report",
    "src/bench",
    "src/cli",
]
TOP_LEVEL = ("io", "partition")
SUFFIXES = (".c", ".h", ".inc")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
LISTED = re.compile(r"^\| `((?:src|io|partition)[a-z0-9_/]*)` \|", re.MULTILINE)


def folder_of(path):
    """src/octree/nodes.c is in src/octree."""
    return path.rpartition("/")[0]


def path_of_include(name):
    """Headers are named from src/ or from the top: octree/nodes.h, io/scene/scene.h."""
    return name if name.split("/")[0] in TOP_LEVEL else "src/" + name


def is_settings(path):
    return path.endswith("/settings.h")


def may_include(file, included):
    """Of files that are known: whether the one may include the other."""
    folder, other = folder_of(file), folder_of(included)
    if is_settings(file) and other != "src/base" and not is_settings(included):
        return False
    if is_settings(included) and (folder == "io/scene" or folder.startswith(other + "/")):
        return True
    return ORDER.index(other) <= ORDER.index(folder)


def problems_of_file(project, path):
    relative = path.relative_to(project).as_posix()
    if folder_of(relative) not in ORDER:
        yield f"{relative}: its folder has no place in the order of tests/check_layers.py"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = path_of_include(match.group(1))
        if folder_of(included) not in ORDER:
            yield f'{relative}:{number}: "{match.group(1)}" is in no known folder'
        elif not may_include(relative, included):
            yield f'{relative}:{number}: must not include "{match.group(1)}"'


def problems_of_readme(project):
    listed = LISTED.findall((project / "README.md").read_text())
    if listed != ORDER:
        yield "README.md: the table of folders should have the rows " + " ".join(ORDER)


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    files = [
        f
        for top in ("src", *TOP_LEVEL)
        for f in sorted((project / top).rglob("*"))
        if f.suffix in SUFFIXES
    ]
    problems = list(problems_of_readme(project))
    for path in files:
        problems += problems_of_file(project, path)
    for problem in problems:
        print(problem)
    if not files:
        print("no source files under", project)
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
