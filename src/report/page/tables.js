"use strict";
// timing.csv, memory and texts. All that was read goes into the page as text, never as markup.

// Of as many as there may be: a call with a million arguments fails.
const largest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

const make = (name, parent, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  parent?.append(element);
  return element;
};

function panel(parent, title, wide) {
  const box = make("div", parent, undefined, wide ? "panel wide" : "panel");
  make("h2", box, title);
  return make("div", box, undefined, "scroll");
}

// `share`: the column that a bar is drawn for.
function makeTable(parent, head, rows, share) {
  const table = make("table", parent), top = make("tr", make("thead", table)), body = make("tbody", table);
  for (const name of head) make("th", top, name);
  const most = largest(rows.map((row) => Number(row[share]) || 0));
  for (const row of rows) {
    const line = make("tr", body);
    row.forEach((cell, c) => {
      const number = cell !== "" && Number.isFinite(Number(cell)), at = make("td", line, number ? shortNumber(Number(cell)) : cell);
      if (c !== share || !(most > 0)) return;
      at.className = "share";
      make("i", at).style.transform = `scaleX(${(Number(cell) || 0) / most})`;
    });
  }
}

// Rows of timing.csv are phases in seconds, then memory: those named memory/... are megabytes.
function showTiming(text, parent) {
  const [head, ...rows] = rowsOf(text);
  if (!head) return;
  const isMemory = (row) => /^memory\//.test(row[0]);
  const phases = rows.filter((row) => !isMemory(row)), memory = rows.filter(isMemory);
  const worst = Math.max(head.findIndex((name) => /max|most/.test(name)), 1);
  const sorted = (list) => list.slice().sort((a, b) => Number(b[worst]) - Number(a[worst]));
  if (phases.length) makeTable(panel(parent, "Seconds by phase"), head, sorted(phases), worst);
  const named = sorted(memory).map((row) => [row[0].replace(/^memory\//, "").replace(/ MB$/, ""), ...row.slice(2, 5)]);
  if (named.length) makeTable(panel(parent, "Memory of a rank at its peak, MB"), ["what", "least", "average", "most"], named, 3);
}

function showDiagnosis(text, parent) {
  const [head, ...rows] = rowsOf(text);
  if (rows.length) makeTable(panel(parent, "What went wrong", true), head, rows, -1);
}

function showTexts(texts, parent) {
  for (const [title, text] of [["Scene", texts.scene], ["Log", texts.log]]) {
    if (!text) continue;
    const details = make("details", parent, undefined, "panel");
    make("summary", details, title);
    make("pre", details, text);
  }
}

function showFacts(about, columns, parent) {
  const fact = (value, name, bad) => {
    const box = make("div", parent, undefined, bad ? "bad" : "");
    make("b", box, value);
    make("span", box, name);
  };
  const sum = (values = []) => values.reduce((a, b) => a + (Number.isFinite(b) ? b : 0), 0);
  const surface = about.clips.find((clip) => clip.id === "surface");
  fact(String(columns.frame?.length ?? about.framesThere), "frames");
  if (surface) fact(surface.fullTriangles.toLocaleString("en"), "triangles");
  if (columns.seconds) fact(timeText(sum(columns.seconds)), "computed in");
  if (columns.residual?.length) fact(shortNumber(largest(columns.residual.filter(Number.isFinite))), "worst residual");
  const inverted = (columns.inverted ?? []).filter((n) => n > 0).length;
  if (inverted) fact(String(inverted), "frames with inverted elements", true);
}

function timeText(seconds) {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
