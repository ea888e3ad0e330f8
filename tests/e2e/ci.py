#!/usr/bin/env python3
"""What continuous integration uses: JUnit XML, SARIF against the schema of the standard, GoogleTest programs test by test, git bisect run.

    tests/e2e/ci.py --heddle build/bin/heddle [--fetched FOLDER] [NAME ...]          closing line: 'N passed, M failed'

--fetched keeps the SARIF schema, which is fetched by package name (ci/schema.py). If it cannot be had, that is a failure.
"""
import argparse, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "ci")]
import schema  # noqa: E402
from command_line import Tool  # noqa: E402
from programs import bounded  # noqa: E402
from report import Report  # noqa: E402

FAIL = HERE.parent / "programs" / "fail"
FOUND, CLEAN, USAGE, INCONCLUSIVE, INTERRUPTED = 66, 0, 2, 3, 130
GOOD, BAD, SKIP, GIVE_UP = 0, 1, 125, 129
RACY = (FAIL / "lost_update.c").read_text()
CALM = RACY.replace("assert(", "(void)(")
HITS = (HERE.parents[1] / "examples" / "hits.c").read_text()
CHECKER = None  # of logs; made once


def hunt(h, *args, seed="1", **more):
    """(status, stdout, stderr, JUnit tree, SARIF run): both reports are always read and checked."""
    for name in ("j.xml", "s.sarif"):
        (h.work / name).unlink(missing_ok=True)
    code, out, err = h("hunt", "--seed", seed, "--junit", "j.xml", "--sarif", "s.sarif", *args, **more)
    log = json.loads((h.work / "s.sarif").read_text())
    assert not (bad := schema.problems(CHECKER, log)), bad[:5]
    return code, out, err, ET.parse(h.work / "j.xml").getroot(), log["runs"][0]


def texts(flow):
    return [one["location"].get("message", {}).get("text", "") for one in flow["locations"]]


def the_checker_refuses_what_is_no_sarif(h):
    h.build(RACY, "racy")
    code, _, err, _, _ = hunt(h, "--", "./racy")
    log = json.loads((h.work / "s.sarif").read_text())
    for spoil in (lambda r: log.update(version="2.0"), lambda r: r.pop("tool"),
                  lambda r: r["results"][0].pop("message"),
                  lambda r: r["results"][0]["codeFlows"][0]["threadFlows"][0].update(locations=[])):
        good = json.loads(json.dumps(log))
        spoil(log["runs"][0])
        assert code == FOUND and schema.problems(CHECKER, log), (err, spoil)
        log.clear(), log.update(good)
    assert not schema.problems(CHECKER, log)


def a_failure_is_a_testcase_and_a_result(h):
    h.build(RACY, "racy")
    code, out, err, junit, sarif = hunt(h, "-o", "r.heddle", "--", "./racy")
    assert code == FOUND and out.startswith("FAILED  assertion"), (code, out, err)
    assert (junit.get("tests"), junit.get("failures"), junit.get("errors")) == ("1", "1", "0"), junit.attrib
    (case,) = junit.iter("testcase")
    failure = case.find("failure")
    shown = json.loads(h("show", "--json", "r.heddle")[1])
    assert case.get("classname") == "racy" and failure.get("type") == "assertion", case.attrib
    for line in (f"signature: {shown['failure']['signature']}", "replay it: heddle replay r.heddle",
                 "thread 0: running\n  main at "):
        assert line in failure.text, (line, failure.text)
    assert "Assertion" in case.find("system-out").text
    result = sarif["results"][0]
    assert result["ruleId"] == "assertion" and sarif["tool"]["driver"]["rules"][
        result["ruleIndex"]]["id"] == "assertion", result
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "racy.c" and place["region"]["startLine"] == shown["failure"][
        "line"], place
    assert sarif["invocations"][0]["exitCode"] == FOUND and "heddle replay r.heddle" in result["message"]["text"]
    again = hunt(h, "--strategy", "random", "--", "./racy", seed="7")[4]["results"][0]
    assert again["partialFingerprints"] == result["partialFingerprints"], (again, result)


def every_thread_has_its_flow(h):
    h.build(RACY, "racy")
    _, _, _, _, sarif = hunt(h, "-o", "r.heddle", "--", "./racy")
    shown = json.loads(h("show", "--json", "r.heddle")[1])
    (code_flow,) = sarif["results"][0]["codeFlows"]
    flows = code_flow["threadFlows"]
    assert [f["id"] for f in flows] == [t["name"] for t in shown["threads"]], flows
    orders = sorted(one["executionOrder"] for f in flows for one in f["locations"])
    assert orders == list(range(1, len(orders) + 1)), orders
    located = [
        one["location"]["physicalLocation"] for f in flows for one in f["locations"]
        if "physicalLocation" in one["location"]
    ]
    assert len(located) > len(orders) / 2 and all(
        p["artifactLocation"]["uri"] == "racy.c" and p["region"]["startLine"] > 0 for p in located), located
    marks = [one.get("properties", {}) for f in flows for one in f["locations"]]
    preemptions = sum(m.get("preempted") is True for m in marks)
    assert preemptions == shown["preemptions"] > 0, (preemptions, shown["preemptions"])
    assert sum("switch" in m for m in marks) == shown["switches"], (marks, shown["switches"])
    assert any("preempted here: thread" in t for f in flows
               for t in texts(f)) and sum("FAILED: assertion" in t for f in flows for t in texts(f)) == 1, flows
    last = max((one for f in flows for one in f["locations"]), key=lambda one: one["executionOrder"])
    assert last["properties"] == {"failed": True}, last


def with_simplify_all_is_said_of_the_simplified_trace(h):
    h.build((HERE.parents[1] / "examples" / "shop.c").read_text(), "shop")
    threads = set()
    for seed in range(1, 7):  # another thread may be the one that fails then
        code, out, err, junit, sarif = hunt(h, "--simplify", "-o", "s.heddle", "--", "./shop", seed=seed)
        full, simple = (json.loads(h("show", "--json", trace)[1])["failure"]["thread"]
                        for trace in ("s-full.heddle", "s.heddle"))
        threads.add((full, simple))
        told = f"thread {simple}"
        assert code == FOUND and out.splitlines()[0].split("   ")[1].endswith(told), (out, err)
        assert junit.find(".//failure").text.splitlines()[1].endswith(told), ET.tostring(junit)
        flows = {flow["id"]: texts(flow) for flow in sarif["results"][0]["codeFlows"][0]["threadFlows"]}
        assert any("FAILED" in text for text in flows[simple]), flows
    assert any(full != simple for full, simple in threads), threads


def a_deadlock_says_who_waits(h):
    h.build((FAIL / "two_locks.c").read_text(), "locks")
    code, _, err, junit, sarif = hunt(h, "--", "./locks")
    assert code == FOUND and junit.find(".//failure").get("type") == "deadlock", (code, err)
    result = sarif["results"][0]
    assert result["ruleId"] == "deadlock" and len(result["stacks"]) >= 2, result
    told = [t for f in result["codeFlows"][0]["threadFlows"] for t in texts(f)]
    assert any("at the failure: waits for lock" in t for t in told), told


def nothing_found_is_a_passed_testcase(h):
    h.build(CALM, "calm")
    code, _, err, junit, sarif = hunt(h, "--runs", "20", "--detector", "off", "--", "./calm", "an argument")
    assert code == CLEAN and junit.get("failures") == "0" and junit.find(".//testcase").get(
        "name") == "calm 'an argument'", (code, err, junit.attrib)
    assert sarif["results"] == [] and len(junit.find(".//testcase")) == 0, sarif["results"]
    code, out, _ = h("hunt", "--runs", "20", "--json", "--junit", "/dev/stderr", "--", "./calm")
    assert code == CLEAN and json.loads(out)["found"] is False


def races_are_warnings(h):
    h.build(HITS, "hits")
    code, _, err, junit, sarif = hunt(h, "--runs", "300", "--", "./hits")
    assert code == CLEAN and junit.get("failures") == "0", (code, err)
    results = sarif["results"]
    assert results and all(r["ruleId"] == "race" and r["level"] == "warning" for r in results), results
    for r in results:
        assert r["properties"]["variable"] == "hits" and len(r["codeFlows"][0]["threadFlows"]) == 2 and len(
            r["stacks"]) == 2, r
    assert "data race on hits" in junit.find(".//system-err").text


def distinct_failures_are_results_of_their_own(h):
    source = (HERE / "strategies" / "three_ways.c").read_text()
    h.build(source, "ways")
    code, _, err, junit, sarif = hunt(h, "--strategy", "random", "--keep-going", "--runs", "400", "--", "./ways")
    results = [r for r in sarif["results"] if r["ruleId"] != "race"]
    assert code == FOUND and len(results) == 3 and len(
        {r["partialFingerprints"]["heddleSignature/v1"]
         for r in results}) == 3, (code, err, results)
    failure = junit.find(".//failure")
    assert failure.get("message").endswith("(and 2 more)") and failure.text.count(
        "replay it: heddle replay") == 3, failure.text
    assert len({r["properties"]["replay"] for r in results}) == 3


def any_bytes_make_well_formed_reports(h):
    h.build(
        """#include <stdio.h>
int main(void) { for (int i = 0; i < 4096; i++) putchar('a'); for (int i = 1; i < 256; i++) putchar(i); fputs("]]>&amp;<b>\\xc3\\xbc \\xed\\xa0\\x80 \\xef\\xbf\\xbf", stdout); return 3; }
""", "plain")
    name = b"we\"ird<&>\x01\xff\xc3\xbc'%20\n.x"
    shutil.copy(h.work / "plain", os.fsencode(h.work) + b"/" + name)
    code, _, err, junit, sarif = hunt(h, "--", os.fsdecode(b"./" + name), os.fsdecode(b"\x02<\xfe&'\"]]>"), "", "-o\n")
    assert code == FOUND and junit.find(".//failure").get("type") == "exit", (code, err)
    assert "]]>&amp;<b>\u00fc" in junit.find(".//system-out").text and sarif["results"][0]["ruleId"] == "exit"


def what_cannot_be_hunted_is_an_error_in_the_reports(h):
    code, _, err, junit, sarif = hunt(h, "--", "./missing")
    assert code == USAGE and junit.get("errors") == "1" and "missing" in junit.find(".//error").get("message"), (
        code, err, junit.attrib)
    assert sarif["invocations"][0]["executionSuccessful"] is False and sarif["results"] == []


def what_failed_once_is_no_result(h):
    # Shared memory of System V outlives its processes and is no input that is recorded: the second execution finds what the first left.
    key = 0x4ed00000 + os.getpid() % 0x10000
    h.build("""#include <sys/shm.h>
int main(void) {
  char* seen = shmat(shmget(%d, 4096, IPC_CREAT | 0600), 0, 0);
  return *seen ? (*seen = 0) : (*seen = 1, 9);
}
""" % key, "once")
    try:
        code, out, err, junit, sarif = hunt(h, "--runs", "1", "--", "./once")
        assert code == INCONCLUSIVE and out.startswith("FAILED ONCE"), (code, out, err)
        assert (junit.get("errors"), junit.get("failures")) == (
            "1", "0") and "exit status 9" in junit.find(".//error").get("message"), junit.attrib
        assert sarif["results"] == [] and sarif["invocations"][0]["toolExecutionNotifications"][0][
            "level"] == "warning", sarif
        assert h("hunt", "--bisect", "--runs", "1", "--", "./once")[0] == SKIP
    finally:
        subprocess.run(["ipcrm", "-M", hex(key)], check=True)


def a_report_that_cannot_be_written_is_told(h):
    h.build(RACY, "racy")
    h.build(CALM, "calm")
    for option in ("--junit", "--sarif"):
        code, _, err = h("hunt", option, "/nonexistent/x", "--", "./racy")
        assert code == USAGE and "/nonexistent" in err, (code, err)
        code, _, err = h("hunt", "--seed", "1", option, "/dev/full", "--", "./racy")
        assert code == FOUND and "cannot write /dev/full" in err, (code, err)
        code, _, err = h("hunt", "--runs", "5", option, "/dev/full", "--", "./calm")
        assert code == INCONCLUSIVE and "cannot write /dev/full" in err, (code, err)


def build_gtest(h, name="shop_test", *flags):
    code, _, err = h("c++",
                     "-g",
                     "-pthread",
                     *flags,
                     HERE / "ci" / "shop_test.cc",
                     "-lgtest",
                     "-lgtest_main",
                     "-o",
                     h.work / name,
                     timeout=180)
    assert code == 0, err


def googletest_programs_are_hunted_test_by_test(h):
    build_gtest(h)
    code, out, err, junit, sarif = hunt(h, "--gtest", "--runs", "60", "--", "./shop_test", timeout=180)
    lines = out.splitlines()
    assert code == FOUND and [
        l.split()[:2] for l in lines[:-1]
    ] == [["ok", "Shop.SellsWhatIsThere"], ["FAILED", "Shop.NeverSellsWhatIsNotThere"],
          ["disabled", "Shop.DISABLED_AlwaysFails"], ["ok", "Shop.IsSkippedByItself"], ["ok", "Counts/0.UnderALock"],
          ["ok", "Counts/1.UnderALock"], ["FAILED", "Sizes/Stock.IsNeverNegative/0"],
          ["ok", "Sizes/Stock.IsNeverNegative/1"]], (code, out, err)
    assert lines[-1].startswith("7 tests of shop_test: 2 failed, 5 passed, 1 disabled"), lines[-1]
    assert "shop_test.cc:56" in lines[1] and "sold twice" in lines[1] and "60 runs" in lines[0], lines
    for line, trace in ((lines[1], "shop_test-Shop.NeverSellsWhatIsNotThere-1.heddle"),
                        (lines[6], "shop_test-Sizes_Stock.IsNeverNegative_0-1.heddle")):
        assert line.endswith(f"replay it:  heddle replay {trace}"), line
        code, _, err = h("replay", "--times", "3", trace)
        assert code == FOUND, (trace, code, err)
    assert len(list(h.work.glob("*.heddle"))) == 2
    assert (junit.get("tests"), junit.get("failures"), junit.get("errors"), junit.get("skipped")) == ("8", "2", "0",
                                                                                                      "1"), junit.attrib
    cases = {(c.get("classname"), c.get("name")): c for c in junit.iter("testcase")}
    assert cases["Sizes/Stock", "IsNeverNegative/0"].find("failure") is not None and len(
        cases["Counts/1", "UnderALock"]) == 0, cases
    assert [s.get("name") for s in junit.iter("testsuite")] == ["Shop", "Counts/0", "Counts/1", "Sizes/Stock"]
    places = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in sarif["results"]]
    assert places == [56, 69] and len({str(r["partialFingerprints"]) for r in sarif["results"]}) == 2, places


def a_googletest_program_takes_its_own_options(h):
    build_gtest(h)
    code, out, err = h("hunt", "--gtest", "--seed", "1", "--runs", "5", "--json", "--", "./shop_test",
                       "--gtest_filter=Counts*:*Sells*There-*Never*")
    found = json.loads(out)
    assert code == CLEAN and [t["test"] for t in found["tests"]
                              ] == ["Shop.SellsWhatIsThere", "Counts/0.UnderALock", "Counts/1.UnderALock"], (code, out,
                                                                                                             err)
    assert found["found"] is False and found["failure"] is None and found["runs"] == 15, found
    code, out, err = h("hunt",
                       "--gtest",
                       "--runs",
                       "2",
                       "--quiet",
                       "--",
                       "./shop_test",
                       "--gtest_filter=*Always*",
                       "--gtest_also_run_disabled_tests",
                       timeout=90)
    assert code == FOUND and out.startswith("FAILED    Shop.DISABLED_AlwaysFails   Failed   shop_test.cc:59"), (code,
                                                                                                                out,
                                                                                                                err)
    names = []
    for index in "01":
        code, out, err = h("hunt",
                           "--gtest",
                           "--runs",
                           "1",
                           "--json",
                           "--",
                           "./shop_test",
                           GTEST_TOTAL_SHARDS="2",
                           GTEST_SHARD_INDEX=index,
                           GTEST_OUTPUT="xml:out.xml")
        names.append([t["test"] for t in json.loads(out)["tests"]])
        assert all(t["runs"] == 1 for t in json.loads(out)["tests"]), out
    assert sorted(names[0] + names[1]) == sorted({*names[0], *names[1]}) and len(names[0]) == 4 and len(
        names[1]) == 3, names
    assert not (h.work / "out.xml").exists()
    code, out, err = h("hunt", "--gtest", "--seed", "1", "--json", "--", "./shop_test", "--gtest_filter=Shop.Never*")
    found = json.loads(out)
    assert code == FOUND and found["found"] and found["failure"][
        "signature"] == "exit|1|Shop.NeverSellsWhatIsNotThere|Expected: (shop.stock()) >= (0)" and found["expectation"][
            "line"] == 56 and found["trace"], (code, out, err)
    code, out, err = h("hunt", "--gtest", "--seed", "1", "-o", "named.heddle", "--", "./shop_test",
                       "--gtest_filter=Shop.Never*")
    assert code == FOUND and out.splitlines()[0].endswith(
        "heddle replay named-Shop.NeverSellsWhatIsNotThere.heddle"), out


def each_failed_expectation_is_a_failure_of_its_own(h):
    """Two bugs in one test: what is reported, named, simplified and replayed is one and the same of them."""
    (h.work / "src").mkdir()
    (h.work / "elsewhere").mkdir()
    shutil.copy(HERE / "ci" / "two_bugs_test.cc", h.work / "src")
    code, _, err = bounded([h.exe, "c++", "-g", "-pthread", "two_bugs_test.cc", "-lgtest", "-lgtest_main", "-o", "two"],
                           h.work / "src", 180)
    assert code == 0, err
    lines = (h.work / "src" / "two_bugs_test.cc").read_text().splitlines()
    place = {
        bug: next(i for i, line in enumerate(lines, 1) if bug in line and "EXPECT" in line)
        for bug in ("order", "lost update")
    }
    elsewhere = Tool(h.exe, h.work / "elsewhere")
    seen = set()
    for seed in range(1, 8):
        code, out, err, junit, sarif = hunt(elsewhere,
                                            "--gtest",
                                            "--simplify",
                                            "--strategy",
                                            "random",
                                            "-o",
                                            "one.heddle",
                                            "--",
                                            "../src/two",
                                            "--gtest_filter=Two.Bugs",
                                            seed=seed,
                                            timeout=120)
        bug = next(b for b in place if f"{b}   two_bugs_test.cc:{place[b]}" in out)
        seen.add(bug)
        assert code == FOUND and re.search(r"\n +switches \d+ -> \d+   preemptions \d+ -> \d+ ",
                                           out) and "found as one-Two.Bugs-full.heddle: " in out, (code, out, err)
        for trace in ("one-Two.Bugs.heddle", "one-Two.Bugs-full.heddle"):
            code, out, err = elsewhere("replay", trace)
            assert code == FOUND and f"two_bugs_test.cc:{place[bug]}" in err and out.split(": Failure")[0].endswith(
                f":{place[bug]}"), (seed, bug, trace, code, out, err)
        where = sarif["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert where[
            "uri"] == f"file://{h.work}/src/two_bugs_test.cc", where  # not below the folder that it was hunted from
    assert len(seen) == 2, seen
    code, out, err, junit, sarif = hunt(elsewhere,
                                        "--gtest",
                                        "--simplify",
                                        "--keep-going",
                                        "--strategy",
                                        "random",
                                        "--runs",
                                        "300",
                                        "--",
                                        "../src/two",
                                        "--gtest_filter=Two.Bugs",
                                        timeout=180)
    told = [line for line in out.splitlines() if line.startswith("FAILED")]
    assert code == FOUND and len(told) == 2 and all(
        any(f"{b}   two_bugs_test.cc:{place[b]}" in line for line in told) for b in place), (code, out, err)
    assert out.count(" switches ") >= 2 and {
        r["locations"][0]["physicalLocation"]["region"]["startLine"]
        for r in sarif["results"] if r["ruleId"] == "exit"
    } == set(place.values()), out
    for line in told:
        code, _, err = elsewhere("replay", line.split("heddle replay ")[1])
        assert code == FOUND and re.search(r"two_bugs_test.cc:\d+", line)[0] in err, (line, code, err)


def a_filter_that_matches_no_test_is_told(h):
    build_gtest(h)
    for words, env in ((("--gtest_filter=Nope*",), {}), ((), {"GTEST_FILTER": "Nope*"})):
        code, out, err = h("hunt", "--gtest", "--", "./shop_test", *words, **env)
        assert code == USAGE and "the filter Nope* matches none of the 8 tests of ./shop_test" in err and "is for GoogleTest programs" not in err, (
            code, out, err)


def flags_of_googletest_are_read_as_it_reads_them(h):
    build_gtest(h)
    always = ("hunt", "--gtest", "--runs", "2", "--json", "--", "./shop_test", "--gtest_filter=*Always*")
    for value, run in {"=true": 1, "=yes": 1, "=1": 1, "=": 1, "=0": 0, "=false": 0, "=F": 0}.items():
        code, out, err = h(*always, f"--gtest_also_run_disabled_tests{value}", timeout=90)
        assert (code, len(json.loads(out)["tests"])) == ((FOUND, 1) if run else (CLEAN, 0)), (value, code, out, err)
    code, out, err = h(*always, "--gtest_also_run_disabled_tests=0", timeout=90, GTEST_ALSO_RUN_DISABLED_TESTS="1")
    assert code == CLEAN and not json.loads(out)["tests"], (code, out, err)


def an_answer_about_tests_that_cannot_be_written_is_an_error(h):
    build_gtest(h)
    for flags in ((), ("--json",)):
        for name, status in {"Shop.SellsWhatIsThere": INCONCLUSIVE, "Shop.Never*": FOUND}.items():
            with open("/dev/full", "w") as full:
                p = subprocess.run([
                    h.exe, "hunt", "--gtest", "--seed", "1", "--runs", "100", *flags, "--", "./shop_test",
                    f"--gtest_filter={name}"
                ],
                                   cwd=h.work,
                                   stdin=subprocess.DEVNULL,
                                   stdout=full,
                                   stderr=subprocess.PIPE,
                                   text=True,
                                   timeout=120)
            assert p.returncode == status and "cannot write the answer: No space" in p.stderr, (flags, name, p)


def a_report_replaces_the_old_one_whole(h):
    h.build(CALM, "calm")
    before = h.work / "before.xml"
    before.write_text("the old one")
    os.link(before, h.work / "j.xml")
    code, _, err = h("hunt", "--runs", "2", "--junit", "j.xml", "--", "./calm")
    assert code == CLEAN and ET.parse(h.work / "j.xml").getroot() is not None, (code, err)
    assert before.read_text() == "the old one" and not list(h.work.glob("j.xml.*")), list(h.work.iterdir())
    with open(h.work / "out.txt", "w") as out:
        p = subprocess.run([h.exe, "hunt", "--runs", "2", "--junit", "/dev/stdout", "--", "./calm"],
                           cwd=h.work,
                           stdin=subprocess.DEVNULL,
                           stdout=out,
                           timeout=60)
    text = (h.work / "out.txt").read_text()
    assert p.returncode == CLEAN and text.startswith(
        "<?xml") and "</testsuites>" in text and "nothing failed in 2 runs" in text, (p, text)


def an_interrupt_ends_all_tests(h):
    build_gtest(h)
    p = subprocess.Popen(
        [h.exe, "hunt", "--gtest", "--runs", "100000000", "--time", "0", "--junit", "j.xml", "--", "./shop_test"],
        cwd=h.work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True)
    time.sleep(4)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    junit = ET.parse(h.work / "j.xml").getroot()
    assert p.returncode == INTERRUPTED and out.splitlines()[-1].startswith(
        "interrupted: 1 test of shop_test: 0 failed, 0 passed, 1 inconclusive, 7 not run"), (p.returncode, out, err)
    assert (junit.get("tests"), junit.get("errors"), junit.get("skipped")) == ("8", "1", "7"), junit.attrib


def what_is_no_googletest_program_is_told(h):
    h.build(CALM, "calm")
    h.build("int main(void) { return 4; }", "angry")
    code, out, err, junit, _ = hunt(h, "--gtest", "--", "./calm")
    assert code == USAGE and "lists no tests" in err and junit.get("errors") == "1", (code, out, err)
    code, out, err = h("hunt", "--gtest", "--", "./angry")
    assert code == USAGE and "ended with status 4" in err, (code, out, err)


def statuses_for_bisect(h):
    h.build(RACY, "racy")
    h.build(CALM, "calm")
    exe = h.work / "static"
    subprocess.run(["gcc", "-static", "-pthread", h.work / "calm.c", "-o", exe], check=True)
    (h.work / "library.c").write_text("int gone(void) { return 0; }")
    subprocess.run(["gcc", "-shared", "-fPIC", h.work / "library.c", "-o", h.work / "libgone.so"], check=True)
    h.build("int gone(void); int main(void) { return gone(); }", "needs", h.work / "libgone.so")
    (h.work / "libgone.so").unlink()
    for words, status in ((("--", "./racy"), BAD), (("--runs", "20", "--", "./calm"),
                                                    GOOD), (("--", "./missing"), SKIP), (("--", "./static"), SKIP),
                          (("--", "./needs"), SKIP), (("--build", "exit 3", "--", "./racy"),
                                                      SKIP), (("--build", "test -e racy", "--", "./racy"), BAD),
                          (("--strategy", "nope", "--", "./racy"), GIVE_UP), (("--runs", "0", "--", "./racy"), GIVE_UP),
                          ((), GIVE_UP), (("--junit", "/nonexistent/x", "--", "./racy"),
                                          GIVE_UP), (("-o", "/nonexistent/x", "--", "./racy"), GIVE_UP),
                          (("-o", "made/x.heddle", "--build", "mkdir -p made", "--", "./racy"),
                           BAD), (("--time", "1ms", "--", "./calm"), None)):
        code, out, err = h("hunt", "--bisect", "--seed", "1", *words)
        assert code == status or (status is None and code in (GOOD, SKIP)), (words, code, out, err)
    code, out, err = h("hunt", "--build", "exit 3", "--", "./racy")
    assert code == USAGE and "'exit 3' failed: status 3" in err, (code, err)
    code, out, err = h("hunt", "--build", "echo built", "--json", "--runs", "3", "--", "./calm")
    assert code == CLEAN and json.loads(out)["runs"] == 3 and "built" in err, (code, out, err)


def git_bisect_names_the_guilty_commit(h):
    """12 commits: the 4th and the 6th do not build, the 9th forgets the lock, the 10th makes a static program."""
    def git(*args):
        done = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *args],
                              cwd=repository,
                              env=env,
                              capture_output=True,
                              text=True,
                              timeout=300)
        assert done.returncode == 0, (args, done.stdout, done.stderr)
        return done.stdout

    repository = h.work / "repository"
    repository.mkdir()
    env = dict(os.environ,
               PATH=f"{h.exe.parent}:{os.environ['PATH']}",
               GIT_CONFIG_GLOBAL="/dev/null",
               GIT_CONFIG_NOSYSTEM="1")
    git("init", "-q")
    commits = []
    for n in range(1, 13):
        lock, unlock = ("", "") if n >= 9 else ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);")
        source = f"""#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int version = {n}, hits;
static void* serve(void* p) {{ {lock} hits++; {unlock} return p; }}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, serve, 0); pthread_create(&b, 0, serve, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  assert(hits == 2 && version);
  return 0;{"" if n not in (4, 6) else " does not compile"}
}}
"""
        (repository / "server.c").write_text(source)
        rule = "gcc -static -g -pthread server.c -o server" if n == 10 else "heddle-cc -g -pthread server.c -o server"
        (repository / "Makefile").write_text(f"server: server.c Makefile\n\t{rule}\n")
        git("add", "-A")
        git("commit", "-q", "-m", f"version {n}")
        commits.append(git("rev-parse", "HEAD").strip())
    git("bisect", "start", commits[-1], commits[0])
    said = git("bisect", "run", "heddle", "hunt", "--bisect", "--build", "make -B server", "--seed", "1", "--runs",
               "300", "--quiet", "--", "./server")
    assert f"{commits[8]} is the first bad commit" in said, said
    log = git("bisect", "log")
    skipped = set(re.findall(r"^git bisect skip (\w+)", log, re.M))
    assert skipped and skipped <= {commits[3], commits[5], commits[9]}, log


def main():
    global CHECKER
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--fetched", default=None)
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    tests = {f.__name__: f for f in globals().values() if callable(f) and getattr(f, "__module__", "") == "__main__"
             and f.__name__ not in ("main", "hunt", "texts", "build_gtest")}
    report = Report()
    with tempfile.TemporaryDirectory(prefix="heddle-ci-") as work:
        try:
            CHECKER = schema.validator(a.fetched or work)
            report.line("the schema of SARIF 2.1.0 is there")
        except AssertionError as why:
            report.line("the schema of SARIF 2.1.0 is there", str(why))
            return report.close()
        for name in a.names or tests:
            folder = pathlib.Path(work) / name
            folder.mkdir()
            try:
                tests[name](Tool(pathlib.Path(a.heddle).resolve(), folder))
                report.line(name)
            except (AssertionError, ValueError, KeyError, OSError, ET.ParseError) as why:
                report.line(name, f"{type(why).__name__} {str(why)[:1500]}")
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
