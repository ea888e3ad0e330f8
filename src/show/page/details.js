// The panel beside the list: one event with its source and stack, or what is known about the run.
function sourceBox([, file, line], fails) {
  const numbers = [];
  for (let n = line - 5; n <= line + 5; n++) if (sourceLine(file, n)) numbers.push(n);
  if (!line || !numbers.length) return "";
  const box = make("div", "source mono");
  for (let n = numbers[0]; n <= numbers[numbers.length - 1]; n++)  // empty lines are not in the page
    box.append(make("div", n === line ? "here" + (fails ? " fails" : "") : "", make("span", "number", String(n)), sourceLine(file, n) || " "));
  return box;
}

function stackBox(stack) {
  const box = make("div", "mono");
  const ours = stack.filter((f) => !f[3]);
  for (const [name, file, line, system, module] of ours.length ? ours : stack.slice(0, 3)) {
    const path = T.files[file] || "";
    box.append(make("div", "frame" + (system ? " system" : ""), make("span", "", name || "?"),
      make("span", "", path ? baseName(path) + (line ? ":" + line : "") : module || "")));
  }
  const hidden = stack.length - (ours.length || Math.min(3, stack.length));
  if (hidden > 0) box.append(make("div", "dim", counted(hidden, "frame") + " of libraries not shown"));
  return box;
}

function showEvent(i) {
  const shape = T.shapes[E.shape[i]], lane = lanes[E.thread[i]], fails = failsAt(i), box = $("event");
  const parts = [make("h2", fails ? "bad" : "", title(i))];
  parts.push(make("p", "dim", (shape[1] & POINT ? "step " : "after step ") + grouped(E.step[i]) + (fails ? "" : " \u00b7 event " + grouped(T.first + i)) + " \u00b7 thread " + laneTitle(lane)));
  if (preempting.has(i) && i > 0) parts.push(make("p", "", "Thread " + lanes[E.thread[i - 1]].name + " was preempted before this: it could have gone on."));
  const locks = held[lane.index].filter((h) => h.from <= i && i < h.to).map((h) => objectName(h.object));
  if (locks.length) parts.push(make("p", "", "holds " + locks.join(", ")));
  const wait = waits[lane.index].find((w) => w.kind < 0);
  if (wait && i === lane.last) parts.push(make("p", isStuck(lane.name) ? "bad" : "", "then, until the end: " + wait.what));
  const place = placeOf(i);
  parts.push(make("h3", "", placeText(place) || (T.recorded ? "no source line in a recording; gdb has it" : "no source line")), sourceBox(place, fails));
  if (shape[5]) parts.push(make("h3", "", "Stack"), stackBox(T.stacks[shape[5]]));
  if (T.replayable) parts.push(make("p", "dim mono", "in gdb:  heddle replay --gdb " + (T.trace || "TRACE") + "   then   heddle goto " + Math.max(1, E.step[i])));
  box.replaceChildren(...parts);
}

function showRun() {
  const parts = [], f = T.failure;
  if (f) {
    parts.push(make("h3", "", "Threads at the failure"));
    for (const [name, state, stack, , finished] of f.threads) {
      if (finished) continue;
      parts.push(make("p", isStuck(name) || (!deadlocked.size && name === f.thread) ? "bad" : "", make("b", "", name), "  " + state), stackBox(stack));
    }
    for (const line of f.detail.split("\n").filter(Boolean)) parts.push(make("p", "", line));
    for (const note of f.notes) parts.push(make("p", "", note));
  }
  if (T.races.length) parts.push(make("h3", "", racesText()));
  for (const [variable, pairs, atFailure] of T.races) {
    parts.push(make("p", atFailure ? "bad" : "", make("b", "", variable), atFailure ? "  (the failing statement uses it)" : ""));
    for (const pair of pairs) parts.push(make("p", "dim", pair.map(([thread, kind, place]) => kind + "  " + placeText(place) + ", thread " + thread).join("   and   ")));
  }
  if (T.notes.length) parts.push(make("h3", "", "Notes"), ...T.notes.map((n) => make("p", "", n)));
  if (T.output.trim()) parts.push(make("h3", "", "Output of the program" + (T.outputCut ? " (its end)" : "")), make("pre", "", T.output));
  for (const file of T.changed) parts.push(make("p", "dim", file + " has changed since the trace was made: lines may not match"));
  $("run").replaceChildren(...parts);
}

function listenTabs() {
  for (const name of ["event", "run"])
    $("tab-" + name).addEventListener("click", () => {
      for (const other of ["event", "run"]) {
        $(other).hidden = other !== name;
        $("tab-" + other).classList.toggle("on", other === name);
      }
    });
}
