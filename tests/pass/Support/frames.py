"""Checks and lists the bitcode frames of an ELF file: their instructions; with a second argument writes DIR/<i>.bc."""
import struct
import subprocess
import sys
import tempfile

MAGIC = 0x32454D4152464448


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value


def main(path, out=None):
    with tempfile.NamedTemporaryFile() as raw:
        subprocess.run([
            "objcopy", "-O", "binary", "--only-section=.llvmcmd", "--set-section-flags", ".llvmcmd=alloc", path,
            raw.name
        ],
                       check=True)
        data = open(raw.name, "rb").read()
    at = number = 0
    while at < len(data):
        magic, size, hash_, instructions = struct.unpack_from("<4Q", data, at)
        body = data[at + 32:at + 32 + size]
        assert magic == MAGIC and size % 8 == 0 and len(body) == size and fnv1a(body) == hash_, f"bad frame at {at}"
        print(f"frame {number} instructions {instructions}")
        if out:
            open(f"{out}/{number}.bc", "wb").write(body)
        at += 32 + size
        number += 1


main(*sys.argv[1:])
