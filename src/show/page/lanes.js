// The lanes: threads from top to bottom, events from left to right. Only what is visible is drawn, and nothing twice in
// one pixel: the time of a frame depends on the size of the window, not on that of the trace.
const GUTTER = 168, AXIS = 26, BOX_TOP = 9;
// What is visible: first event at the left edge (may be a fraction), pixels per event, lanes scrolled away.
const V = { left: 0, scale: 1, scroll: 0, width: 800, height: 300, lane: 60, selected: -1, hover: -1, hits: null };
// Room behind the last event: how it ended, and who waits for what then.
const TAIL = Math.max(0.6, N * (!T.failure ? 0.02 : N > 300 ? 0.06 : deadlocked.size ? 0.3 : 0.12));
const xOf = (i) => GUTTER + (i - V.left) * V.scale;
const laneTop = (index) => AXIS + index * V.lane - V.scroll;
const boxHeight = () => Math.min(26, V.lane - 12);
const boxMiddle = (index) => laneTop(index) + BOX_TOP + boxHeight() / 2;
const roomy = () => V.lane >= 62;

function visibleLanes() {
  const first = Math.max(0, Math.floor(V.scroll / V.lane));
  return [first, Math.min(lanes.length - 1, Math.floor((V.scroll + V.height - AXIS) / V.lane))];
}

function drawBackground(c, first, last) {
  c.fillStyle = C.bg;
  c.fillRect(0, 0, V.width, V.height);
  for (let l = first; l <= last; l++) {
    if (l % 2) c.fillStyle = C.shade, c.fillRect(0, laneTop(l), V.width, V.lane);
    const lane = lanes[l];
    if (lane.last < 0) continue;
    const from = Math.max(GUTTER, xOf(lane.first)), to = Math.min(V.width, xOf(lane.last + 1));
    c.fillStyle = C.line;
    if (to > from) c.fillRect(from, boxMiddle(l) - 1, to - from, 2);
  }
}

function drawGutter(c, first, last) {
  c.fillStyle = C.panel;
  c.fillRect(0, AXIS, GUTTER, V.height);
  c.fillStyle = C.line;
  c.fillRect(GUTTER - 1, AXIS, 1, V.height);
  c.textBaseline = "middle";
  for (let l = first; l <= last; l++) {
    const lane = lanes[l], y = boxMiddle(l);
    c.fillStyle = threadColour(l);
    c.fillRect(0, laneTop(l) + 3, 4, V.lane - 6);
    c.font = "600 13px " + FONT;
    c.fillStyle = (deadlocked.size ? isStuck(lane.name) : lane === failing) ? C.fail : C.text;
    const name = fitText(c, lane.name, 70);
    c.fillText(name, 14, y);
    const used = 14 + c.measureText(name).width + 8;
    c.font = "12.5px " + FONT;
    c.fillStyle = C.dim;
    c.fillText(fitText(c, lane.label || lane.entry, GUTTER - used - 8), used, y);
    if (roomy()) c.font = "11px " + FONT, c.fillText(counted(lane.events, "event"), 14, y + 19);
  }
}

/// Steps, at round numbers, with at least 70 pixels between them.
function drawAxis(c) {
  c.fillStyle = C.panel;
  c.fillRect(0, 0, V.width, AXIS);
  c.fillStyle = C.line;
  c.fillRect(0, AXIS - 1, V.width, 1);
  c.font = "11px " + FONT;
  c.fillStyle = C.dim;
  c.textBaseline = "middle";
  c.fillText("step", 14, AXIS / 2);
  if (N === 0) return;
  const from = Math.max(0, Math.floor(V.left)), to = Math.min(N - 1, Math.ceil(V.left + (V.width - GUTTER) / V.scale));
  const steps = Math.max(1, E.step[to] - E.step[from]);
  const raw = steps / Math.max(1, (V.width - GUTTER) / 80), power = 10 ** Math.floor(Math.log10(raw));
  const every = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((n) => n >= raw));
  let last = -Infinity;
  for (let step = Math.ceil(E.step[from] / every) * every; step <= E.step[to]; step += every) {
    const i = firstOfStep(step), x = xOf(i + 0.5);
    if (x < GUTTER || x > V.width) continue;
    const text = grouped(step), half = c.measureText(text).width / 2, fits = x - half >= GUTTER && x + half <= V.width;
    if (x - half < last) continue;
    last = x + half + 10;
    c.fillStyle = C.line;
    c.fillRect(x, AXIS - 6, 1, 5);
    c.fillStyle = C.dim;
    c.textAlign = "center";
    if (fits) c.fillText(text, x, AXIS / 2 - 1);
  }
  c.textAlign = "left";
}
/// The event that is this step of the schedule.
function firstOfStep(step) {
  let low = 0, high = N - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (E.step[middle] < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Neighbours that are less than a pixel apart become one: `flush(lane, from, to)` gets at most one piece per two pixels.
class Merged {
  constructor(flush) {
    this.flush = flush;
    this.pieces = new Map();
  }
  add(key, from, to) {
    const piece = this.pieces.get(key);
    if (piece && from <= piece[1] + 0.8) return void (piece[1] = Math.max(piece[1], to));
    if (piece) this.flush(key, piece[0], piece[1]);
    this.pieces.set(key, [from, to]);
  }
  end() {
    for (const [key, [from, to]] of this.pieces) this.flush(key, from, to);
  }
}

function drawSegments(c, first, last) {
  const h = boxHeight(), right = V.left + (V.width - GUTTER) / V.scale;
  const narrow = new Merged((l, x0, x1) => {
    c.fillStyle = threadColour(l);
    c.globalAlpha = 0.62;
    c.fillRect(x0, laneTop(l) + BOX_TOP, Math.max(1, x1 - x0), h);
    c.globalAlpha = 1;
  });
  for (let s = Math.max(0, segmentOf(Math.max(0, Math.floor(V.left)))); s < S.n && S.from[s] < right; s++) {
    const l = S.thread[s];
    if (l < first || l > last) continue;
    const x0 = Math.max(GUTTER, xOf(S.from[s])), x1 = Math.min(V.width, xOf(S.to[s]));
    if (x1 < GUTTER) continue;
    if (x1 - x0 < 6) narrow.add(l, x0, x1);
    else drawBox(c, l, x0, laneTop(l) + BOX_TOP, x1 - x0, h);
  }
  narrow.end();
}
function drawBox(c, l, x, y, w, h) {
  c.beginPath();
  c.roundRect(x, y, w, h, 5);
  c.fillStyle = C.bg;
  c.fill();
  c.globalAlpha = 0.2;
  c.fillStyle = c.strokeStyle = threadColour(l);
  c.fill();
  c.globalAlpha = 0.75;
  c.lineWidth = 1;
  c.stroke();
  c.globalAlpha = 1;
}

function drawEvents(c, first, last) {
  if (V.scale < 2.2) return;
  const from = Math.max(0, Math.floor(V.left)), to = Math.min(N, Math.ceil(V.left + (V.width - GUTTER) / V.scale) + 1);
  const size = Math.max(3, Math.min(10, V.scale * 0.6));
  for (let i = from; i < to; i++) {
    const l = E.thread[i], x = xOf(i + 0.5);
    if (l < first || l > last || x < GUTTER) continue;
    if (V.scale < 6) c.fillStyle = threadColour(l), c.fillRect(x - 0.7, boxMiddle(l) - 5, 1.4, 10);
    else drawSign(c, classOf(i), x, boxMiddle(l), size, threadColour(l));
  }
  if (roomy() && V.scale >= 6) drawLabels(c, from, to, first, last);
}

/// A text over whatever lies there.
function drawLabel(c, text, x, y, colour) {
  c.fillStyle = C.bg;
  c.globalAlpha = 0.8;
  c.fillRect(x - 1, y - 7, c.measureText(text).width + 2, 13);
  c.globalAlpha = 1;
  c.fillStyle = colour;
  c.fillText(text, x, y);
}

/// What each event says, below its box. With little room between events the texts take turns in up to three rows.
function drawLabels(c, from, to, first, last) {
  const wide = V.scale >= 96, rows = wide ? 1 : V.lane >= 92 ? 3 : V.lane >= 76 ? 2 : 1;
  const ends = new Map();  // by lane: where the text of each row ends
  c.textBaseline = "middle";
  for (let s = Math.max(0, segmentOf(from)); s < S.n && S.from[s] < to; s++) {
    const l = S.thread[s], top = laneTop(l) + BOX_TOP + boxHeight() + 10;
    if (l < first || l > last) continue;
    if (!ends.has(l)) ends.set(l, new Array(rows).fill(-Infinity));
    for (let i = Math.max(from, S.from[s]); i < Math.min(to, S.to[s]); i++) {
      const x = Math.max(GUTTER + 3, xOf(i) + 3), end = ends.get(l), row = end.findIndex((e) => e <= x);
      if (row < 0 || xOf(i + 1) < GUTTER) continue;
      const next = i + 1 < S.to[s] ? i + rows : S.next[s] >= 0 ? S.from[S.next[s]] : Infinity;
      const room = Math.min(next === Infinity ? V.width : Math.max(xOf(next), x + 64), V.width, x + 240) - x - 4;
      c.font = "11.5px " + FONT;
      const text = fitText(c, title(i), room);
      if (!text) continue;
      drawLabel(c, text, x, top + row * 14, failsAt(i) ? C.fail : C.text);
      end[row] = x + c.measureText(text).width + 7;
      if (!wide || V.lane < 82) continue;
      c.font = "10.5px " + FONT;
      drawLabel(c, fitText(c, placeText(placeOf(i)).replace(/ in .*/, ""), room), x, top + 14, C.dim);
    }
  }
}
