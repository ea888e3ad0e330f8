// Starts everything. What tests look at is on the root element: data-ready, data-errors.
const root = document.documentElement;
function note(text) {
  root.dataset.errors = (root.dataset.errors ? root.dataset.errors + "\n" : "") + text;
}
window.addEventListener("error", (event) => note(event.message));
document.addEventListener("securitypolicyviolation", (event) => note("policy: " + event.violatedDirective));

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  readTheme();
  stripes.clear();
  overviewPicture = null;
  showLegend();
  changed();
}
const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function toFailure() {
  if (failureEvent < 0) return;
  select(failureEvent, 24);
  V.left = N + TAIL;  // the end of the run is where it failed
  changed();
}
function sameThread(direction) {
  const s = segmentOf(V.selected), i = V.selected + direction;
  if (i >= S.from[s] && i < S.to[s]) return select(i);
  const other = direction > 0 ? S.next[s] : S.previous[s];
  if (other >= 0) select(direction > 0 ? S.from[other] : S.to[other] - 1);
}
function otherSegment(direction) {
  const s = segmentOf(V.selected) + direction;
  if (s >= 0 && s < S.n) select(S.from[s]);
}
const pan = (part) => ((V.left += (part * (V.width - GUTTER)) / V.scale), changed());
const middle = () => GUTTER + (V.width - GUTTER) / 2;

const ACTIONS = {
  "0": fit, "+": () => zoom(1.5, middle()), "=": () => zoom(1.5, middle()), "-": () => zoom(1 / 1.5, middle()),
  a: () => pan(-0.25), d: () => pan(0.25), ArrowLeft: (e) => (e.shiftKey ? sameThread(-1) : select(V.selected - 1)),
  ArrowRight: (e) => (e.shiftKey ? sameThread(1) : select(V.selected + 1)), "[": () => otherSegment(-1), "]": () => otherSegment(1),
  ArrowUp: () => select(V.selected - 1), ArrowDown: () => select(V.selected + 1),
  p: () => nextPreemption(1), P: () => nextPreemption(-1), f: toFailure, "/": () => $("search").focus(),
  t: () => setTheme(isDark() ? "light" : "dark"), "?": () => $("help").showModal(),
};

function listen() {
  const clicks = { fit, in: ACTIONS["+"], out: ACTIONS["-"], "to-failure": toFailure, "next-preemption": ACTIONS.p, "previous-preemption": ACTIONS.P,
    theme: ACTIONS.t, "help-button": ACTIONS["?"] };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey || $("help").open ? null : ACTIONS[event.key];
    if (action) event.preventDefault(), action(event);
  });
  $("list").addEventListener("scroll", drawList);
  window.addEventListener("resize", resize);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
  $("to-failure").hidden = failureEvent < 0;
  $("jumps").hidden = !T.preempted.length;
}

showAnswer();
showWhy();
showRaces();
showHelp();
showRun();
setTheme();
listenLanes();
listenOverview();
listenSearch();
listenTabs();
listen();
fit();
resize();
fit();
// Few events fit as a whole; of many the end is shown, where the failure is, and the strip shows the rest.
if (N > 0) select(failureEvent >= 0 ? failureEvent : 0);
window.heddle = { T, E, N, S, V, lanes, held, waits, preempting, failureEvent, title, placeText, placeOf, codeOf, select, zoom, fit, search, nextHit, nextPreemption, toFailure, setTheme };
root.dataset.ready = "1";
