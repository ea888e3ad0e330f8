"""Two connections that set and get, each its own keys, and count together."""
import sys
from retry import at_once, connect, must_equal

port = int(sys.argv[1])


def talk(number):
    with connect(port) as s, s.makefile("rb") as lines:
        for i in range(8):
            s.sendall(b"SET key%d_%d %d\r\n" % (number, i, i))
            must_equal(lines.readline(), b"+OK\r\n")
            s.sendall(b"GET key%d_%d\r\n" % (number, i))
            must_equal([lines.readline() for _ in range(2)][1].strip(), b"%d" % i)
            s.sendall(b"INCR total\r\n")
            lines.readline()


at_once(talk, 2)
with connect(port) as s, s.makefile("rb") as lines:
    s.sendall(b"GET total\r\n")
    must_equal([lines.readline() for _ in range(2)][1].strip(), b"16")
