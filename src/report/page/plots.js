"use strict";
// Plots of the columns of frames.csv: SVG, made here. A click goes to the frame.

const PLOT = { width: 400, height: 170, left: 52, right: 8, top: 8, bottom: 20 };
const INKS = ["#e0a96d", "#6fb1d6", "#9ccf8a"];

// Which columns go together. `log`: decades; what is zero there is left out.
const PLOTS = [
  { title: "Residual", columns: { residual: "residual" }, log: true },
  { title: "Iterations", columns: { newton: "Newton", linear: "linear" }, log: true },
  { title: "Energies", columns: { elastic_energy: "elastic", kinetic_energy: "kinetic", contact_energy: "contact" } },
  { title: "Volume", columns: { volume: "volume" } },
  { title: "Penetration", columns: { max_penetration: "deepest contact" } },
  { title: "Bones", columns: { bone_error: "farthest from its bone" } },
  { title: "Least determinant", columns: { min_det_f: "least det F" } },
  { title: "Inverted elements", columns: { inverted: "inverted" } },
  { title: "Friction beyond Coulomb's limit", columns: { friction_excess: "excess" } },
  { title: "Seconds a frame", columns: { seconds: "seconds" } },
];

function rowsOf(text) {
  return (text ?? "").split("\n").filter((line) => line !== "").map((line) => line.split(","));
}

// Columns by name, as numbers.
function columnsOf(text) {
  const [names = [], ...rows] = rowsOf(text);
  return Object.fromEntries(names.map((name, c) => [name, rows.map((row) => (row[c] === "" ? NaN : Number(row[c])))]));
}

const svgElement = (name, attributes, parent, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
};

// Round numbers, some four of them, from low to high.
function ticks(low, high) {
  const rough = (high - low) / 3, power = 10 ** Math.floor(Math.log10(rough)), out = [];
  const step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
  return out;
}

function decades(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)), every = Math.ceil((last - first) / 4) || 1;
  const out = [];
  for (let e = first; e <= last; e += every) out.push(10 ** e);
  return out;
}

function scaleOf(plot, columns) {
  const values = Object.keys(plot.columns).flatMap((name) => columns[name] ?? [])
    .filter((v) => Number.isFinite(v) && (!plot.log || v > 0));
  if (values.length === 0) return null;
  let low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  if (plot.log) {
    const marks = decades(low, high > low ? high : 10 * low);
    low = Math.min(low, marks[0]);
    high = Math.max(high, marks[marks.length - 1]);
    return { marks, part: (v) => Math.log(v / low) / Math.log(high / low || 10) };
  }
  if (low >= 0 && low < 0.7 * high) low = 0;
  const air = (high - low || Math.abs(high) || 1) * 0.06;
  const bottom = low === 0 ? 0 : low - air, top = high + air;
  return { marks: ticks(bottom, top), part: (v) => (v - bottom) / (top - bottom) };
}

// What a plot looks like is fixed once; `show(frame)` moves its line and its numbers.
class Plot {
  constructor(plot, columns, scale, parent, goTo) {
    const frames = columns.frame, first = frames[0], last = frames[frames.length - 1];
    this.frames = frames;
    this.series = Object.entries(plot.columns).filter(([name]) => columns[name]).map(([name, label]) => ({ label, values: columns[name] }));
    this.box = PLOT;
    this.x = (frame) => PLOT.left + (last > first ? (frame - first) / (last - first) : 0.5) * (PLOT.width - PLOT.left - PLOT.right);
    const y = (v) => PLOT.height - PLOT.bottom - scale.part(v) * (PLOT.height - PLOT.top - PLOT.bottom);
    const panel = document.createElement("div"), title = document.createElement("h2");
    panel.className = "panel plot";
    title.append(plot.title, (this.output = document.createElement("output")));
    const svg = svgElement("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": plot.title });
    this.axes(svg, scale, y, first, last);
    this.series.forEach((one, i) => this.line(svg, one.values, plot.log, y, INKS[i]));
    this.now = svgElement("line", { class: "now", y1: PLOT.top, y2: PLOT.height - PLOT.bottom }, svg);
    panel.append(title, svg);
    if (this.series.length > 1) panel.append(this.key());
    parent.append(panel);
    const at = (event) => {
      const box = svg.getBoundingClientRect(), part = ((event.clientX - box.left) / box.width * PLOT.width - PLOT.left) / (PLOT.width - PLOT.left - PLOT.right);
      goTo(Math.round(first + Math.min(Math.max(part, 0), 1) * (last - first)));
    };
    svg.addEventListener("pointerdown", at);
    svg.addEventListener("pointermove", (event) => event.buttons && at(event));
  }

  axes(svg, scale, y, first, last) {
    for (const mark of scale.marks) {
      svgElement("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(mark), y2: y(mark) }, svg);
      svgElement("text", { x: PLOT.left - 6, y: y(mark) + 4, "text-anchor": "end" }, svg, shortNumber(mark));
    }
    const ends = last > first ? [[first, "start"], [last, "end"]] : [[first, "middle"]];
    for (const [frame, anchor] of ends)
      svgElement("text", { x: this.x(frame), y: PLOT.height - 4, "text-anchor": anchor }, svg, `frame ${frame}`);
  }

  // Lines are broken where there is no value; a value alone is a dot.
  line(svg, values, log, y, ink) {
    let run = [];
    const end = () => {
      if (run.length === 1) svgElement("circle", { cx: run[0][0], cy: run[0][1], r: 2.2, fill: ink }, svg);
      else if (run.length) svgElement("polyline", { points: run.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), stroke: ink }, svg);
      run = [];
    };
    values.forEach((v, i) => (Number.isFinite(v) && (!log || v > 0) ? run.push([this.x(this.frames[i]), y(v)]) : end()));
    end();
  }

  key() {
    const key = document.createElement("div");
    key.className = "key";
    this.series.forEach((one, i) => {
      const item = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = INKS[i];
      item.append(mark, one.label);
      key.append(item);
    });
    return key;
  }

  show(frame) {
    const i = this.frames.indexOf(frame);
    this.now.setAttribute("x1", this.x(frame));
    this.now.setAttribute("x2", this.x(frame));
    this.output.textContent = i < 0 ? "" : this.series.map((one) => shortNumber(one.values[i])).join("  ·  ");
  }
}

function makePlots(columns, parent, goTo) {
  if (!columns.frame?.length) return [];
  return PLOTS.map((plot) => [plot, scaleOf(plot, columns)]).filter(([plot, scale]) => scale && !isDull(plot, columns))
    .map(([plot, scale]) => new Plot(plot, columns, scale, parent, goTo));
}

// Nothing but zeros: no contact, no bones.
function isDull(plot, columns) {
  return Object.keys(plot.columns).every((name) => (columns[name] ?? []).every((v) => v === 0));
}
