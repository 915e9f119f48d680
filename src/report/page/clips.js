"use strict";
// The frames as the program packed them (src/report/clip.h), unpacked as they are asked for.

const NO_VALUE = 65535, MOST_CODE = 65534;

function bytesOf(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Little-endian, whatever this machine is.
function numbers16(bytes) {
  const view = new DataView(bytes.buffer), out = new Uint16Array(bytes.length >> 1);
  for (let i = 0; i < out.length; i++) out[i] = view.getUint16(2 * i, true);
  return out;
}

function numbers32(bytes) {
  const view = new DataView(bytes.buffer), out = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < out.length; i++) out[i] = view.getUint32(4 * i, true);
  return out;
}

class Clip {
  constructor(about) {
    Object.assign(this, about);
    this.triangle = numbers32(bytesOf(this.id + "-mesh"));
    this.codes = new Array(this.frames.length);
    this.indexOf = new Map(this.frames.map((frame, i) => [frame.frame, i]));
  }

  codesOf(i) {
    if (!this.codes[i]) {
      const element = document.getElementById(`${this.id}-${i}`);
      this.codes[i] = numbers16(bytesOf(element.id));
      element.remove(); // it is not needed twice
    }
    return this.codes[i];
  }

  // x, y, z of each point of a frame.
  positions(i, out = new Float32Array(3 * this.points)) {
    const codes = this.codesOf(i), box = this.frames[i].box;
    for (let d = 0; d < 3; d++) {
      const low = box[d][0] ?? 0, step = ((box[d][1] ?? 0) - low) / MOST_CODE;
      for (let p = 0; p < this.points; p++) out[3 * p + d] = low + step * codes[3 * p + d];
    }
    return out;
  }

  // The values of a field at each point; NaN where there is none.
  values(i, field, out = new Float32Array(this.points)) {
    const codes = this.codesOf(i), n = this.points / this.aValue;
    const [low, high] = this.frames[i].ranges[field];
    const from = 3 * this.points + field * n, step = (high - low) / MOST_CODE;
    for (let p = 0; p < this.points; p++) {
      const code = codes[from + Math.floor(p / this.aValue)];
      out[p] = code === NO_VALUE ? NaN : low + step * code;
    }
    return out;
  }
}

// What can be said of any clip from its positions alone.
const computed = {
  moved: {
    label: "distance from the first frame", units: "length",
    values(clip, i) {
      clip.firstPositions ??= clip.positions(0);
      return lengths(clip.points, clip.positions(i), clip.firstPositions, 1);
    },
  },
  speed: {
    label: "speed between frames", units: "length/s",
    values(clip, i) {
      const before = Math.max(i - 1, 0), after = Math.max(i, Math.min(1, clip.frames.length - 1));
      const span = clip.frames[after].time - clip.frames[before].time;
      return lengths(clip.points, clip.positions(after), clip.positions(before), span > 0 ? 1 / span : 0);
    },
  },
};

function lengths(n, a, b, scale) {
  const out = new Float32Array(n);
  for (let p = 0; p < n; p++)
    out[p] = scale * Math.hypot(a[3 * p] - b[3 * p], a[3 * p + 1] - b[3 * p + 1], a[3 * p + 2] - b[3 * p + 2]);
  return out;
}

// A field by the name that the page gives it: "moved", "speed", or one of the frames' own.
function valuesOf(clip, i, name) {
  if (computed[name]) return computed[name].values(clip, i);
  const field = clip.fields.findIndex((f) => "field:" + f.name === name);
  return field < 0 ? null : clip.values(i, field);
}
