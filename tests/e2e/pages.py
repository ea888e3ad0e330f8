#!/usr/bin/env python3
"""`heddle show --format html` in a real browser, and `--format perfetto` through a real protobuf parser.

    pages.py --heddle build/bin/heddle [--shots FOLDER]

Makes traces of a deadlock, a failed assertion, a program with hostile names and one with more than 100,000 events; opens each
page in headless Chromium, looks at what it drew, drives it by mouse and keys, and keeps screenshots. One line per check.
"""
import argparse, collections, pathlib, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADS = re.compile(r"""(src|href)\s*=\s*["']?(https?:)?//|@import|url\(\s*["']?https?:""")
FOUND = 66
passed = failed = 0

MANY = r"""
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, stats = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ring[16], head, tail, done, counted;
static long sum, seen;
static void* producer(void* p) {
  for (int i = 0; i < 2500; i++) {
    pthread_mutex_lock(&m);
    while (head - tail == 16) pthread_cond_wait(&changed, &m);
    ring[head++ % 16] = i;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
  }
  pthread_mutex_lock(&m);
  done++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&m);
  return p;
}
static void* consumer(void* p) {
  for (;;) {
    pthread_mutex_lock(&m);
    while (head == tail && done < 2) pthread_cond_wait(&changed, &m);
    int empty = head == tail, value = empty ? 0 : ring[tail++ % 16];
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    if (empty) return p;
    pthread_mutex_lock(&stats);
    sum += value;
    seen++;
    pthread_mutex_unlock(&stats);
    counted++;
  }
}
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, i < 2 ? producer : consumer, 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
  assert(counted == seen);
}
"""
EVIL = "</script><script>document.title='owned'</script><img src=//x onerror=document.title='owned'>.c"
HOSTILE = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static int shared;
static void* work(void* p) { pthread_setname_np(pthread_self(), "<b>&amp;</b>"); shared++; return p; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#line 7 "EVIL"
  assert(shared == 3 && "</script><script>document.title='owned'</script>");
}
""".replace("EVIL", EVIL)

# Two threads meet at a word and print; one of them fails in the line of its last event that has one, but long after it.
RECORDED = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile long shared;
static void* work(void* p) {
  for (long i = 0; i < 2000000; i++) {
    if (i % 600000 == 0) printf("%ld\n", shared); if (p && i == 1999999) abort();
    shared += i;
  }
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, &a);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""

# What we write of Perfetto's format, from its .proto files: a field that is not here shows as a number when decoded.
SCHEMA = """
syntax = "proto2";
message Trace { repeated TracePacket packet = 1; }
message TracePacket { optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10; optional TrackEvent track_event = 11;
  optional InternedData interned_data = 12; optional uint32 sequence_flags = 13; optional TrackDescriptor track_descriptor = 60; }
message TrackEvent { enum Type { UNSPECIFIED = 0; SLICE_BEGIN = 1; SLICE_END = 2; INSTANT = 3; }
  repeated uint64 category_iids = 3; repeated DebugAnnotation debug_annotations = 4; optional Type type = 9; optional uint64 name_iid = 10;
  optional uint64 track_uuid = 11; optional string name = 23; }
message DebugAnnotation { optional uint64 name_iid = 1; optional uint64 uint_value = 3; optional string string_value = 6; }
message Name { optional uint64 iid = 1; optional string name = 2; }
message InternedData { repeated Name event_categories = 1; repeated Name event_names = 2; repeated Name debug_annotation_names = 3; }
message TrackDescriptor { optional uint64 uuid = 1; optional string name = 2; optional Process process = 3; optional Thread thread = 4;
  optional uint64 parent_uuid = 5; }
message Process { optional int32 pid = 1; repeated string cmdline = 2; optional string process_name = 6; }
message Thread { optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5; }
"""


def check(name, ok, why=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok    ' if ok else 'not ok'} {name}{'' if ok else ': ' + str(why)[:600]}", flush=True)
    return ok


class Traces:
    """Programs, traces and pages, made by the heddle under test."""

    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def run(self, *argv, timeout=300):
        return subprocess.run([self.heddle, *map(str, argv)],
                              cwd=self.work,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              timeout=timeout)

    def make(self, name, source, *hunt):
        built = self.run("cc", "-g", "-O1", "-pthread", source, "-o", self.work / name)
        hunted = self.run("hunt", "--seed", 7, *hunt, "-o", self.work / f"{name}.heddle", "--", self.work / name)
        check(f"{name}: a trace of its failure", built.returncode == 0 and hunted.returncode == FOUND,
              (built.stderr[-300:], hunted.stderr[-300:]))
        return self.show(name, "html", f"{name}.html")

    def show(self, name, kind, to):
        (self.work / to).unlink(missing_ok=True)
        done = self.run("show", "--format", kind, "-o", self.work / to, self.work / f"{name}.heddle")
        plain = self.run("show", "--format", kind, self.work / f"{name}.heddle")
        check(f"{name}: show --format {kind}", done.returncode == 0 and plain.returncode == 0 and
              len(plain.stdout) > 500, (done.stderr, plain.stderr))
        check(f"{name}: {kind} is the same in a file and on stdout", (self.work / to).exists() and
              plain.stdout == (self.work / to).read_bytes())
        return self.work / to


# All that is written on the lanes, by the canvas itself.
WATCH_TEXTS = """(() => { const P = CanvasRenderingContext2D.prototype, fillText = P.fillText;
  window.drawn = [];
  P.fillText = function (text, x, y, ...more) {
    const w = this.measureText(text).width, left = this.textAlign === "center" ? x - w / 2 : x;
    if (text && this.canvas.id === "lanes") drawn.push([text, left, left + w, y]);
    return fillText.call(this, text, x, y, ...more);
  };
  return true; })()"""
MISFITS = """(() => { const bad = [], gutter = 168, edge = document.getElementById("lanes").clientWidth;
  drawn.forEach(([text, a0, a1, y], i) => {
    if (a1 > edge + 1 || (a0 < gutter && a1 > gutter)) bad.push([text, a0, a1]);
    for (const [other, b0, b1, z] of drawn.slice(i + 1))
      if (a0 >= gutter && b0 >= gutter && Math.abs(y - z) < 9 && a0 < b1 - 1 && b0 < a1 - 1) bad.push([text, other]);
  });
  return bad; })()"""


def labels_fit(page, name):
    page.value(WATCH_TEXTS)
    bad, seen = [], 0
    for scale in (None, 6, 20, 60, 120):
        page.value("drawn.length = 0")
        page.value("heddle.fit()" if scale is None else
                   f"heddle.V.scale = {scale}, heddle.V.left = Math.max(0, heddle.N / 2 - 5), heddle.zoom(1, 400)")
        page.frame()
        page.frame()
        seen += page.value("drawn.length")
        bad += page.value(MISFITS)
    check(f"{name}: labels fit, and none is written over another one", seen and not bad, (seen, bad[:5]))


def common(page, name, shots, path):
    check(f"{name}: no complaint of the browser", not page.complaints(), page.complaints())
    check(f"{name}: asks for nothing but itself", page.requests() == [path.as_uri()], page.requests())
    check(f"{name}: no address to load from in it", not LOADS.search(path.read_text(errors="replace")))
    page.screenshot(shots / f"{name}.png")
    # Something is drawn in every lane that has events: a pixel there differs from the lane's background.
    empty = page.value("""(() => {
      const V = heddle.V, c = document.getElementById('lanes').getContext('2d'), bad = [], k = devicePixelRatio;
      heddle.lanes.forEach((l, i) => {
        const y = 26 + i * V.lane - V.scroll + 9 + Math.min(26, V.lane - 12) / 2 - 6;
        if (l.last < 0 || y > V.height) return;
        const row = c.getImageData(170 * k, y * k, (V.width - 170) * k, 1).data, seen = new Set();
        for (let x = 0; x < row.length; x += 4) seen.add(row[x] + ',' + row[x + 1] + ',' + row[x + 2]);
        if (seen.size < 2) bad.push(l.name);
      });
      return bad; })()""")
    check(f"{name}: every lane is drawn", empty == [], empty)


def deadlock(b, traces, shots):
    path = traces.make("transfer", ROOT / "examples/transfer.c")
    page = b.open(path)
    common(page, "transfer", shots, path)
    answer = page.value("document.getElementById('answer').textContent")
    check("transfer: the first line is the answer",
          answer.startswith("FAILEDdeadlock: ") and "bob.lock" in answer and "alice.lock" in answer, answer)
    edges = page.value("[...document.querySelectorAll('#why .edge')].map(e => e.textContent)")
    check("transfer: who waits for what, and who holds it",
          len(edges) == 3 and sum("held by" in e and "taken at transfer.c:10" in e for e in edges) == 2, edges)
    check("transfer: the two of the cycle are told from who waits behind them",
          page.value("document.querySelectorAll('#why .cycle').length") == 2)
    holds = page.value("heddle.held.flat().map(h => [heddle.T.objects[h.object], h.to >= heddle.N])")
    check("transfer: both locks are held to the end",
          sorted(holds) == [["alice.lock", True], ["bob.lock", True]], holds)
    waits = page.value("heddle.waits.flat().filter(w => w.kind < 0).length")
    check("transfer: three threads wait at the end", waits == 3, waits)
    marked, counted = page.value("heddle.preempting.size"), page.value("heddle.T.preemptions")
    check("transfer: every preemption of the run is marked, also of who never came back", marked == counted >= 1,
          (marked, counted))
    page.value("heddle.setTheme('dark'); document.getElementById('tab-run').click()")
    page.screenshot(shots / "transfer-dark.png")
    check("transfer: stacks of all threads",
          page.value("document.getElementById('run').textContent").count("transfer.c:11") == 2)
    check("transfer: nothing to complain about after all that", not page.complaints(), page.complaints())


def assertion(b, traces, shots):
    path = traces.make("queue", ROOT / "examples/queue.c")
    page = b.open(path)
    common(page, "queue", shots, path)
    n = page.value("heddle.N")
    listed = traces.run("show", "--events", traces.work / "queue.heddle").stdout.decode()
    lines = [l for l in listed.splitlines() if re.match(r" *\d+ [* ] ", l)]
    check("queue: as many events as show --events lists, and the failure", n == len(lines) + 1, (n, len(lines)))
    fails = page.value(
        "(() => { const i = heddle.failureEvent; return [heddle.title(i), heddle.placeText(heddle.placeOf(i)), heddle.codeOf(i)]; })()"
    )
    check(
        "queue: the failure, its place and its source", fails[0] == "FAILED assertion `filled > 0`" and
        fails[1].startswith("queue.c:19 in take") and "assert(filled > 0)" in fails[2], fails)
    before = page.value(
        "(() => { const i = heddle.failureEvent - 1; return [heddle.title(i), heddle.placeText(heddle.placeOf(i))]; })()"
    )
    check("queue: what libc did to report it is not put there", before == ["free", ""], before)
    check("queue: and its line in the panel",
          page.value("document.querySelector('#event .here.fails').textContent").endswith("assert(filled > 0);"))
    # Hover over the failing event.
    x, y = page.value(
        """(() => { const V = heddle.V, i = heddle.failureEvent, r = document.getElementById('lanes').getBoundingClientRect();
      return [r.left + 168 + (i + .5 - V.left) * V.scale, r.top + 26 + heddle.E.thread[i] * V.lane - V.scroll + 22]; })()"""
    )
    page.mouse("mouseMoved", x, y)
    page.frame()
    tip = page.value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check("queue: hover shows value, line, source and locks",
          all(t in tip for t in ("FAILED", "queue.c:19", "assert(filled > 0)", "holds m")), tip)
    page.screenshot(shots / "queue-hover.png")
    # The wheel zooms around the pointer, dragging moves.
    before = page.value("[heddle.V.scale, heddle.V.left]")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    page.frame()
    zoomed = page.value("[heddle.V.scale, heddle.V.left]")
    check("queue: the wheel zooms", zoomed[0] > before[0] * 1.5, (before, zoomed))
    page.mouse("mousePressed", 700, y, button="left", buttons=1, clickCount=1)
    page.mouse("mouseMoved", 900, y, button="left", buttons=1)
    page.mouse("mouseReleased", 900, y, button="left", buttons=0, clickCount=1)
    page.frame()
    moved = page.value("heddle.V.left")
    check("queue: dragging moves", abs((zoomed[1] - moved) * zoomed[0] - 200) < 3, (zoomed, moved))
    page.key("0")
    page.frame()
    check("queue: 0 shows the whole run", page.value("heddle.V.left") == 0 and page.value("heddle.V.scale") < zoomed[0])
    page.value("heddle.select(0)")
    page.key("ArrowRight")
    check("queue: an arrow key goes to the next event", page.value("heddle.V.selected") == 1)
    page.key("p")
    check("queue: p goes to a preemption", page.value("heddle.preempting.has(heddle.V.selected)"))
    page.key("f")
    check("queue: f goes to the failure", page.value("heddle.V.selected === heddle.failureEvent"))
    for text, least in (("filled", 5), ("queue.c take", 5), ("lock m", 4), ("nowhere", 0)):
        page.value(f"document.getElementById('search').value = '{text}'; heddle.search('{text}')")
        hits = page.value("heddle.V.hits.length")
        check(f"queue: search for '{text}'", hits >= least and (least or not hits), hits)
    check("queue: nothing to complain about after all that", not page.complaints(), page.complaints())


def recorded(b, traces, shots):
    source = traces.work / "recorded.c"
    source.write_text(RECORDED)
    built = traces.run("cc", "-g", "-O1", "-pthread", source, "-o", traces.work / "recorded")
    done = traces.run("record", "-o", traces.work / "recorded.heddle", "--", traces.work / "recorded")
    check("recorded: a recording of its failure", built.returncode == 0 and done.returncode == 134,
          (built.stderr[-300:], done.returncode, done.stderr[-300:]))
    path = traces.show("recorded", "html", "recorded.html")
    page = b.open(path)
    common(page, "recorded", shots, path)
    page.key("f")
    at, last = page.value("[heddle.V.selected, heddle.lanes.find(l => l.name === heddle.T.failure.thread).last]")
    steps, all_steps = page.value("[heddle.E.step[heddle.failureEvent], heddle.T.steps]")
    check("recorded: the failure stands at the last step of its thread, the end of the run", at == last and
          steps == all_steps, (at, last, steps, all_steps))
    check("recorded: the event before it has no line, and gets none",
          page.value("heddle.placeOf(heddle.failureEvent - 1)[2]") == 0)
    line = RECORDED.splitlines().index(next(l for l in RECORDED.splitlines() if "abort()" in l)) + 1
    panel = page.value("document.getElementById('event').textContent")
    check(
        "recorded: with the failure's own line and source", f"recorded.c:{line} in work" in panel and
        "abort()" in page.value("document.querySelector('#event .here.fails').textContent"), panel)
    listed = page.value("document.querySelector('.row.fails').textContent")
    check("recorded: in the list, too", f"recorded.c:{line}" in listed, listed)
    locks = page.value(
        "heddle.T.shapes.filter(s => heddle.T.kinds[s[0]][0] === 'lock').map(s => heddle.T.objects[s[4]])")
    check("recorded: locks inside libc are events", "libc's loader" in locks and len(set(locks)) >= 2, locks)
    check("recorded: which nobody is said to hold",
          page.value("heddle.held.flat().length") == 0 and "holds" not in panel, panel)
    text = traces.run("show", traces.work / "recorded.heddle").stdout.decode()
    rows = text[:text.index("at the failure")].splitlines()
    marks = [i for i, l in enumerate(rows) if "FAILED" in l and i > 0]
    check("recorded: in the text the failure is at the end",
          len(marks) == 1 and not any("budget" in l for l in rows[marks[0]:]), rows[-8:])
    perfetto(traces, "recorded")


CROWD = r"""
#include <assert.h>
#include <pthread.h>
static int counter, late;
static void* work(void* p) {
  int seen = counter;
  counter = seen + 1;
  return p;
}
int main(void) {
  pthread_t t[20], last;
  for (int i = 0; i < 20; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 20; i++) pthread_join(t[i], 0);
  int lost = counter != 20;
  pthread_create(&last, 0, work, 0);
  assert(!lost);  // before the last one has begun
  pthread_join(last, 0);
}
"""


def crowd(b, traces, shots):
    source = traces.work / "crowd.c"
    source.write_text(CROWD)
    path = traces.make("crowd", source, "--strategy", "random")
    page = b.open(path)
    common(page, "crowd", shots, path)
    check("crowd: no lane for a thread without events",
          page.value("[heddle.T.threads.length, heddle.lanes.length]") == [22, 21],
          page.value("heddle.lanes.map(l => l.name)"))
    cards = page.value("[...document.querySelectorAll('#why .race')].map(e => e.textContent)")
    check("crowd: races are in the first view, one card per variable",
          len(cards) == 1 and cards[0].startswith("data race on counter") and "crowd.c:6 in work" in cards[0], cards)
    check("crowd: the card is seen without scrolling",
          page.value("document.querySelector('#why .race').getBoundingClientRect().bottom < innerHeight"))
    page.value("document.querySelector('#why .race a').click()")
    selected = page.value("heddle.placeText(heddle.placeOf(heddle.V.selected))")
    check("crowd: a place of the race leads to its event",
          selected.startswith("crowd.c:") and "in work" in selected, selected)
    check("crowd: nothing to complain about after all that", not page.complaints(), page.complaints())


def many(b, traces, shots):
    source = traces.work / "many.c"
    source.write_text(MANY)
    path = traces.make("many", source, "--strategy", "random")
    page = b.open(path)
    common(page, "many", shots, path)
    n = page.value("heddle.N")
    check("many: more than 100,000 events on the page", n > 100_000, n)
    size = path.stat().st_size
    check("many: at most 12 bytes per event", size < 80_000 + 12 * n, (size, n))
    check("many: open within 5 s on this machine", page.seconds < 5, page.seconds)
    measure = """new Promise(async (done) => { const V = heddle.V, out = [];
      for (const scale of [0, 0.05, 0.5, 3, 12, 60]) {
        const times = [];
        for (let k = 0; k < 15; k++) {
          V.slowest = 0; heddle.fit(); if (scale) { V.scale = scale; V.left = heddle.N / 2 + k * 5 / scale; } heddle.zoom(1, 400);
          await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
          times.push(V.slowest);
        }
        out.push(times.sort((a, b) => a - b)[7]);
      } done(out); })"""
    for _ in range(4):  # what a busy machine adds is not the page's
        frames = page.value(measure)
        if max(frames) < 50:
            break
    print("       ms per frame from the whole run to single events:", [round(f, 1) for f in frames],
          f"   opened in {page.seconds:.2f} s, {size / n:.1f} bytes per event")
    check("many: smooth at every scale (half of the frames within 50 ms)", max(frames) < 50, frames)
    check("many: the list has rows only for what is seen", page.value("document.querySelectorAll('.row').length") < 80)
    page.value("heddle.select(heddle.N >> 1, 26)")
    page.screenshot(shots / "many-inside.png")
    row = page.value("document.querySelector('.row.on .what').textContent")
    check("many: the list follows the selection", row == page.value("heddle.title(heddle.N >> 1)"), row)
    text = traces.run("show", "--events", traces.work / "many.heddle").stdout.decode().splitlines()
    line = next(l for l in text if re.match(rf" *{n >> 1} ", l))
    place = page.value("heddle.placeText(heddle.placeOf(heddle.N >> 1))").split(" in ")[0]
    check("many: event N/2 is the same as in show --events", place in line, (place, line))
    page.value("document.getElementById('search').value = 'counted'; heddle.search('counted'); heddle.nextHit(1)")
    check("many: search in all of it", page.value("heddle.V.hits.length") > 5000)
    check("many: nothing to complain about after all that", not page.complaints(), page.complaints())


def hostile(b, traces, shots):
    source = traces.work / "hostile.c"
    source.write_text(HOSTILE)
    path = traces.make("hostile", source)
    page = b.open(path)
    common(page, "hostile", shots, path)
    page.value("document.getElementById('tab-run').click(); heddle.search('script'); heddle.nextHit(1)")
    page.frame()
    check("hostile: no name of the program runs",
          page.value("document.title") == "hostile \u2013 heddle", page.value("document.title"))
    check("hostile: names are text",
          page.value("document.querySelectorAll('img, header script, main script, b b').length") == 0)
    check("hostile: and are shown as they are", "</script>"
          in page.value("document.getElementById('answer').textContent"),
          page.value("document.getElementById('answer').textContent"))
    blocked = page.value(
        """new Promise((done) => { document.addEventListener('securitypolicyviolation', (e) => done(e.violatedDirective));
      const s = document.createElement('script'); s.textContent = "document.title = 'owned'"; document.body.append(s); setTimeout(() => done('ran'), 2000); })"""
    )
    check("hostile: the page's policy runs no other script",
          blocked.startswith("script-src") and page.value("document.title") != "owned", blocked)


def perfetto(traces, name):
    path, schema = traces.show(name, "perfetto", f"{name}.pftrace"), traces.work / "schema.proto"
    schema.write_text(SCHEMA)
    with open(path, "rb") as data:
        text = subprocess.run(["protoc", f"--proto_path={traces.work}", "--decode=Trace", schema.name],
                              cwd=traces.work,
                              stdin=data,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    out = text.stdout.decode(errors="replace")
    check(f"{name}: protoc reads all of the timeline", text.returncode == 0 and
          not re.search(r"^\s*\d+[: ]", out, re.M), text.stderr)
    packets = out.split("packet {")[1:]
    uuids = set(re.findall(r"uuid: (\d+)", " ".join(p for p in packets if "track_descriptor" in p)))
    depth, kinds, used = collections.Counter(), collections.Counter(), set()
    events = [(int(t[1]) if (t := re.search(r"timestamp: (\d+)", p)) else 0, p) for p in packets
              if "track_event {" in p]
    for _, p in sorted(events, key=lambda e: e[0]):
        track, kind = re.search(r"track_uuid: (\d+)", p)[1], re.search(r"type: (\w+)", p)[1]
        kinds[kind] += 1
        used.add(track)
        depth[track] += {"SLICE_BEGIN": 1, "SLICE_END": -1}.get(kind, 0)
        if depth[track] < 0:
            break
    check(f"{name}: every slice that begins ends, in order", kinds["SLICE_BEGIN"] == kinds["SLICE_END"] > 0 and
          not any(depth.values()), (kinds, depth))
    check(f"{name}: every track is described", used <= uuids, used - uuids)
    check(f"{name}: preemptions, source lines and the failure are in it", "\"preempted\"" in out and
          "FAILED: " in out and re.search(r"string_value: \"\w+\.c:\d+ in \w+", out))
    if name == "transfer":
        check("transfer: locks held and waits are slices", '"alice.lock"' in out and
              '"waits for lock bob.lock held by 0.2"' in out)


def terminal(traces):
    for kind in ("html", "perfetto"):
        done = subprocess.run(
            ["script", "-qec", f"{traces.heddle} show --format {kind} {traces.work}/queue.heddle", "/dev/null"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        check(f"{kind} is not written to a terminal", done.returncode == 2 and b"-o FILE" in done.stdout and
              len(done.stdout) < 1000, done.stdout[:300])
    done = traces.run("show", "--format", "html", "-o", traces.work / "no/such/folder.html",
                      traces.work / "queue.heddle")
    check("a file that cannot be made is an error", done.returncode == 2, (done.returncode, done.stderr))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--shots", help="where screenshots go (default: a temporary folder)")
    a = ap.parse_args()
    if not browser.executable():
        sys.exit("pages.py: no Chromium: scripts/install-deps --tests installs it")
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-pages-"))
    shots = pathlib.Path(a.shots) if a.shots else work
    shots.mkdir(parents=True, exist_ok=True)
    traces = Traces(str(pathlib.Path(a.heddle).resolve()), work)
    try:
        with browser.Browser(work) as b:
            for part in (deadlock, assertion, recorded, crowd, many, hostile):
                part(b, traces, shots)
            for name in ("transfer", "queue", "crowd", "many"):  # on pages of their own: watching takes time
                labels_fit(b.open(work / f"{name}.html"), name)
        for name in ("transfer", "queue", "many"):
            perfetto(traces, name)
        terminal(traces)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
