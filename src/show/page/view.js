// Zoom, pan, hover and selection of the lanes.
let frameWanted = false;
/// Something that is drawn has changed: one new picture with the next frame.
function changed() {
  const room = V.width - GUTTER, smallest = room / (N + TAIL);
  V.scale = Math.min(Math.max(V.scale, smallest), 420);
  const most = Math.max(0, N + TAIL - room / V.scale);
  V.left = Math.min(Math.max(0, V.left), most);
  V.scroll = Math.min(Math.max(0, V.scroll), Math.max(0, lanes.length * V.lane - (V.height - AXIS)));
  if (frameWanted) return;
  frameWanted = true;
  requestAnimationFrame(() => {
    frameWanted = false;
    drawLanes();
    drawOverview();
  });
}

/// Lanes share what there is of the window, within reason; beyond that they scroll.
function resize() {
  const most = Math.max(190, window.innerHeight * 0.46), box = $("timeline");
  V.width = box.clientWidth;
  V.lane = Math.min(112, Math.max(30, (most - AXIS) / Math.max(1, lanes.length)));
  V.height = Math.min(most, AXIS + lanes.length * V.lane);
  $("lanes").style.height = V.height + "px";
  overviewPicture = null;
  changed();
  drawList();
}

function fit() {
  V.left = 0;
  V.scale = 0;
  V.scroll = 0;
  changed();
}

function zoom(factor, x) {
  const at = V.left + (x - GUTTER) / V.scale, smallest = (V.width - GUTTER) / (N + TAIL);
  V.scale = Math.min(Math.max(V.scale * factor, smallest), 420);
  V.left = at - (x - GUTTER) / V.scale;
  changed();
}

/// Selects an event; moves the lanes and the list so that it is seen.
function select(i, near) {
  if (N === 0) return;
  V.selected = Math.min(Math.max(0, i), N - 1);
  const room = (V.width - GUTTER) / V.scale;
  if (near && V.scale < near) V.scale = near, V.left = V.selected - (V.width - GUTTER) / near / 2;
  else if (V.selected < V.left || V.selected + 1 > V.left + room) V.left = V.selected - room / 2;
  const top = E.thread[V.selected] * V.lane;
  if (top < V.scroll) V.scroll = top;
  if (top + V.lane > V.scroll + V.height - AXIS) V.scroll = top + V.lane - (V.height - AXIS);
  changed();
  showInList(V.selected);
  showEvent(V.selected);
}

/// The event under the pointer, or the nearest one of that lane within a few pixels; -1: none.
function eventAt(x, y) {
  const l = Math.floor((y - AXIS + V.scroll) / V.lane);
  if (x < GUTTER || y < AXIS || !lanes[l]) return -1;
  const at = V.left + (x - GUTTER) / V.scale, reach = Math.max(0.5, 5 / V.scale);
  let best = -1, distance = reach;
  for (let s = Math.max(0, segmentOf(Math.max(0, Math.floor(at - reach)))); s < S.n && S.from[s] <= at + reach; s++) {
    if (S.thread[s] !== l) continue;
    const i = Math.min(Math.max(Math.floor(at), S.from[s]), S.to[s] - 1), d = Math.abs(i + 0.5 - at);
    if (d <= distance) best = i, distance = d;
  }
  return best;
}
const waitAt = (x, y) => {
  const l = Math.floor((y - AXIS + V.scroll) / V.lane), at = V.left + (x - GUTTER) / V.scale;
  return lanes[l] && x >= GUTTER && y >= AXIS ? waits[l].find((w) => w.from <= at && at < w.to) : undefined;
};

function showTip(event) {
  const i = eventAt(event.offsetX, event.offsetY), tip = $("tip");
  if (i !== V.hover) V.hover = i, changed();
  const w = i < 0 ? waitAt(event.offsetX, event.offsetY) : undefined;
  tip.hidden = i < 0 && !w;
  if (tip.hidden) return;
  if (i >= 0) {
    const lane = lanes[E.thread[i]], code = codeOf(i);
    tip.replaceChildren(make("b", "", title(i)), make("div", "", placeText(placeOf(i)) || "\u2014"),
      make("div", "dim", "step " + grouped(E.step[i]) + " \u00b7 event " + grouped(T.first + i) + " \u00b7 thread " + laneTitle(lane)));
    const locks = held[lane.index].filter((h) => h.from <= i && i < h.to).map((h) => objectName(h.object));
    if (locks.length) tip.append(make("div", "dim", "holds " + locks.join(", ")));
    if (code) tip.append(make("code", "", code));
  } else {
    tip.replaceChildren(make("b", "", waitText(w)));
  }
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX + 14, window.innerWidth - box.width - 8) + "px";
  tip.style.top = (event.clientY + 20 + box.height > window.innerHeight ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
}

function listenLanes() {
  const canvas = $("lanes");
  let from = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 30 : 1, overGutter = event.offsetX < GUTTER;
    if (overGutter || event.altKey) V.scroll += event.deltaY * unit, changed();
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) V.left += ((event.deltaX || event.deltaY) * unit) / V.scale, changed();
    else zoom(Math.exp(-event.deltaY * unit * 0.0018), event.offsetX);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    from = { x: event.offsetX, y: event.offsetY, left: V.left, scroll: V.scroll, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return showTip(event);
    const dx = event.offsetX - from.x, dy = event.offsetY - from.y;
    if (Math.abs(dx) + Math.abs(dy) > 3) from.moved = true, canvas.classList.add("dragging"), ($("tip").hidden = true);
    if (!from.moved) return;
    V.left = from.left - dx / V.scale;
    V.scroll = from.scroll - dy;
    changed();
  });
  canvas.addEventListener("pointerup", (event) => {
    canvas.classList.remove("dragging");
    const i = from && !from.moved ? eventAt(event.offsetX, event.offsetY) : -1;
    from = null;
    if (i >= 0) select(i);
  });
  canvas.addEventListener("pointerleave", () => (($("tip").hidden = true), (V.hover = -1), changed()));
  canvas.addEventListener("dblclick", (event) => zoom(3, event.offsetX));
}
