"use strict";
// Colours of values: light rises all the way for sizes, and away from the middle for what has one.

const RISING = ["#20245c", "#24518f", "#2f81a3", "#4daf98", "#93cf7e", "#e3e47a", "#fdf6c8"];
const APART = ["#3b6fd4", "#7fa6e6", "#c3d0e4", "#dcdcda", "#ecc0a6", "#df8262", "#bd3b35"];
const BODIES = [[0.84, 0.66, 0.56], [0.56, 0.66, 0.75], [0.73, 0.7, 0.5], [0.66, 0.56, 0.72], [0.53, 0.69, 0.6], [0.79, 0.54, 0.52]];

// The middle of values that spread around one.
const MIDDLES = { "field:pressure": 0, "field:det_f": 1 };

function mixed(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
  const channel = (stop, c) => parseInt(stops[stop].slice(1 + 2 * c, 3 + 2 * c), 16);
  return [0, 1, 2].map((c) => channel(i, c) + (at - i) * (channel(i + 1, c) - channel(i, c)));
}

// 256 colours, four bytes each.
function colourTable(name) {
  const table = new Uint8Array(4 * 256), stops = name in MIDDLES ? APART : RISING;
  for (let i = 0; i < 256; i++) table.set([...mixed(stops, i / 255), 255], 4 * i);
  return table;
}

// Ends that lie evenly about the middle, where there is one; never equal.
function colourRange(name, low, high) {
  if (!(low <= high)) return [0, 1];
  if (name in MIDDLES) {
    const middle = MIDDLES[name], far = Math.max(high - middle, middle - low) || 1;
    return [middle - far, middle + far];
  }
  if (low > 0 && low < 0.5 * high) low = 0;
  return low < high ? [low, high] : [low, low + (Math.abs(low) || 1)];
}

function shortNumber(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? x.toExponential(2) : String(+x.toPrecision(4));
}
