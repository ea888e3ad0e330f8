// What lies over the lanes: locks that are held, waits, switches, preemptions, search hits, the failure.
function drawSpan(c, x0, x1, y, h, colour, text, alpha) {
  c.globalAlpha = alpha;
  c.fillStyle = colour;
  c.fillRect(x0, y, Math.max(1, x1 - x0), h);
  c.globalAlpha = 1;
  if (!text || h < 10 || x1 - x0 < 24) return;
  c.font = "10.5px " + FONT;
  c.textBaseline = "middle";
  c.fillStyle = "#ffffff";
  c.fillText(fitText(c, text, x1 - x0 - 8), x0 + 4, y + h / 2 + 0.5);
}

/// Spans of a lane that reach into the window; they are sorted by beginning, but may be long.
function eachVisible(list, visit) {
  const right = V.left + (V.width - GUTTER) / V.scale;
  for (const span of list) {
    if (span.from > right) return;
    if (span.to > V.left) visit(span, Math.max(GUTTER, xOf(span.from)), Math.min(V.width, xOf(Math.min(span.to, N + TAIL))));
  }
}

function drawHeld(c, first, last) {
  const tall = V.lane >= 92, h = tall ? 13 : 4;
  const rowTop = (l, row) => laneTop(l) + V.lane - 4 - (row + 1) * (h + 1);
  for (let l = first; l <= last; l++) {
    const narrow = new Merged((row, x0, x1) => drawSpan(c, x0, x1, rowTop(l, row), h, C.dim, "", 0.7));
    eachVisible(held[l], (span, x0, x1) => {
      if (span.row > 2 || rowTop(l, span.row) < boxMiddle(l)) return;
      if (x1 - x0 < 3) narrow.add(span.row, x0, x1);
      else drawSpan(c, x0, x1, rowTop(l, span.row), h, lockColour(span.object), tall ? objectName(span.object) : "", 0.85);
    });
    narrow.end();
  }
}

// Texts in the middle of lanes, in this frame: [lane, left, right]. Nothing is written over another one.
let written = [];
const PREEMPTED = "preempted", PREEMPTED_FONT = "600 11px ";
const saysPreempted = () => V.scale >= 74;
function widthOf(c, text, font) {
  c.font = font + FONT;
  return c.measureText(text).width;
}

function drawWaits(c, first, last) {
  const h = boxHeight() - 8;
  written = [];
  for (let l = first; l <= last; l++) {
    const y = laneTop(l) + BOX_TOP + 4;
    const narrow = new Merged((_, x0, x1) => drawSpan(c, x0, x1, y, h, C.wait, "", 0.5));
    eachVisible(waits[l], (span, x0, x1) => {
      if (x1 - x0 < 5) return narrow.add(0, x0, x1);
      const last = span.kind < 0, colour = last && isStuck(lanes[l].name) ? C.fail : C.wait;
      c.fillStyle = C.bg;
      c.fillRect(x0, y, x1 - x0, h);
      c.fillStyle = stripePattern(c, colour);
      c.fillRect(x0, y, x1 - x0, h);
      const at = x0 + (saysPreempted() && preempting.has(span.from) ? widthOf(c, PREEMPTED, PREEMPTED_FONT) + 14 : 0);  // that comes first (drawWedge)
      if (x1 - at < 40 || !roomy()) return;
      c.font = (last ? "600 " : "") + "11.5px " + FONT;
      c.textBaseline = "middle";
      const text = fitText(c, waitText(span), x1 - at - 16);
      if (!text) return;
      const w = c.measureText(text).width;
      c.fillStyle = C.bg;
      c.fillRect(at + 5, y + 1, w + 8, h - 2);
      c.fillStyle = colour === C.fail ? C.fail : C.dim;
      c.fillText(text, at + 9, y + h / 2 + 0.5);
      written.push([l, at + 5, at + 13 + w]);
    });
    narrow.end();
  }
}

/// Elements of sorted `list` in the window.
const countVisible = (list) => upper(list, V.left + (V.width - GUTTER) / V.scale) - upper(list, V.left - 1);

function drawSwitches(c) {
  if (countVisible(S.from) > V.width / 12) return;  // a thicket of lines says less than the boxes
  let lastSwitch = -Infinity, lastPreemption = -Infinity;
  for (let s = Math.max(1, segmentOf(Math.max(0, Math.floor(V.left)))); s < S.n; s++) {
    const x = xOf(S.from[s]);
    if (x > V.width) break;
    if (x < GUTTER) continue;
    const preempts = preempting.has(S.from[s]), from = S.thread[s - 1], to = S.thread[s];
    if (x - (preempts ? lastPreemption : lastSwitch) < 4) continue;
    const down = to > from, half = boxHeight() / 2;
    const y0 = boxMiddle(from) + (down ? half : -half), y1 = boxMiddle(to) + (down ? -half : half);
    c.strokeStyle = preempts ? C.preempt : C.wait;
    c.lineWidth = preempts ? 1.6 : 1;
    c.setLineDash(preempts ? [] : [3, 3]);
    c.beginPath(), c.moveTo(x, Math.max(AXIS, y0)), c.lineTo(x, Math.max(AXIS, y1)), c.stroke();
    c.setLineDash([]);
    if (preempts) lastPreemption = x, drawWedge(c, x, from);
    else lastSwitch = x;
  }
}

/// Where a thread was stopped although it could have gone on.
function drawWedge(c, x, l) {
  const y = boxMiddle(l), h = Math.min(9, boxHeight() / 2);
  if (y < AXIS) return;
  c.fillStyle = C.preempt;
  c.beginPath(), c.moveTo(x + 9, y - h), c.lineTo(x, y), c.lineTo(x + 9, y + h), c.closePath(), c.fill();
  if (!saysPreempted()) return;
  const text = PREEMPTED, w = widthOf(c, text, PREEMPTED_FONT), left = x + 11, right = left + w + 4;
  if (right > V.width || written.some(([lane, from, to]) => lane === l && left < to && from < right)) return;
  written.push([l, left, right]);
  c.textBaseline = "middle";
  c.fillStyle = C.bg;
  c.fillRect(x + 11, y - 7, w + 4, 14);
  c.fillStyle = C.preempt;
  c.fillText(text, x + 13, y + 0.5);
}

function drawHits(c) {
  if (!V.hits) return;
  let drawn = -Infinity;
  c.fillStyle = C.hit;
  for (let k = upper(V.hits, V.left - 1); k < V.hits.length; k++) {
    const i = V.hits[k], x = xOf(i + 0.5);
    if (x > V.width) break;
    if (x < GUTTER || x - drawn < 2) continue;
    c.globalAlpha = 0.35;
    c.fillRect(x - Math.max(1, V.scale / 2), laneTop(E.thread[i]) + BOX_TOP - 3, Math.max(2, V.scale), boxHeight() + 6);
    drawn = x;
  }
  c.globalAlpha = 1;
}

function drawSelection(c) {
  for (const [i, colour, alpha] of [[V.hover, C.dim, 0.5], [V.selected, C.accent, 1]]) {
    if (i < 0 || i >= N) continue;
    const x0 = xOf(i), x1 = xOf(i + 1), l = E.thread[i];
    if (x1 < GUTTER || x0 > V.width) continue;
    c.globalAlpha = alpha;
    c.strokeStyle = colour;
    c.lineWidth = 2;
    c.beginPath(), c.roundRect(Math.max(GUTTER, x0 + 1), laneTop(l) + BOX_TOP - 2, Math.max(4, x1 - Math.max(GUTTER, x0) - 2), boxHeight() + 4, 5), c.stroke();
    c.globalAlpha = alpha * 0.35;
    c.fillStyle = colour;
    c.fillRect((x0 + x1) / 2, AXIS, 1, V.height);
  }
  c.globalAlpha = 1;
}

function drawFailure(c) {
  if (!T.failure) return;
  const end = xOf(N);
  c.fillStyle = C.fail;
  if (end >= GUTTER && end <= V.width) {
    c.globalAlpha = 0.08;
    c.fillRect(end, AXIS, V.width - end, V.height);
    c.globalAlpha = 1;
    c.fillRect(end - 1, 0, 2, V.height);
  }
  const x = xOf(failureEvent + 0.5);
  if (FAILURE_SHAPE < 0 || x < GUTTER || x > V.width) return;
  const y = boxMiddle(failing.index), r = Math.min(9, boxHeight() / 2);
  c.beginPath(), c.arc(x, y, r, 0, 7), c.fill();
  c.strokeStyle = "#ffffff";
  c.lineWidth = 2.2;
  c.beginPath(), c.moveTo(x - 4, y - 4), c.lineTo(x + 4, y + 4), c.moveTo(x + 4, y - 4), c.lineTo(x - 4, y + 4), c.stroke();
  if (roomy() && V.scale >= 6) return;  // its label says the rest
  c.font = "700 12px " + FONT;
  c.textBaseline = "middle";
  const text = "FAILED", w = c.measureText(text).width, at = x + w + 20 < V.width ? x + 13 : x - w - 13;
  c.fillStyle = C.bg;
  c.fillRect(at - 2, y - 8, w + 4, 16);
  c.fillStyle = C.fail;
  c.fillText(text, at, y + 0.5);
}

function drawLanes() {
  const started = performance.now(), c = prepare($("lanes"), V.width, V.height), [first, last] = visibleLanes();
  drawBackground(c, first, last);
  drawSegments(c, first, last);
  drawWaits(c, first, last);
  drawHits(c);
  drawHeld(c, first, last);
  drawSwitches(c);
  drawEvents(c, first, last);
  drawFailure(c);
  drawSelection(c);
  drawGutter(c, first, last);
  drawAxis(c);
  drawAxisMarks(c);
  const took = performance.now() - started;
  V.slowest = Math.max(V.slowest || 0, took);
}

/// Over the axis: preemptions and hits are seen at any scale.
function drawAxisMarks(c) {
  let drawn = -Infinity;
  const dense = countVisible(T.preempted) > V.width / 12;
  c.fillStyle = C.preempt;
  for (let k = upper(T.preempted, V.left - 1); k < T.preempted.length; k++) {
    const x = xOf(T.preempted[k]);
    if (x > V.width) break;
    if (x < GUTTER || x - drawn < (dense ? 2 : 6)) continue;
    if (dense) c.fillRect(x, AXIS - 4, 1, 4);
    else c.beginPath(), c.moveTo(x - 4, AXIS), c.lineTo(x + 4, AXIS), c.lineTo(x, AXIS - 6), c.fill();
    drawn = x;
  }
  if (!V.hits) return;
  drawn = -Infinity;
  c.fillStyle = C.hit;
  for (let k = upper(V.hits, V.left - 1); k < V.hits.length; k++) {
    const x = xOf(V.hits[k] + 0.5);
    if (x > V.width) break;
    if (x < GUTTER || x - drawn < 2) continue;
    c.fillRect(x - 1, AXIS - 4, 2.5, 4);
    drawn = x;
  }
}
