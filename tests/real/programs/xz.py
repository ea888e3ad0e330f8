"""xz with threads: liblzma's block encoder, a pool of workers with a mutex and condition variable each, output in order."""
import lzma, subprocess
from real import KnownBug, Program

TEXT = b"".join(b"%d bottles of beer on the wall\n" % (i * i) for i in range(20000))


def right(folder, output):
    return None if lzma.decompress((folder / "text.xz").read_bytes()) == TEXT else "another content"


def damaged(folder, program):
    """Three blocks and more, with a wrong byte in the first third: the decoder meets an error while its threads work."""
    subprocess.run([program, "-k", "-f", "-T3", "-0", "--block-size=200KiB", "text"], cwd=folder, check=True)
    data = bytearray((folder / "text.xz").read_bytes())
    data[len(data) // 3] ^= 0x55
    (folder / "damaged.xz").write_bytes(data)


# CVE-2025-31115: after an error the decoder frees a thread's input buffer while main still copies into it.
USE_AFTER_FREE = KnownBug(
    fix="liblzma-mt-dec-Simplify-by-removing-the-THR_STOP-state.patch",
    rebuild="make -s -j{jobs} > rebuild.log 2>&1", command=["{program}", "-dc", "-T3", "damaged.xz"], prepare=damaged,
    failure="segfault", hunt=("--fail-on-exit", "none"))  # status 1 is right: the file is damaged

PROGRAM = Program(
    package="xz-utils",
    needs=["autoconf", "automake", "libtool"],
    build=
    "./configure --quiet --disable-shared --disable-nls --disable-doc --disable-scripts CFLAGS='-O2 -g' && make -j{jobs}",
    made="src/xz/xz",
    prepare=lambda folder: (folder / "text").write_bytes(TEXT),
    command=["{program}", "-T3", "-0", "--block-size=200KiB", "-k", "-f", "text"],
    right=right,
    known_bug=USE_AFTER_FREE)
