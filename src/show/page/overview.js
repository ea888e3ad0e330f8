// The whole run in a strip: who ran when, preemptions, and the window that the lanes show. Drawn once into a picture.
let overviewPicture = null;

function paintOverview(width, height) {
  const picture = document.createElement("canvas"), c = prepare(picture, width, height);
  const room = width - GUTTER, scale = room / (N + TAIL), rows = Math.max(1, lanes.length), h = Math.max(1, (height - 8) / rows);
  const drawn = new Float64Array(rows).fill(-1);
  for (let s = 0; s < S.n; s++) {
    const l = S.thread[s], x0 = Math.max(drawn[l], S.from[s] * scale), x1 = Math.max(S.from[s] * scale + 1, S.to[s] * scale);
    if (x1 <= drawn[l]) continue;
    c.fillStyle = threadColour(l);
    c.fillRect(GUTTER + x0, 4 + l * h, x1 - x0, Math.max(1, h - 0.5));
    drawn[l] = Math.ceil(x1);
  }
  c.fillStyle = C.preempt;
  let last = -1;
  for (const i of T.preempted) {
    const x = Math.floor(i * scale);
    if (x !== last) c.fillRect(GUTTER + x, 0, 1, 3);
    last = x;
  }
  if (T.failure) c.fillStyle = C.fail, c.fillRect(GUTTER + N * scale - 1, 0, 2, height);
  return picture;
}

function drawOverview() {
  const canvas = $("overview"), width = canvas.clientWidth, height = canvas.clientHeight, c = prepare(canvas, width, height);
  if (!overviewPicture || overviewPicture.width !== canvas.width || overviewPicture.height !== canvas.height)
    overviewPicture = paintOverview(width, height);
  c.fillStyle = C.panel;
  c.fillRect(0, 0, width, height);
  c.font = "11px " + FONT;
  c.fillStyle = C.dim;
  c.textBaseline = "middle";
  c.fillText("whole run", 14, height / 2);
  c.drawImage(overviewPicture, 0, 0, width, height);
  const scale = (width - GUTTER) / (N + TAIL);
  if (V.hits) {
    c.fillStyle = C.hit;
    let last = -1;
    for (const i of V.hits) {
      const x = Math.floor(i * scale);
      if (x !== last) c.fillRect(GUTTER + x, height - 4, 1.5, 4);
      last = x;
    }
  }
  const x0 = GUTTER + Math.max(0, V.left) * scale, x1 = GUTTER + Math.min(N + TAIL, V.left + (V.width - GUTTER) / V.scale) * scale;
  c.fillStyle = C.bg;
  c.globalAlpha = 0.62;
  c.fillRect(GUTTER, 0, x0 - GUTTER, height);
  c.fillRect(x1, 0, width - x1, height);
  c.globalAlpha = 1;
  c.strokeStyle = C.accent;
  c.lineWidth = 1.5;
  c.strokeRect(x0 + 0.75, 0.75, Math.max(3, x1 - x0 - 1.5), height - 1.5);
}

function listenOverview() {
  const canvas = $("overview");
  const go = (event) => {
    const at = ((event.offsetX - GUTTER) / (canvas.clientWidth - GUTTER)) * (N + TAIL);
    V.left = at - (V.width - GUTTER) / V.scale / 2;
    changed();
  };
  canvas.addEventListener("pointerdown", (event) => (canvas.setPointerCapture(event.pointerId), go(event)));
  canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
}
