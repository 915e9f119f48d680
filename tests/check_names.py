#!/usr/bin/env python3
"""One name, one thing: a type, a tag or a constant with the prefix sn_ or SN_ is defined in one
file only. The compiler does not see it where no file includes both headers.

usage: check_names.py PROJECT_DIR
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("src", "io", "partition")
SUFFIXES = (".c", ".h", ".inc")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
TAG = re.compile(r"\b(?:struct|union|enum)\s+(sn_\w+)\s*\{")
ENUM = re.compile(r"\benum\b[^{};()]*\{([^{}]*)\}")
CONSTANT = re.compile(r"(?:^|,)\s*(SN_\w+)")
TYPEDEF = re.compile(r"\btypedef\b([^;]*);")
SAME_TAG = re.compile(r"\s*(?:struct|union)\s+(\w+)\s+\1")  # defined with the tag, maybe elsewhere
POINTER = re.compile(r"\(\s*\*\s*(\w+)")
LAST_WORD = re.compile(r"(\w+)\W*$")


def without_braces(text):
    """The same with all between outermost braces left out."""
    while True:
        shorter = re.sub(r"\{[^{}]*\}", " ", text)
        if shorter == text:
            return text
        text = shorter


def typedef_name(declaration):
    """`struct sn_a sn_b`, `double sn_point[3]`, `void sn_visit(int)`, `SN_VECTOR(int) sn_list`."""
    pointer = POINTER.search(declaration)
    if pointer:
        return pointer.group(1)
    bare = re.sub(r"(\[[^\]]*\]|\([^()]*\))\s*$", "", declaration.strip())
    return LAST_WORD.search(bare).group(1)


def names_in(text):
    text = COMMENT_OR_STRING.sub(" ", text)
    names = set(TAG.findall(text))
    for body in ENUM.findall(text):
        names.update(CONSTANT.findall(body))
    for declaration in TYPEDEF.findall(without_braces(text)):
        name = typedef_name(declaration)
        if name.startswith("sn_") and not SAME_TAG.fullmatch(declaration):
            names.add(name)
    return names


def main():
    project = pathlib.Path(sys.argv[1]).resolve()
    homes = collections.defaultdict(list)
    for top in FOLDERS:
        for path in sorted((project / top).rglob("*")):
            if path.suffix in SUFFIXES:
                for name in names_in(path.read_text()):
                    homes[name].append(path.relative_to(project).as_posix())
    problems = [f"{name} is defined in {', '.join(h)}" for name, h in homes.items() if len(h) > 1]
    print("\n".join(sorted(problems)) if problems else f"{len(homes)} names, each with one meaning")
    sys.exit(1 if problems or not homes else 0)


if __name__ == "__main__":
    main()
