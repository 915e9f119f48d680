"""Reads a run's surface frames without Sinew: with h5dump, and for digests with xxHash."""

import ctypes
import ctypes.util
import os
import re
import struct
import subprocess
import tempfile

CODES = {"float64": "d", "float32": "f", "int64": "q", "int32": "i", "uint8": "B"}


def dump(path, *options):
    return subprocess.run(["h5dump", *options, path], check=True, capture_output=True,
                          encoding="utf-8").stdout


def raw(path, dataset, order="LE"):
    """The bytes of a dataset; texts have no order but the file's."""
    with tempfile.NamedTemporaryFile() as file:
        dump(path, "-d", dataset, "-b", order, "-o", file.name)
        return file.read()


def numbers(path, dataset, kind):
    """All numbers of a dataset, one after another."""
    return [value for value, in struct.iter_unpack("<" + CODES[kind], raw(path, dataset))]


def text(path, dataset):
    return raw(path, dataset, "FILE").decode()


def attribute(path, name):
    """The text of an attribute."""
    quoted = dump(path, "-e", "-w", "0", "-a", name)
    escaped = re.search(r'\(0\): "(.*)"', quoted)[1]
    # Bytes that h5dump takes for negative numbers.
    escaped = re.sub(r"\\(37777777\d{3})", lambda byte: f"\\{int(byte[1], 8) % 256:o}", escaped)
    return escaped.encode().decode("unicode_escape").encode("latin-1").decode().rstrip("\0")


def triples(flat):
    return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))


def points(path):
    return triples(numbers(path, "/VTKHDF/Points", "float64"))


def corners(path):
    return triples(numbers(path, "/VTKHDF/Connectivity", "int64"))


def rounded(number):
    """To single precision."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def rounded_points(exact):
    return [tuple(map(rounded, point)) for point in exact]


def content(path):
    """All that a frame holds, as text that tells all numbers apart."""
    return dump(path, "-m", "%.17g").split("\n", 1)[1]  # the first line is the file's name


def digest(positions):
    """As frames.csv has it; None where there is no xxHash."""
    name = ctypes.util.find_library("xxhash")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.XXH3_64bits.restype = library.XXH3_64bits_withSeed.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    total = 0
    for i, position in enumerate(positions):
        seed = library.XXH3_64bits(struct.pack("<Q", i), 8)
        total += library.XXH3_64bits_withSeed(struct.pack("<3d", *position), 24, seed)
    return f"{total % 2**64:016x}"


def frame_path(directory, frame):
    return os.path.join(directory, f"surface_{frame:04}.vtkhdf")
