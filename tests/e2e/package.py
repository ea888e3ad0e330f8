#!/usr/bin/env python3
"""The Debian package of the build folder, unpacked elsewhere: it has every part, and control is proven with it.

    tests/e2e/package.py --heddle build/bin/heddle          closing line: 'N passed, M failed'

`scripts/package --check` installs it in a fresh chroot.
"""
import argparse, pathlib, subprocess, sys

from cases import run
from programs import bounded

PARTS = ("bin/heddle", "bin/heddle-cc", "bin/heddle-c++", "lib/heddle/heddle-pass.so", "lib/heddle/libheddle_rt.a",
         "lib/heddle/heddle_rt.syms", "lib/heddle/libheddle_preload.so", "lib/heddle/tsan/libtsan.so.2",
         "lib/heddle/gdb/heddle.py", "lib/heddle/heddle-canary", "lib/cmake/heddle/heddle-config.cmake",
         "include/heddle/check.h", "share/man/man1/heddle.1", "share/bash-completion/completions/heddle")
NEEDS = ("clang-19", "libc6", "libdw1", "libfmt9", "libstdc++6", "libzstd1")


def the_package_holds_a_tool_that_works(work):
    folder, build = work
    code, out, err = bounded(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "packed"], folder, 300)
    assert code == 0, (out, err)
    package, = (folder / "packed").glob("heddle_*.deb")
    needed = subprocess.run(["dpkg-deb", "--field", package, "Depends"], capture_output=True, text=True,
                            check=True).stdout
    words = {entry.split()[0] for entry in needed.replace("|", ",").split(",")}
    assert words.issuperset(NEEDS), needed
    subprocess.run(["dpkg-deb", "--extract", package, folder / "root"], check=True)
    missing = [part for part in PARTS if not (folder / "root/usr" / part).exists()]
    assert not missing, missing
    heddle = folder / "root/usr/bin/heddle"
    assert heddle.stat().st_size < (build / "bin/heddle").stat().st_size, "not stripped"
    code, out, err = bounded([heddle, "doctor"], folder, 300)
    assert code == 0 and "control is proven" in out, (code, out, err)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=pathlib.Path)
    build = ap.parse_args().heddle.resolve().parent.parent
    return run([the_package_holds_a_tool_that_works], lambda folder, _: (folder, build))


if __name__ == "__main__":
    sys.exit(main())
