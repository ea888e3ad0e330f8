// The answer, why, and the legend.
function showAnswer() {
  const f = T.failure, answer = $("answer");
  if (f) {
    const place = placeText(f.place) + (f.thread ? (placeText(f.place) ? ", thread " : "thread ") + f.thread : "");
    answer.append(make("span", "verdict", "FAILED"), f.message || f.kind, make("span", "at", place));
  } else {
    answer.append(make("span", "verdict " + (T.outcome === "ok" ? "ok" : "other"), T.outcome.toUpperCase()), T.answer.replace(/^(ok|incomplete): /, "").trim());
  }
  const about = $("about"), numbers = [counted(T.threads.length, "thread"), counted(T.total, "event"), counted(T.steps, "step"), counted(T.switches, "switch"), counted(T.preemptions, "preemption")];
  about.append(make("b", "", T.command), "  \u00b7  " + numbers.join(" \u00b7 "));
  if (T.strategy) about.append("  \u00b7  " + T.strategy + (!T.hunted ? "" : ", seed " + T.seed + ", run " + grouped(T.run)));
  if (T.trace && T.replayable) about.append("  \u00b7  ", make("span", "mono", "heddle replay " + T.trace));
  if (T.first > 0) about.append(make("div", "note", "The page has the last " + grouped(T.total - T.first) + " events; the first " + grouped(T.first) + " are left out."));
  if (T.damage) about.append(make("div", "note", T.damage));
}

/// A deadlock: who waits for what, and who holds it.
function showWhy() {
  const f = T.failure, why = $("why");
  if (!f) return;
  for (const e of f.deadlock) {
    const card = make("div", "edge" + (inCycle.has(e.thread) ? " cycle" : ""), make("div", "", make("b", "", e.thread), " waits: " + e.operation + " ", make("b", "", e.object), make("span", "where", "  " + placeText(e.wait))));
    if (e.held) card.append(make("div", "", "held by ", make("b", "", e.holder), make("span", "where", placeText(e.hold) ? "  taken at " + placeText(e.hold) : "")));
    why.append(card);
  }
  for (const note of f.notes) why.append(make("div", "note", note));
}

/// "3 data races on 2 variables"
function racesText() {
  const pairs = T.races.reduce((n, [, list]) => n + list.length, 0);
  return counted(pairs, "data race") + (pairs === T.races.length ? "" : " on " + counted(T.races.length, "variable"));
}

/// The last event of a thread at a place; -1: none.
function lastAt(thread, [, file, line]) {
  const lane = laneByName.get(thread);
  for (let i = lane ? lane.last : -1; i >= 0 && i >= lane.first; i--) {
    const place = placeOf(i);
    if (E.thread[i] === lane.index && place[1] === file && place[2] === line && !failsAt(i)) return i;
  }
  return -1;
}

/// Races are seen without a click: a card per variable, the one that explains the failure first. A place leads to its event.
function showRaces() {
  const shown = 4;
  for (const [variable, pairs, atFailure] of T.races.slice(0, shown)) {
    const card = make("div", "edge race" + (atFailure ? " cycle" : ""), make("div", "", "data race on ", make("b", "", variable), atFailure ? ", used by the failing statement" : ""));
    for (const [thread, kind, place] of pairs[0]) {
      const i = lastAt(thread, place), text = make(i < 0 ? "span" : "a", "where", placeText(place));
      if (i >= 0) text.addEventListener("click", () => select(i, 24));
      card.append(make("div", "", make("b", "", thread), " " + kind + "  ", text));
    }
    if (pairs.length > 1) card.append(make("div", "dim", counted(pairs.length - 1, "more pair")));
    $("why").append(card);
  }
  if (T.races.length > shown) $("why").append(make("div", "note", "and " + counted(T.races.length - shown, "more variable") + " with races, in the tab Run"));
}

const LEGEND = [
  ["read", "read"], ["write", "write"], ["atomic", "atomic"], ["acquire", "lock"], ["release", "unlock"],
  ["signal", "wait, signal"], ["thread", "thread starts, ends"], ["segment", "a thread runs"], ["held", "lock held"], ["waits", "waits"],
  ["switch", "switch"], ["preempts", "preemption: left though it could go on"],
];
function showLegend() {
  const box = $("legend");
  box.replaceChildren();
  for (const [sign, text] of LEGEND) {
    const canvas = document.createElement("canvas"), c = prepare(canvas, 18, 16);
    if (sign === "segment") c.globalAlpha = 0.35, (c.fillStyle = threadColour(0)), c.beginPath(), c.roundRect(1, 3, 16, 10, 3), c.fill();
    else if (sign === "held") c.fillStyle = LOCK_COLOURS[0], c.fillRect(1, 6, 16, 4);
    else if (sign === "waits") c.fillStyle = stripePattern(c, C.wait), c.fillRect(1, 3, 16, 10);
    else if (sign === "switch") c.strokeStyle = C.dim, c.setLineDash([3, 3]), c.beginPath(), c.moveTo(9, 0), c.lineTo(9, 16), c.stroke();
    else if (sign === "preempts") c.fillStyle = C.preempt, c.beginPath(), c.moveTo(13, 2), c.lineTo(4, 8), c.lineTo(13, 14), c.fill();
    else drawSign(c, sign, 9, 8, 9, threadColour(0));
    box.append(make("span", "", canvas, text));
  }
}

const KEYS = [
  ["wheel, + and \u2212", "zoom"], ["drag, a and d", "move; shift and wheel too"], ["wheel over the names", "scroll threads"], ["0", "whole run"],
  ["\u2190 \u2192", "event before, after; with shift: of the same thread"], ["[ ]", "switch before, after"], ["P p", "preemption before, after"],
  ["f", "the failure"], ["/", "search; Enter and shift Enter: next, previous"], ["t", "light or dark"], ["?", "this"],
];
function showHelp() {
  const table = make("table", "", ...KEYS.map(([key, text]) => make("tr", "", make("td", "mono", key), make("td", "", text))));
  $("help-text").replaceChildren(make("h2", "", "How to read this"),
    make("p", "", "A lane is a thread; time goes to the right, one place per event. Only one thread runs at a time: where a box ends, another thread goes on. A step is a scheduling point of the run: its numbers are those of heddle show --events and of heddle goto in gdb."),
    make("p", "", "x = 1 was read, x := 1 was written. Striped: the thread waits. A bar below a box: a lock that it holds. A preemption is a switch that only a scheduler makes: the thread could have gone on."),
    make("h2", "", "Keys"), table);
}
