#!/usr/bin/env python3
"""Every test has a row in tests/README.md and every row a test; every source folder is named in a
heading there, above the tests that hold it.

usage: check_tests.py PROJECT_DIR
"""
import pathlib
import re
import sys

import check_layers

HEADING = re.compile(r"^### .*$", re.MULTILINE)
FOLDER = re.compile(r"`((?:src|io|partition)[a-z0-9_/]*)`")
ROW = re.compile(r"^\| `(\w+)`", re.MULTILINE)
NOT_A_TEST = ("cluster", "job_test")  # of tests/slurm: what its tests share


def tests_of(tests):
    names = [f.stem.removeprefix("test_") for f in tests.rglob("test_*.c")]
    for pattern in ("check_*.py", "program/*.py", "program/*.cmake", "slurm/*.py"):
        names += [f.stem for f in tests.glob(pattern) if f.stem not in NOT_A_TEST]
    return set(names)


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    readme = (project / "tests/README.md").read_text()
    held = readme[readme.index("## What holds what"):readme.index("## Helpers")]
    rows = set(ROW.findall(held)) - {"format"}
    folders = set(FOLDER.findall("\n".join(HEADING.findall(held))))
    tests, sources = tests_of(project / "tests"), set(check_layers.ORDER)
    problems = [f"tests/README.md has no row for {name}" for name in sorted(tests - rows)]
    problems += [f"tests/README.md: there is no test {name}" for name in sorted(rows - tests)]
    problems += [f"tests/README.md names no test of {name}" for name in sorted(sources - folders)]
    problems += [f"tests/README.md: there is no folder {name}"
                 for name in sorted(folders - sources)]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
