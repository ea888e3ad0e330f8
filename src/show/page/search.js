// Search looks at shapes, not at events: what has a hit is found without looking at each.
let haystacks = null;
function haystack(shape) {
  const [kind, , place, what, object] = shape, [name, file, line] = T.places[place];
  return [kindText(kind), T.strings[what], object ? objectName(object) : "", name, T.files[file], line ? baseName(T.files[file] || "") + ":" + line : ""].join("\n").toLowerCase();
}

function search(text) {
  const wanted = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  V.hits = V.isHit = null;
  if (wanted.length) {
    if (!haystacks) haystacks = T.shapes.map(haystack);
    const matches = Uint8Array.from(haystacks, (h) => wanted.every((w) => h.includes(w)));
    const hits = [];
    for (let i = 0; i < N; i++) if (matches[E.shape[i]]) hits.push(i);
    V.hits = hits;
    V.isHit = (i) => matches[E.shape[i]] === 1;
  }
  $("hits").textContent = V.hits ? (V.hits.length ? counted(V.hits.length, "hit") : "nothing") : "";
  for (const id of ["previous-hit", "next-hit"]) $(id).disabled = !V.hits || !V.hits.length;
  changed();
  drawList();
}

/// The next of sorted `list` after (direction 1) or before (-1) the selection, around the end.
function nextOf(list, direction) {
  if (!list || !list.length) return -1;
  const after = upper(list, V.selected);
  if (direction > 0) return list[after % list.length];
  const before = after > 0 && list[after - 1] === V.selected ? after - 2 : after - 1;
  return list[(before + list.length) % list.length];
}
function nextHit(direction) {
  const i = nextOf(V.hits, direction);
  if (i < 0) return;
  select(i);
  $("hits").textContent = grouped(upper(V.hits, i)) + " of " + grouped(V.hits.length);
}
function nextPreemption(direction) {
  const i = nextOf(T.preempted, direction);
  if (i >= 0) select(i, 24);
}

function listenSearch() {
  const box = $("search");
  box.addEventListener("input", () => search(box.value));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1), event.preventDefault();
    if (event.key === "Escape") (box.value = ""), search(""), $("lanes").focus();
    event.stopPropagation();
  });
  $("next-hit").addEventListener("click", () => nextHit(1));
  $("previous-hit").addEventListener("click", () => nextHit(-1));
  search("");
}
