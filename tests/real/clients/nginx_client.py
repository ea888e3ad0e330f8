"""Two connections that ask for a file that a thread of the pool reads."""
import http.client, sys
from retry import at_once, connect, must_equal

port = int(sys.argv[1])
content = bytes(range(256)) * 1000


def ask(number):
    connect(port).close()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for _ in range(3):
        connection.request("GET", "/file.bin")
        answer = connection.getresponse()
        must_equal(answer.status, 200)
        if answer.read() != content:
            raise ValueError("another content")
    connection.close()


at_once(ask, 2)
