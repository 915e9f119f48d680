#!/usr/bin/env python3
"""A comment that cites a file cites one that is there: named from the top, from src/ or tests/, or
in the folder of the comment. So do pages of documentation, and names of the program in them, such
as sn_agree, occur in the sources; a changelog may speak of what was.

usage: check_citations.py PROJECT_DIR
"""
import pathlib
import re
import sys

FOLDERS = ("src", "io", "partition", "tests")
SUFFIXES = (".c", ".h", ".inc")
PAGES = ("*.md", "src/*.md", "io/**/*.md", "jobs/*.md", "tests/*.md")
MAY_BE_GONE = {"CHANGELOG.md"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CITED = re.compile(r"(?<![\w/.])((?:\w+/)*\w+\.(?:h|c|inc|md|py))\b")
IN_MANY_FOLDERS = {"settings.h"}
NAME = re.compile(r"\b(?:sn|SN)_\w+")
PLACEHOLDER = "NAME"  # src/solve/NAME.h, sn_law_NAME: for the reader to fill in


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


def stem_of(name):
    """Names of both precisions are written without them: sn_smooth is sn_smooth_f32."""
    return re.sub(r"_f(32|64)$", "", name)


def problems_of_page(project, path, sources, known):
    """A page may name a source by the end of its path."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        cited = [name for name in CITED.findall(line) if not is_there(project, path.parent, name)
                 and not any(source.endswith("/" + name) for source in sources)]
        unknown = [name for name in NAME.findall(line) if stem_of(name) not in known]
        for name in cited + unknown:
            if PLACEHOLDER not in name:
                yield f"{path.relative_to(project)}:{number}: there is no {name}"


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    files = [
        f for top in FOLDERS for f in sorted((project / top).rglob("*")) if f.suffix in SUFFIXES
    ]
    pages = [p for pattern in PAGES for p in sorted(project.glob(pattern))]
    known = {stem_of(name) for path in files for name in NAME.findall(path.read_text())}
    sources = [path.as_posix() for path in files]
    problems = [problem for path in files for problem in problems_of_file(project, path)]
    for path in pages:
        if path.name not in MAY_BE_GONE:
            problems += problems_of_page(project, path, sources, known)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
