// The trace as the other files see it: arrays by event, tables by number.
const $ = (id) => document.getElementById(id);
const T = JSON.parse($("tables").textContent);
const POINT = 8, VALUE = 16, FAILED = 32;

/// Threads without events have no lane: numbers of threads are those of lanes from here on.
const shownThreads = T.threads.map((_, i) => i).filter((i) => T.threads[i][3] > 0 || (T.failure && (T.failure.thread === T.threads[i][0] || T.failure.deadlock.some((e) => e.thread === T.threads[i][0]))));
const laneOf = new Int32Array(T.threads.length).fill(-1);
shownThreads.forEach((thread, lane) => (laneOf[thread] = lane));

/// The failure is an entry of its own behind the last event, with its own place and stack; a deadlock is how its threads wait instead.
/// Its shape, or -1; its thread is `failingThread`.
const failingThread = T.failure ? shownThreads.findIndex((i) => T.threads[i][0] === T.failure.thread) : -1;
function failureShape() {
  if (failingThread < 0 || T.failure.deadlock.length) return -1;
  const at = T.failure.threads.find((t) => t[0] === T.failure.thread);
  T.kinds.push(["FAILED", 0, "other"]);
  T.places.push(T.failure.place);
  T.strings.push(T.failure.message || T.failure.kind);
  T.stacks.push(at ? at[2] : []);
  T.shapes.push([T.kinds.length - 1, 0, T.places.length - 1, T.strings.length - 1, 0, at ? T.stacks.length - 1 : 0]);
  return T.shapes.length - 1;
}
const FAILURE_SHAPE = failureShape();

function numbers(text) {
  const bytes = atob(text);
  let at = 0;
  return {
    more: () => at < bytes.length,
    next() {  // at most 35 bits: safe as a double
      let value = 0, factor = 1, byte;
      do {
        byte = bytes.charCodeAt(at++);
        value += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      return value;
    },
  };
}

/// Arrays by event: thread, shape, value (low and high half), step.
function decode() {
  const room = T.total - T.first + 1, stream = numbers($("events").textContent.trim());
  const E = { n: 0, thread: new Uint16Array(room), shape: new Uint32Array(room), low: new Uint32Array(room), high: new Uint32Array(room), step: new Float64Array(room) };
  const last = new Float64Array(T.shapes.length);
  let thread = 0, step = T.firstStep;
  while (stream.more() && E.n + 1 < room) {
    const number = stream.next();
    if (number === 0) {
      thread = Math.max(0, laneOf[stream.next()]);
      continue;
    }
    const shape = number - 1, flags = T.shapes[shape][1], i = E.n++;
    E.thread[i] = thread;
    E.shape[i] = shape;
    if (flags & POINT) step++;
    E.step[i] = step;
    if (!(flags & VALUE)) continue;
    if ((flags & 7) > 2) {
      E.low[i] = stream.next();
      E.high[i] = stream.next();
    } else {
      const zigzag = stream.next(), half = Math.floor(zigzag / 2);
      last[shape] += zigzag % 2 ? -half - 1 : half;
      E.low[i] = last[shape];
      E.high[i] = last[shape] < 0 ? 0xffffffff : 0;
    }
  }
  if (FAILURE_SHAPE >= 0) {
    const i = E.n++;
    E.thread[i] = failingThread;
    E.shape[i] = FAILURE_SHAPE;
    E.step[i] = step;
  }
  return E;
}

const E = decode();
const N = E.n;

/// Maximal runs of one thread: [from, to), and the next segment of the same thread (-1: none).
function segments() {
  const from = [], to = [], thread = [];
  for (let i = 0; i < N; i++) {
    if (i === 0 || E.thread[i] !== E.thread[i - 1]) {
      if (i > 0) to.push(i);
      from.push(i);
      thread.push(E.thread[i]);
    }
  }
  if (N > 0) to.push(N);
  const next = new Int32Array(from.length).fill(-1), previous = new Int32Array(from.length).fill(-1), seen = new Map();
  for (let s = from.length - 1; s >= 0; s--) {
    const later = seen.get(thread[s]);
    next[s] = later === undefined ? -1 : later;
    if (later !== undefined) previous[later] = s;
    seen.set(thread[s], s);
  }
  return { n: from.length, from, to, thread, next, previous };
}
const S = segments();

/// The number of elements of sorted `a` that are <= x: the segment of event x is one less.
function upper(a, x) {
  let low = 0, high = a.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (a[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
const segmentOf = (i) => upper(S.from, i) - 1;

const preempting = new Set(T.preempted);  // first events of segments before which a thread was left that could have gone on
const lanes = shownThreads.map((i) => T.threads[i]).map((t, index) => ({ index, name: t[0], entry: t[1], label: t[2], events: t[3], first: -1, last: -1, state: "" }));
for (let s = 0; s < S.n; s++) {
  const lane = lanes[S.thread[s]];
  if (lane.first < 0) lane.first = S.from[s];
  lane.last = S.to[s] - 1;
}
const laneByName = new Map(lanes.map((l) => [l.name, l]));
if (T.failure) for (const [name, state, , stays] of T.failure.threads) if (laneByName.has(name)) Object.assign(laneByName.get(name), { state, stays });

/// Spans by lane, sorted by beginning: {object, kind, from, to, what, row}. Held ones get the lowest free row.
function spans(list) {
  const byLane = lanes.map(() => []);
  const end = T.total - T.first;  // what lasts to the end lasts to the failure
  for (const [thread, object, kind, from, to, what] of list)
    if (byLane[laneOf[thread]]) byLane[laneOf[thread]].push({ object, kind, from, to: to >= end ? Math.max(to, N) : to, what, row: 0 });
  for (const spans of byLane) {
    spans.sort((a, b) => a.from - b.from);
    const free = [];
    for (const s of spans) {
      s.row = free.findIndex((end) => end <= s.from);
      if (s.row < 0) s.row = free.length;
      free[s.row] = s.to;
    }
  }
  return byLane;
}
const held = spans(T.held), waits = spans(T.waits);
// Who waits when the trace ends does so to its end.
for (const lane of lanes)
  if (lane.last >= 0 && lane.stays)
    waits[lane.index].push({ object: 0, kind: -1, from: lane.last + 1, to: Infinity, what: lane.state, row: 0 });

const failing = T.failure ? laneByName.get(T.failure.thread) || null : null;
const deadlocked = new Set(T.failure ? T.failure.deadlock.map((e) => e.thread) : []);
/// Threads that wait for each other, not merely behind those.
const inCycle = new Set();
if (T.failure) {
  const waitsFor = new Map(T.failure.deadlock.map((e) => [e.thread, e.holder]));
  for (const name of deadlocked)
    for (let at = waitsFor.get(name), hops = 0; at !== undefined && hops <= deadlocked.size; at = waitsFor.get(at), hops++)
      if (at === name) inCycle.add(name);
}
const isStuck = (name) => (inCycle.size ? inCycle : deadlocked).has(name);

/// The entry of the failure; of a deadlock, and where no thread is known, the last event. -1: none.
const failureEvent = T.failure ? N - 1 : -1;
const failsAt = (i) => FAILURE_SHAPE >= 0 && i === failureEvent;
