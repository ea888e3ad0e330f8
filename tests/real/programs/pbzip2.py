"""pbzip2: C++; a reader, compressors and a writer over queues with condition variables."""
import bz2
from real import Program

TEXT = b"".join(b"%d bottles of beer on the wall\n" % i for i in range(12000))


def right(folder, output):
    return None if bz2.decompress((folder / "text.bz2").read_bytes()) == TEXT else "another content"


PROGRAM = Program(
    package="pbzip2", needs=["libbz2-dev"],
    # clang takes "..."PRIuMAX for a literal of the user's since C++11, where gcc only warns.
    build="make CXX=$CXX CXXFLAGS='-O2 -g -Wno-reserved-user-defined-literal'", made="pbzip2",
    prepare=lambda folder: (folder / "text").write_bytes(TEXT),
    command=["{program}", "-k", "-f", "-p3", "-b1", "text"], right=right)
