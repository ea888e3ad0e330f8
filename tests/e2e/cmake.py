#!/usr/bin/env python3
"""The CMake package: find_package(Heddle) in the installed tree and in the build tree, heddle_add_hunt(), ctest.

    tests/e2e/cmake.py --heddle build/bin/heddle          closing line: 'N passed, M failed'
"""
import argparse, os, pathlib, re, shutil, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import bounded  # noqa: E402
from report import Report  # noqa: E402

PROJECT = HERE / "ci" / "project"


class Project:
    """The project of ci/project, configured with the heddle of `prefix`."""

    def __init__(self, prefix, work):
        self.prefix, self.work = prefix, work
        self.build = work / "build"

    def configure(self, compiler, *more, source=PROJECT):
        return bounded([
            "cmake", "-S", source, "-B", self.build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DTESTS={HERE / 'ci'}", *more
        ], self.work, 300)

    def make(self):
        return bounded(["cmake", "--build", self.build, "-j2"], self.work, 600)

    def ctest(self, *args):
        """(status, {test: passed}, text)"""
        code, out, err = bounded(["ctest", "--test-dir", self.build, "--output-on-failure", *args], self.work, 600)
        return code, {n: w == "Passed"
                      for n, w in re.findall(r"Test\s+#\d+: (.*?) \.+\W*(Passed|Failed)", out)}, out + err


def a_failing_hunt_fails_and_a_fixed_one_passes(prefix, work):
    p = Project(prefix, work)
    code, out, err = p.configure(prefix / "bin/heddle-c++")
    assert code == 0 and "heddle_add_hunt" not in err, (out, err)
    code, out, err = p.make()
    assert code == 0, (out, err)
    code, passed, text = p.ctest()
    assert code != 0 and passed == {
        "hunt.broken": False,
        "hunt.fixed": True,
        "broken, two in stock": True,
        "plain-on-purpose": True,
        "hunt.shop_test": False
    }, (passed, text)
    assert "FAILED  check `stock >= 0`" in text and "replay it:  heddle replay hunt_broken.heddle" in text, text
    assert re.search(r"FAILED +Shop.NeverSellsWhatIsNotThere .* heddle replay hunt_shop_test-Shop.NeverSells",
                     text), text
    assert "not built by heddle" not in text, text
    code, out, err = bounded([prefix / "bin/heddle", "replay", "hunt_broken.heddle"], p.build, 60)
    assert code == 66, (code, out, err)
    assert "failures=\"2\"" in (p.build / "tests.xml").read_text() and (p.build / "tests.sarif").exists()
    code, passed, text = p.ctest("-L", "slow")
    assert code == 0 and list(passed) == ["broken, two in stock"], text


def another_compiler_is_pointed_out(prefix, work):
    p = Project(prefix, work)
    code, out, err = p.configure("g++")
    warned = re.findall(r"heddle_add_hunt\((\w+)\): built by\s+\S*g\+\+,\s+not\s+by\s+heddle", err)
    assert code == 0 and warned == ["broken", "fixed", "broken", "shop_test"], (code, out, err)  # not for PLAIN
    code, out, err = bounded(["cmake", "--build", p.build, "--target", "broken"], p.work, 300)
    assert code == 0, (out, err)
    code, passed, text = p.ctest("-R", "hunt.broken", "-V")
    assert "not built by heddle cc, so only its synchronisation calls are controlled" in text and passed == {
        "hunt.broken": False
    }, text


def wrong_use_is_an_error(prefix, work):
    lines = {
        "heddle_add_hunt(nothing)": "there is no such target",
        "heddle_add_hunt(lib)": "it is no executable",
        "heddle_add_hunt(prog RUN 3)": "unknown arguments: RUN",
        "heddle_add_hunt(prog RUNS)": "no value for RUNS"
    }
    for i, (line, words) in enumerate(lines.items()):
        source = work / f"source{i}"
        source.mkdir()
        (source / "x.cc").write_text("int main() { return 0; }\n")
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(wrong LANGUAGES CXX)\nfind_package(heddle 0.1 REQUIRED)\n"
            "add_executable(prog x.cc)\nadd_library(lib STATIC x.cc)\n" + line + "\n")
        folder = work / f"work{i}"
        folder.mkdir()
        code, out, err = Project(prefix, folder).configure(prefix / "bin/heddle-c++", source=source)
        assert code != 0 and words in " ".join(err.split()), (line, code, out, err)


def install(heddle, prefix):
    code, out, err = bounded(["cmake", "--install", heddle.parent.parent, "--prefix", prefix], prefix.parent, 300)
    assert code == 0, (out, err)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=pathlib.Path)
    heddle = ap.parse_args().heddle.absolute()
    report = Report()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-cmake-"))
    installed, built = work / "an installed tree", heddle.parent.parent

    def check(test, prefix):
        folder = work / f"{test.__name__}-{prefix.name}"
        folder.mkdir()
        try:
            test(prefix, folder)
            report.line(f"{test.__name__} ({prefix.name})")
        except (AssertionError, OSError) as why:
            report.line(f"{test.__name__} ({prefix.name})", f"{type(why).__name__} {str(why)[:3000]}")

    try:
        install(heddle, installed)
        report.line("cmake --install")
        check(a_failing_hunt_fails_and_a_fixed_one_passes, installed)
        check(another_compiler_is_pointed_out, built)
        check(wrong_use_is_an_error, built)
    except AssertionError as why:
        report.line("cmake --install", str(why)[:1500])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
