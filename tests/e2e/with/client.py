"""Two connections that send a few bytes each, at the same time. Ends with the status that is given."""
import socket, sys, threading, time


def connect():
    for _ in range(500):
        try:
            return socket.create_connection(("127.0.0.1", 7411), timeout=5)
        except OSError:
            time.sleep(0.01)
    sys.exit("no server")


def talk():
    with connect() as s:
        for _ in range(3):
            s.sendall(b"+")
            assert s.recv(1) == b"k"
        assert s.recv(1) == b""  # the server closes first


threads = [threading.Thread(target=talk) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
