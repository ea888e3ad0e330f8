"""Two connections that set and get, each its own keys, and count together."""
import sys
from retry import at_once, connect, must_equal

port = int(sys.argv[1])


def talk(number):
    with connect(port) as s, s.makefile("rb") as lines:
        s.sendall(b"add total 0 0 1\r\n0\r\n")
        lines.readline()
        for i in range(8):
            key, value = b"key%d_%d" % (number, i), b"v" * (i + 1)
            s.sendall(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))
            must_equal(lines.readline(), b"STORED\r\n")
            s.sendall(b"get %s\r\n" % key)
            must_equal([lines.readline() for _ in range(3)],
                       [b"VALUE %s 0 %d\r\n" % (key, len(value)), value + b"\r\n", b"END\r\n"])
            s.sendall(b"incr total 1\r\n")
            lines.readline()


at_once(talk, 2)
with connect(port) as s, s.makefile("rb") as lines:
    s.sendall(b"get total\r\n")
    must_equal([lines.readline() for _ in range(2)][1].strip(), b"16")
