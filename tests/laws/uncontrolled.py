#!/usr/bin/env python3
"""A program that depends on something uncontrolled diverges where it does, loudly: status 3, expected and actual with lines.

    tests/laws/uncontrolled.py --heddle build/bin/heddle
"""
import argparse, json, pathlib, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from programs import bounded  # noqa: E402

SOURCE = HERE / "programs" / "clock_of_the_processor.c"
DIVERGED, FOUND = 3, 66


def line_of(word):
    return next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if f"// {word}" in text)


def check(heddle, work):
    exe, trace = work / "clock", work / "t.heddle"
    code, _, err = bounded([heddle, "cc", "-g", "-O0", "-pthread", SOURCE, "-o", exe], work, 120)
    if code != 0:
        return f"build: {err}"
    ticks = lambda: int(bounded([exe], work, 60)[1])
    before, start = ticks(), time.monotonic()
    time.sleep(0.5)  # to learn the rate of the processor's clock; nothing is ordered by it
    per_second = (ticks() - before) / (time.monotonic() - start)
    for seconds in (5, 30):
        moment = ticks() + int(seconds * per_second)
        code, out, err = bounded([heddle, "hunt", "--json", "--seed", 1, "--runs", 1, "-o", trace, "--", exe, moment],
                                 work, 120)
        if code == FOUND:
            break
    else:
        return f"hunt: status {code} {out[-300:]} {err[-300:]}"
    code, out, err = bounded([heddle, "replay", trace], work, 60)
    if ticks() < moment and code != FOUND:
        return f"replay before the moment: status {code} {out} {err}"
    while ticks() < moment:
        time.sleep(0.1)
    code, out, err = bounded([heddle, "replay", "--json", trace], work, 60)
    told = json.loads(out)
    divergence = told.get("divergence") or {}
    expected, actual = divergence.get("expected") or {}, divergence.get("actual") or {}
    if code != DIVERGED or not told["diverged"] or told["reproduced"]:
        return f"replay: status {code} {out}"
    if (expected.get("line"), expected.get("object"), expected.get("thread")) != (line_of("expected"), "early", "0.1"):
        return f"expected event: {expected}"
    if (actual.get("line"), actual.get("object"), actual.get("thread")) != (line_of("actual"), "late", "0.1"):
        return f"actual event: {actual}"
    code, out, err = bounded([heddle, "replay", trace], work, 60)
    text = out + err
    wanted = [
        f"step {divergence['step']}", f"{SOURCE.name}:{line_of('expected')}", f"{SOURCE.name}:{line_of('actual')}"
    ]
    missing = [word for word in wanted if word not in text]
    return f"replay: status {code}, not said: {missing} in {text}" if code != DIVERGED or missing else None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-uncontrolled-") as folder:
        why = check(a.heddle, pathlib.Path(folder))
    print(
        f"{'ok    ' if why is None else 'not ok'} divergence is the first step that left the recording{'' if why is None else ': ' + why}"
    )
    return why is not None


if __name__ == "__main__":
    sys.exit(main())
