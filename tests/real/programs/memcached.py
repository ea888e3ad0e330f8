"""memcached: event loops in threads that hand connections on, a hash table with striped locks, background threads."""
from real import Program

PROGRAM = Program(
    package="memcached", needs=["libevent-dev"],
    build="./configure && make -j{jobs}", made="memcached",
    command=["{program}", "-u", "root", "-t", "2", "-l", "127.0.0.1", "-p", "21211"],
    client="memcached_client.py", port=21211)
