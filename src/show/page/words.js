// Numbers of the trace as words. All of it is untrusted text: it reaches the page as text only.
const ACCESS = 1, WRITE = 2, SYNC = 4;
const kindText = (kind) => (T.kinds[kind] ? T.kinds[kind][0] : "kind " + kind);
const kindProperties = (kind) => (T.kinds[kind] ? T.kinds[kind][1] : 0);
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (n, noun) => grouped(n) + " " + noun + (n === 1 ? "" : noun.endsWith("ch") ? "es" : "s");
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const objectName = (id) => T.objects[id] || "object " + id;

const KIND = T.kindNumbers;
const classOf = (i) => (T.kinds[T.shapes[E.shape[i]][0]] || [])[2] || "other";

function valueText(i) {
  const size = T.shapes[E.shape[i]][1] & 7, low = E.low[i], high = E.high[i];
  if (size === 0) return String(low & 255);
  if (size === 1) return String((low << 16) >> 16);
  if (size === 2) return String(low | 0);
  const number = (high | 0) * 4294967296 + low;
  // What lies where addresses lie reads better as one.
  if (number > -4294967296 && number < 1099511627776) return String(number);
  return "0x" + (high ? high.toString(16) + low.toString(16).padStart(8, "0") : low.toString(16));
}

/// "lock m", "filled = 1" (read), "filled := 1" (written), "trylock m (failed)".
function title(i) {
  const [kind, flags, , what, object] = T.shapes[E.shape[i]];
  const text = kindText(kind), properties = kindProperties(kind), name = T.strings[what];
  const failed = flags & FAILED ? " (failed)" : "";
  if (kind === KIND.threadStart || kind === KIND.threadExit) return text;
  if (!(properties & ACCESS)) return text + (name ? " " + name : object ? " " + objectName(object) : "") + failed;
  if (kind === KIND.readRange || kind === KIND.writeRange) return text + (name ? " " + name : "") + ", " + valueText(i) + " bytes";
  if (!(flags & VALUE)) return text + (name ? " " + name : "") + failed;
  const sign = kind === KIND.atomicRmw || kind === KIND.atomicCas ? " was " : properties & WRITE ? " := " : " = ";
  return (name || text) + sign + valueText(i) + failed;
}

/// [function, file number, line] as "queue.c:19 in take".
function placeText([name, file, line]) {
  const path = T.files[file] || "";
  const at = path && line ? baseName(path) + ":" + line : baseName(path);
  return at && name ? at + " in " + name : at || name;
}
const placeOf = (i) => T.places[T.shapes[E.shape[i]][2]];
const sourceLine = (file, line) => (T.sources[file] && T.sources[file][line]) || "";
const codeOf = (i) => sourceLine(placeOf(i)[1], placeOf(i)[2]).trim();
const laneTitle = (lane) => lane.name + (lane.label ? " \u201c" + lane.label + "\u201d" : lane.entry ? " " + lane.entry : "");
const waitText = (w) => (w.kind < 0 ? w.what : w.kind === KIND.sleep ? "sleeps" : w.kind === KIND.ioLeave || w.kind === KIND.ioReturn ? "in i/o"
  : "waits: " + kindText(w.kind) + (w.what ? " " + w.what : w.object ? " " + objectName(w.object) : ""));

/// An element with a class and children; strings become text nodes, never markup.
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}
