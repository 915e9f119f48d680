"use strict";
// Draws with WebGL: meshes in a soft light, coloured by body or by value, lines, a grid for the floor.

const VERTEX = `
attribute vec3 position, normal, body;
attribute float value;
uniform mat4 matrix;
varying vec3 at, facing, own;
varying float level;
void main() {
  at = position; facing = normal; own = body; level = value;
  gl_Position = matrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
precision highp float;
uniform vec3 eye, up, keyLight;
uniform sampler2D colours;
uniform float byValue, lit, opacity;
uniform vec4 plain;
varying vec3 at, facing, own;
varying float level;
void main() {
  if (plain.a > 0.0) { gl_FragColor = vec4(plain.rgb * plain.a, plain.a); return; }
  vec3 n = normalize(facing + up * 1e-12), toEye = normalize(eye - at);
  if (dot(n, toEye) < 0.0) n = -n;
  vec3 colour = own;
  if (byValue > 0.5)
    colour = level < -0.5 ? vec3(0.42) : texture2D(colours, vec2(clamp(level, 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
  float sky = 0.5 + 0.5 * dot(n, up), key = max(dot(n, keyLight), 0.0);
  float gloss = pow(max(dot(n, normalize(keyLight + toEye)), 0.0), 40.0);
  vec3 light = colour * (0.26 + 0.24 * sky + 0.62 * key) + vec3(0.07 * gloss);
  float rim = pow(1.0 - abs(dot(n, toEye)), 3.0);
  colour = mix(colour, light + 0.06 * rim, lit);
  float alpha = mix(1.0, opacity * (0.35 + 0.65 * rim), step(opacity, 0.99));
  gl_FragColor = vec4(colour * alpha, alpha);
}`;

class View {
  constructor(canvas) {
    const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
    if (!gl || !gl.getExtension("OES_element_index_uint")) throw new Error("this browser has no WebGL");
    this.gl = gl;
    this.canvas = canvas;
    this.program = this.link(VERTEX, FRAGMENT);
    this.place = (name) => gl.getUniformLocation(this.program, name);
    this.texture = gl.createTexture();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
  }

  link(...sources) {
    const gl = this.gl, program = gl.createProgram();
    sources.forEach((source, i) => {
      const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    });
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  // Buffers for a mesh: what does not change is filled now.
  mesh(points, triangle, bodyColours, lines) {
    const gl = this.gl, names = ["position", "normal", "value", "body"];
    const mesh = { points, triangle, lines, buffer: {} };
    for (const name of names) mesh.buffer[name] = gl.createBuffer();
    mesh.faces = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.faces);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangle, gl.STATIC_DRAW);
    if (lines) {
      mesh.edges = gl.createBuffer();
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.edges);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, lines, gl.STATIC_DRAW);
    }
    this.fill(mesh, "body", bodyColours);
    this.fill(mesh, "value", new Float32Array(points));
    return mesh;
  }

  fill(mesh, name, array) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer[name]);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
  }

  setPositions(mesh, positions) {
    this.fill(mesh, "position", positions);
    this.fill(mesh, "normal", normalsOf(positions, mesh.triangle));
  }

  // Levels are 0 to 1, and -1 where there is no value.
  setValues(mesh, values, low, high) {
    const levels = new Float32Array(values.length), scale = 1 / (high - low);
    for (let i = 0; i < values.length; i++)
      levels[i] = Number.isNaN(values[i]) ? -1 : Math.min(Math.max((values[i] - low) * scale, 0), 1);
    this.fill(mesh, "value", levels);
  }

  setColours(table) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
  }

  begin(camera) {
    const gl = this.gl, canvas = this.canvas, dense = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * dense)), height = Math.max(1, Math.round(canvas.clientHeight * dense));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const a = camera.axes();
    gl.uniformMatrix4fv(this.place("matrix"), false, camera.matrix(width / height));
    gl.uniform3fv(this.place("eye"), camera.eye());
    gl.uniform3fv(this.place("up"), camera.up);
    gl.uniform3fv(this.place("keyLight"), unit(plus(plus(times(0.45, a.back), times(-0.5, a.right)), times(0.75, camera.up))));
  }

  attach(mesh) {
    const gl = this.gl;
    for (const [name, size] of [["position", 3], ["normal", 3], ["value", 1], ["body", 3]]) {
      const at = gl.getAttribLocation(this.program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer[name]);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    }
  }

  // look: byValue, lit, opacity
  draw(mesh, look) {
    const gl = this.gl, sheer = look.opacity < 1;
    this.attach(mesh);
    gl.uniform4f(this.place("plain"), 0, 0, 0, 0);
    gl.uniform1f(this.place("byValue"), look.byValue ? 1 : 0);
    gl.uniform1f(this.place("lit"), look.lit);
    gl.uniform1f(this.place("opacity"), look.opacity);
    gl.depthMask(!sheer);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.faces);
    gl.drawElements(gl.TRIANGLES, mesh.triangle.length, gl.UNSIGNED_INT, 0);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (mesh.edges) this.drawLines(mesh, [0, 0, 0, 0.55]);
  }

  drawLines(mesh, colour) {
    const gl = this.gl;
    this.attach(mesh);
    gl.uniform4f(this.place("plain"), ...colour);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.edges);
    gl.drawElements(gl.LINES, mesh.lines.length, gl.UNSIGNED_INT, 0);
  }

  // Lines on a plane through `middle`, across `right` and `front`, so wide.
  grid(middle, right, front, width) {
    const step = 10 ** Math.floor(Math.log10(width / 4)), n = Math.ceil(width / 2 / step), points = [];
    for (let i = -n; i <= n; i++)
      for (const [along, across] of [[right, front], [front, right]])
        for (const end of [-n, n]) points.push(...plus(middle, plus(times(i * step, across), times(end * step, along))));
    const count = points.length / 3, lines = Uint32Array.from({ length: count }, (_, i) => i);
    const mesh = this.mesh(count, new Uint32Array(0), new Float32Array(points.length), lines);
    this.fill(mesh, "position", new Float32Array(points));
    this.fill(mesh, "normal", new Float32Array(points.length));
    return mesh;
  }
}

// Means over the triangles around each point, by area.
function normalsOf(positions, triangle) {
  const normals = new Float32Array(positions.length), p = positions;
  for (let t = 0; t < triangle.length; t += 3) {
    const a = 3 * triangle[t], b = 3 * triangle[t + 1], c = 3 * triangle[t + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const i of [a, b, c]) {
      normals[i] += nx;
      normals[i + 1] += ny;
      normals[i + 2] += nz;
    }
  }
  // Of any length: the shader makes them 1, which small ones would not survive in single precision.
  let most = 0;
  for (const x of normals) most = Math.max(most, Math.abs(x));
  if (most > 0) for (let i = 0; i < normals.length; i++) normals[i] /= most;
  return normals;
}
