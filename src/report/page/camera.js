"use strict";
// A camera that turns about a point. Matrices are column by column, as WebGL wants them.

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (s, a) => a.map((x) => s * x);
const plus = (a, b) => a.map((x, i) => x + b[i]);
const unit = (a) => times(1 / (Math.hypot(...a) || 1), a);

class Camera {
  // `up` is an axis of length 1; `box` has the lowest and the highest corner of what is to be seen.
  constructor(up, box) {
    this.up = up;
    this.right = unit(Math.abs(up[1]) > 0.7 ? cross(up, [0, 0, 1]) : cross(up, [0, -1, 0]));
    this.front = cross(this.right, up);
    this.home = { target: times(0.5, plus(box[0], box[1])), size: Math.hypot(...plus(box[1], times(-1, box[0]))) || 1 };
    this.reset();
  }

  reset() {
    this.target = this.home.target.slice();
    this.distance = 1.1 * this.home.size;
    this.turn = 0.62;
    this.rise = 0.28;
  }

  axes() {
    const level = plus(times(Math.sin(this.turn), this.right), times(Math.cos(this.turn), this.front));
    const back = plus(times(Math.cos(this.rise), level), times(Math.sin(this.rise), this.up));
    const right = unit(cross(this.up, level));
    return { back, right, up: cross(back, right) };
  }

  eye() { return plus(this.target, times(this.distance, this.axes().back)); }

  orbit(dx, dy) {
    this.turn -= 0.008 * dx;
    this.rise = Math.min(Math.max(this.rise + 0.008 * dy, -1.5), 1.5);
  }

  move(dx, dy, height) {
    const a = this.axes(), scale = (0.7 * this.distance) / height;
    this.target = plus(this.target, plus(times(-scale * dx, a.right), times(scale * dy, a.up)));
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 0.02 * this.home.size), 20 * this.home.size);
  }

  // Projection times view.
  matrix(aspect) {
    const a = this.axes(), eye = this.eye(), f = 1 / 0.35;
    const near = 0.01 * this.distance, far = this.distance + 20 * this.home.size;
    const rows = [a.right, a.up, a.back].map((axis) => [...axis, -dot(axis, eye)]);
    const c = (far + near) / (near - far), d = (2 * far * near) / (near - far);
    const out = new Float32Array(16);
    for (let column = 0; column < 4; column++) {
      out[4 * column] = (f / aspect) * rows[0][column];
      out[4 * column + 1] = f * rows[1][column];
      out[4 * column + 2] = c * rows[2][column] + (column === 3 ? d : 0);
      out[4 * column + 3] = -rows[2][column];
    }
    return out;
  }
}

// Mouse, pen and fingers; `changed` is called after each move.
function listen(canvas, camera, changed) {
  const pointers = new Map();
  const apart = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y) || 1;
  };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y, before = pointers.size === 2 ? apart() : 0;
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (pointers.size === 2) {
      camera.zoom(before / apart());
      camera.move(dx / 2, dy / 2, canvas.clientHeight);
    } else if (e.shiftKey || e.buttons & 6) camera.move(dx, dy, canvas.clientHeight);
    else camera.orbit(dx, dy);
    changed();
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    camera.zoom(Math.exp(0.001 * Math.max(-300, Math.min(300, e.deltaY))));
    changed();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    changed();
  });
}
