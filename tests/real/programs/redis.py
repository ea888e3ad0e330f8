"""redis: an event loop, threads for I/O, threads that free in the background."""
from real import Program

PROGRAM = Program(package="redis",
                  needs=[],
                  build="make -j{jobs} MALLOC=libc redis-server",
                  made="src/redis-server",
                  command=[
                      "{program}", "--port", "21212", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                      "--io-threads", "2", "--io-threads-do-reads", "yes"
                  ],
                  client="redis_client.py",
                  port=21212)
