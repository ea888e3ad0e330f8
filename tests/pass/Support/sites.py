"""Prints the site table of a linked ELF file, one site per line: kind size flags file:line:column function [variable]."""
import os
import re
import struct
import sys

COUNTED, HEAD = 2, 8192  # abi/site.h
root = os.path.join(os.path.dirname(__file__), "..", "..", "..")
KINDS = re.findall(r"X\((\w+), \"", open(os.path.join(root, "abi", "events.h")).read())


def sections(data):
    offset, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * i) for i in range(count)]
    table = headers[names]
    for header in headers:
        start = table[4] + header[0]
        yield data[start:data.index(b"\0", start)].decode(), header


def main(path):
    data = open(path, "rb").read()
    everything = list(sections(data))

    def text(address):
        for _, (_, _, flags, start, offset, size, *_) in everything:
            if flags & 2 and start <= address < start + size:
                begin = offset + address - start
                return data[begin:data.index(b"\0", begin)].decode()
        raise SystemExit(f"no section holds {address:#x}")

    for name, (_, _, _, start, offset, size, *_) in everything:
        if name != "heddle_sites":
            continue
        for at in range(0, size, 32):
            state, f, file, variable, line, column, kind, bytes_, flags, ordinal = struct.unpack_from(
                "<IiiiIHBBII", data, offset + at)
            assert state & ~COUNTED == 0, "runtime-owned bits are set in the file"
            if flags & HEAD:
                continue
            assert ordinal, "a site without an instruction"
            string = lambda field, index: text(start + at + 4 * index + field) if field else "-"
            print(KINDS[kind], bytes_, flags, f"{string(file, 2)}:{line}:{column}", string(f, 1),
                  f"[{string(variable, 3)}]")


main(sys.argv[1])
