// Colours and signs: one table for lanes, legend and list.
const THREAD_COLOURS = ["#4a7dcf", "#2b9a78", "#b5649e", "#c0832f", "#7a68c9", "#3d97b3", "#a8683f", "#6f8f36", "#cc6170", "#66788f"];
const LOCK_COLOURS = ["#8e6bd1", "#2f9e8f", "#cf7f2a", "#5b84d6", "#c2588c", "#7f9a2e", "#b3684c", "#4aa0b8"];
const threadColour = (index) => THREAD_COLOURS[index % THREAD_COLOURS.length];
const lockNumbers = new Map();
for (const list of held) for (const span of list) if (!lockNumbers.has(span.object)) lockNumbers.set(span.object, lockNumbers.size);
const lockColour = (object) => LOCK_COLOURS[(lockNumbers.get(object) || 0) % LOCK_COLOURS.length];

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
const C = {};  // colours of the theme, for canvases
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["bg", "panel", "text", "dim", "line", "accent", "fail", "preempt", "wait", "hit", "select", "shade", "ok"])
    C[name] = style.getPropertyValue("--" + name).trim();
}

/// The sign of an event of a class, centred at (x, y).
function drawSign(c, kind, x, y, size, colour) {
  const r = size / 2;
  c.fillStyle = c.strokeStyle = colour;
  c.lineWidth = 1.6;
  c.beginPath();
  if (kind === "read" || kind === "write") c.arc(x, y, r, 0, 7);
  else if (kind === "atomic") c.moveTo(x, y - r - 1), c.lineTo(x + r + 1, y), c.lineTo(x, y + r + 1), c.lineTo(x - r - 1, y), c.closePath();
  else if (kind === "acquire" || kind === "release") c.rect(x - r, y - r, size, size);
  else if (kind === "thread") c.moveTo(x - r, y - r), c.lineTo(x + r, y), c.lineTo(x - r, y + r), c.closePath();
  else if (kind === "signal") c.moveTo(x, y - r), c.lineTo(x + r, y + r), c.lineTo(x - r, y + r), c.closePath();
  else c.arc(x, y, Math.max(1.2, r / 2), 0, 7);
  if (kind === "read" || kind === "release") {
    c.fillStyle = C.bg;
    c.fill();
    c.stroke();
  } else {
    c.fill();
  }
}

const stripes = new Map();
/// Slanted lines: somebody waits.
function stripePattern(c, colour) {
  if (!stripes.has(colour)) {
    const tile = document.createElement("canvas"), size = 8;
    tile.width = tile.height = size;
    const t = tile.getContext("2d");
    t.strokeStyle = colour;
    t.lineWidth = 1.4;
    t.globalAlpha = 0.75;
    for (const offset of [-size, 0, size]) t.beginPath(), t.moveTo(offset, size), t.lineTo(offset + size, 0), t.stroke();
    stripes.set(colour, c.createPattern(tile, "repeat"));
  }
  return stripes.get(colour);
}

/// Makes the canvas as large as it is shown, for sharp lines; the context works in CSS pixels.
function prepare(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) canvas.width = w, canvas.height = h;
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
}

/// As much of `text` as fits, with an ellipsis.
function fitText(c, text, width) {
  if (width < 12) return "";
  if (c.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (c.measureText(text.slice(0, middle) + "\u2026").width <= width) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? "" : text.slice(0, low) + "\u2026";
}
