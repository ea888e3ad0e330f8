// All events as a list; only the rows that are seen exist. Browsers bound the height of an element: beyond that the
// scroll bar moves in larger steps.
const ROW = 22, TALLEST = 8e6;
const listHeight = () => Math.min(N * ROW, TALLEST);
const stretch = () => Math.max(1, (N * ROW - $("list").clientHeight) / Math.max(1, listHeight() - $("list").clientHeight));
let firstRow = -1;

function makeRow(i) {
  const lane = lanes[E.thread[i]], row = make("div", "row"), chip = make("span", "chip");
  chip.style.background = threadColour(lane.index);
  const starts = i > 0 && E.thread[i] !== E.thread[i - 1];
  row.classList.toggle("switch", starts);
  row.classList.toggle("preempts", starts && preempting.has(i));
  row.classList.toggle("on", i === V.selected);
  row.classList.toggle("fails", failsAt(i));
  row.classList.toggle("hit", !!V.isHit && V.isHit(i));
  const isStep = T.shapes[E.shape[i]][1] & POINT;
  row.append(make("span", "step", isStep ? grouped(E.step[i]) : "\u00b7"), make("span", "", chip, laneTitle(lane)), make("span", "what", title(i)),
    make("span", "place", placeText(placeOf(i))), make("span", "mono", codeOf(i)));
  if (starts && preempting.has(i)) row.title = "thread " + lanes[E.thread[i - 1]].name + " was preempted before this";
  row.addEventListener("click", () => select(i));
  return row;
}

function drawList() {
  const list = $("list"), count = Math.ceil(list.clientHeight / ROW) + 2;
  $("spacer").style.height = listHeight() + "px";
  firstRow = Math.max(0, Math.min(N - count + 1, Math.floor((list.scrollTop * stretch()) / ROW)));
  const rows = [];
  for (let i = firstRow; i < Math.min(N, firstRow + count); i++) rows.push(makeRow(i));
  $("rows").replaceChildren(...rows);
  const offset = N * ROW > TALLEST ? list.scrollTop : firstRow * ROW;
  $("rows").style.transform = "translateY(" + offset + "px)";
}

function showInList(i) {
  const list = $("list"), top = (i * ROW) / stretch(), seen = list.clientHeight;
  if (top < list.scrollTop || top + ROW > list.scrollTop + seen) list.scrollTop = top - seen / 2;
  drawList();
}
