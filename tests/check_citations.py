#!/usr/bin/env python3
"""A comment that cites a file cites one that is there: named from the top, from src/ or tests/, or
in the folder of the comment.

usage: check_citations.py PROJECT_DIR
"""
import pathlib
import re
import sys

FOLDERS = ("src", "io", "partition", "tests")
SUFFIXES = (".c", ".h", ".inc")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CITED = re.compile(r"(?<![\w/.])((?:\w+/)*\w+\.(?:h|c|inc|md|py))\b")
IN_MANY_FOLDERS = {"settings.h"}


def is_there(project, folder, name):
    places = (project, project / "src", project / "tests", folder)
    return name in IN_MANY_FOLDERS or any((place / name).is_file() for place in places)


def problems_of_file(project, path):
    text = path.read_text()
    for comment in COMMENT.finditer(text):
        for cited in CITED.finditer(comment.group()):
            if not is_there(project, path.parent, cited.group(1)):
                line = text.count("\n", 0, comment.start() + cited.start()) + 1
                yield f"{path.relative_to(project)}:{line}: there is no {cited.group(1)}"


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    files = [
        f for top in FOLDERS for f in sorted((project / top).rglob("*")) if f.suffix in SUFFIXES
    ]
    problems = [problem for path in files for problem in problems_of_file(project, path)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
