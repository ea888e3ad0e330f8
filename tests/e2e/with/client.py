"""Two connections that send a few bytes each, at the same time. Ends with the status that is given."""
import socket, sys, time


def connect():
    for _ in range(500):
        try:
            return socket.create_connection(("127.0.0.1", 7411), timeout=5)
        except OSError:
            time.sleep(0.01)
    sys.exit("no server")


connections = [connect() for _ in range(2)]
for _ in range(3):
    for s in connections:
        s.sendall(b"+")
    for s in connections:
        assert s.recv(1) == b"k"
for s in connections:
    assert s.recv(1) == b""  # the server closes first
    s.close()
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
