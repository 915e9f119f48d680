"use strict";
// Puts the page together: what is shown, and when. The address may say how it begins:
// #frame=12&field=moved&slice=slice-z&surface=sheer&play

const byId = (id) => document.getElementById(id);

function trouble(message) {
  byId("trouble").hidden = false;
  byId("trouble").textContent = message;
  document.documentElement.dataset.state = "failed";
}

const wished = new URLSearchParams(location.hash.slice(1));

// The scene says where up is: against gravity, along an axis.
function upOf(scene) {
  const found = /^gravity:\s*\[([^\]]*)\]/m.exec(scene ?? "");
  const g = found ? found[1].split(",").map(Number) : [];
  const down = g.findIndex((x) => Math.abs(x) > 0.7 * Math.hypot(...g));
  return g.length === 3 && down >= 0 ? [0, 1, 2].map((d) => (d === down ? -Math.sign(g[d]) : 0)) : [0, 1, 0];
}

function boundsOf(clip) {
  const end = (which, pick) => [0, 1, 2].map((d) =>
    clip.frames.map((frame) => frame.box[d][which] ?? 0).reduce((a, b) => pick(a, b)));
  return [end(0, Math.min), end(1, Math.max)];
}

class Player {
  constructor(about, columns) {
    this.clips = about.clips.map((one) => new Clip(one));
    this.surface = this.clips.find((clip) => clip.id === "surface");
    this.frames = this.surface.frames;
    this.fps = about.fps || 24;
    this.index = 0;
    this.ranges = new Map();
    const up = upOf(about.texts.scene), box = boundsOf(this.surface);
    this.camera = new Camera(up, box);
    this.view = new View(byId("canvas"));
    for (const clip of this.clips) this.prepare(clip);
    this.floor = this.layFloor(up, box);
    this.fillControls();
    listen(byId("canvas"), this.camera, () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(byId("stage"));
    this.plots = makePlots(columns, byId("plots"), (frame) => this.showFrame(frame));
  }

  prepare(clip) {
    const colours = new Float32Array(3 * clip.points).fill(0.7);
    (clip.bodies ?? []).forEach((body, b) => {
      const end = clip.bodies[b + 1]?.firstTriangle ?? clip.triangles;
      for (let i = 3 * body.firstTriangle; i < 3 * end; i++)
        colours.set(BODIES[b % BODIES.length], 3 * clip.triangle[i]);
    });
    let lines = null;
    if (clip.aValue === 4) {
      lines = new Uint32Array(2 * clip.points);
      for (let p = 0; p < clip.points; p++) lines.set([p, p % 4 === 3 ? p - 3 : p + 1], 2 * p);
    }
    clip.mesh = this.view.mesh(clip.points, clip.triangle, colours, lines);
  }

  layFloor(up, box) {
    const axis = up.findIndex((x) => x !== 0), middle = times(0.5, plus(box[0], box[1]));
    middle[axis] = box[up[axis] > 0 ? 0 : 1][axis];
    return this.view.grid(middle, this.camera.right, this.camera.front, 1.6 * this.camera.home.size);
  }

  // ---- Controls ----

  fillControls() {
    const field = byId("field"), add = (value, text) => make("option", field, text).value = value;
    add("", "bodies");
    for (const name of Object.keys(computed)) add(name, computed[name].label);
    const own = new Set(this.clips.flatMap((clip) => clip.fields.map((f) => f.name)));
    for (const name of own) add("field:" + name, name.replaceAll("_", " "));
    for (const clip of this.clips.filter((c) => c !== this.surface))
      make("option", byId("slice"), `across ${clip.id.slice(-1)}`).value = clip.id;
    byId("slice-label").hidden = this.clips.length < 2;
    this.choose("field", wished.has("field") ? wished.get("field") : own.has("von_mises") ? "" : "");
    this.choose("slice", wished.get("slice"));
    this.choose("surface-look", wished.get("surface") ?? (byId("slice").value ? "sheer" : "solid"));
    byId("scrub").max = this.frames.length - 1;
    byId("scrub").addEventListener("input", () => this.show(Number(byId("scrub").value)));
    byId("play").addEventListener("click", () => this.toggle());
    for (const id of ["field", "range", "surface-look", "slice"])
      byId(id).addEventListener("change", () => {
        if (id === "slice") byId("surface-look").value = byId("slice").value ? "sheer" : "solid";
        this.show(this.index);
      });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  choose(id, value) {
    if ([...byId(id).options].some((option) => option.value === value)) byId(id).value = value;
  }

  key(event) {
    if (/^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName) && event.key === " ") return;
    if (event.target.tagName === "SELECT") return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === " ") this.toggle();
    else if (step && event.target.id !== "scrub") this.show((this.index + step + this.frames.length) % this.frames.length);
    else return;
    event.preventDefault();
  }

  // ---- Frames ----

  // The frame with this number, or the next one that the page has.
  showFrame(number) {
    const found = this.frames.findIndex((frame) => frame.frame >= number);
    this.show(found < 0 ? this.frames.length - 1 : found);
  }

  show(index) {
    this.index = index;
    const frame = this.frames[index];
    this.shown = this.clips.filter((clip) => clip === this.surface ? byId("surface-look").value !== "none" : clip.id === byId("slice").value)
      .filter((clip) => clip.indexOf.has(frame.frame));
    for (const clip of this.shown) this.view.setPositions(clip.mesh, clip.positions(clip.indexOf.get(frame.frame)));
    this.colour(frame);
    byId("scrub").value = index;
    byId("moment").textContent = `frame ${frame.frame} · ${frame.time.toFixed(3)} s`;
    document.documentElement.dataset.frame = frame.frame;
    for (const plot of this.plots) plot.show(frame.frame);
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    this.view.begin(this.camera);
    this.view.drawLines(this.floor, [1, 1, 1, 0.09]);
    const sheer = byId("surface-look").value === "sheer", byValue = this.coloured;
    for (const clip of this.shown.slice().reverse()) // cells before the surface, which one may look through
      this.view.draw(clip.mesh, { byValue: byValue.has(clip), lit: clip === this.surface ? 1 : 0.35, opacity: clip === this.surface && sheer ? 0.45 : 1 });
  }

  // ---- Colours ----

  colour(frame) {
    const name = byId("field").value;
    this.coloured = new Set();
    byId("legend").hidden = true;
    if (!name) return this.colourSlices(frame);
    const values = this.shown.map((clip) => [clip, valuesOf(clip, clip.indexOf.get(frame.frame), name)]).filter(([, v]) => v);
    this.paint(name, values);
  }

  // Cells have the colour of their size while bodies have their own.
  colourSlices(frame) {
    const slices = this.shown.filter((clip) => clip !== this.surface);
    this.paint("field:cell_size", slices.map((clip) => [clip, valuesOf(clip, clip.indexOf.get(frame.frame), "field:cell_size")]));
  }

  paint(name, values) {
    if (!values.length) return;
    const [low, high] = colourRange(name, ...this.rangeOf(name, values));
    this.view.setColours(colourTable(name));
    for (const [clip, v] of values) {
      this.view.setValues(clip.mesh, v, low, high);
      this.coloured.add(clip);
    }
    this.showLegend(name, low, high);
  }

  rangeOf(name, values) {
    const which = byId("range").value;
    if (which === "frame") return extremes(values.map(([, v]) => v), 0);
    const key = [name, which, ...values.map(([clip]) => clip.id)].join();
    if (!this.ranges.has(key)) {
      const all = values.flatMap(([clip]) => clip.frames.map((_, i) => valuesOf(clip, i, name)));
      this.ranges.set(key, extremes(all, which === "robust" ? 0.01 : 0));
    }
    return this.ranges.get(key);
  }

  showLegend(name, low, high) {
    const own = this.clips.flatMap((clip) => clip.fields).find((f) => "field:" + f.name === name);
    const units = computed[name]?.units ?? own?.units ?? "";
    byId("legend").hidden = false;
    byId("legend-name").textContent = (computed[name]?.label ?? own.name.replaceAll("_", " ")) + (units && units !== "1" ? `, ${units}` : "");
    [["low", low], ["middle", (low + high) / 2], ["high", high]].forEach(([end, v]) => (byId("legend-" + end).textContent = shortNumber(v)));
    const context = byId("legend-bar").getContext("2d"), image = context.createImageData(256, 1);
    image.data.set(colourTable(name));
    context.putImageData(image, 0, 0);
  }

  // ---- Time ----

  toggle() {
    this.playing = !this.playing;
    byId("play").textContent = this.playing ? "Pause" : "Play";
    this.since = undefined;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  // Frames come at the shot's own times; the last one stays as long as the one before.
  tick(now) {
    if (!this.playing) return;
    const start = this.frames[0].time, end = this.frames[this.frames.length - 1].time + 1 / this.fps;
    const elapsed = this.since === undefined ? 0 : ((now - this.since) / 1000) * Number(byId("speed").value);
    this.since = now;
    this.clock = this.since === undefined || elapsed === 0 ? this.frames[this.index].time : this.clock + elapsed;
    if (this.clock >= end) this.clock = start + ((this.clock - start) % (end - start));
    let index = 0;
    while (index + 1 < this.frames.length && this.frames[index + 1].time <= this.clock + 1e-9) index++;
    if (index !== this.index) this.show(index);
    requestAnimationFrame((next) => this.tick(next));
  }
}

// Lowest and highest of many arrays; `without` a part of the values at the top.
function extremes(arrays, without) {
  let low = Infinity, high = -Infinity;
  for (const array of arrays)
    for (const v of array) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  if (!(high > low) || !without) return [low, high];
  const bins = new Float64Array(1024), scale = (bins.length - 1) / (high - low);
  let n = 0;
  for (const array of arrays)
    for (const v of array)
      if (v === v) {
        bins[Math.floor((v - low) * scale)]++;
        n++;
      }
  let top = bins.length - 1;
  for (let left = without * n; top > 0 && (left -= bins[top]) > 0; ) top--;
  return [low, low + (top + 1) / scale];
}

function describe(about) {
  const name = /^name:\s*(.+)$/m.exec(about.texts.scene ?? "")?.[1].replace(/^["']|["']$/g, "") || about.folder;
  document.title = `${name} – Sinew`;
  byId("title").textContent = name;
  byId("subtitle").textContent = `simulated with Sinew ${about.version || about.reporter}` + (about.bodies ? ` · ${about.bodies}` : "");
  byId("footer").textContent = `Written by sinew report ${about.reporter}. Everything is in this file: it needs no network.`;
  const surface = about.clips.find((clip) => clip.id === "surface"), notes = [];
  if (surface && surface.gridEdge > 0)
    notes.push(`The surface is thinned here from ${surface.fullTriangles.toLocaleString("en")} to ${surface.triangles.toLocaleString("en")} triangles (points that share a cube of ${shortNumber(surface.gridEdge)} are one).`);
  if (surface && surface.frames.length < about.framesThere)
    notes.push(`${surface.frames.length} of ${about.framesThere} frames are in this page.`);
  byId("reduced").textContent = notes.join(" ");
}

function start() {
  const about = JSON.parse(byId("about").textContent), columns = columnsOf(about.texts.frames);
  about.bodies = about.clips.find((clip) => clip.id === "surface")?.bodies.map((body) => body.name).join(", ");
  describe(about);
  showFacts(about, columns, byId("facts"));
  showDiagnosis(about.texts.diagnosis, byId("tables"));
  showTiming(about.texts.timing, byId("tables"));
  showTexts(about.texts, byId("texts"));
  if (about.clips.length) {
    byId("viewer").hidden = false;
    try {
      const player = new Player(about, columns);
      player.showFrame(Number(wished.get("frame") ?? -Infinity));
      if (wished.has("play")) player.toggle();
      window.player = player;
    } catch (error) {
      byId("viewer").hidden = true;
      trouble(`The surface can't be shown: ${error.message}`);
      makePlots(columns, byId("plots"), () => {});
      return;
    }
  } else makePlots(columns, byId("plots"), () => {});
  document.documentElement.dataset.state = "ready";
}

window.addEventListener("error", (event) => trouble(String(event.message)));
start();
