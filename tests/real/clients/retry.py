"""For all clients: a connection to a server that may not be there yet."""
import socket, sys, threading, time


def connect(port):
    for _ in range(1000):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except OSError:
            time.sleep(0.02)
    sys.exit("no server")


def at_once(work, count):
    """`work(number)` in so many threads; exits with what went wrong."""
    wrong = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if wrong:
        sys.exit("; ".join(wrong))


def must_equal(seen, wanted):
    if seen != wanted:
        raise ValueError(f"{seen!r} instead of {wanted!r}")
