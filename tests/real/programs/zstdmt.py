"""zstd with threads: a pool of jobs, buffers handed out again, output in order."""
import subprocess
from real import Program

TEXT = b"".join(b"%d bottles of beer on the wall\n" % (i * i) for i in range(40000))


def right(folder, output):
    again = subprocess.run(["zstd", "-dcq", folder / "text.zst"], stdout=subprocess.PIPE)
    return None if again.stdout == TEXT else "another content"


PROGRAM = Program(
    package="libzstd", needs=["zstd"],
    build="make -C programs -j{jobs} zstdmt", made="programs/zstd",
    prepare=lambda folder: (folder / "text").write_bytes(TEXT),
    command=["{program}", "-T3", "-1", "-B512KB", "-q", "-f", "-k", "text", "-o", "text.zst"], right=right)
