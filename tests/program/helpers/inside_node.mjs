/* What two programs that are not ours make of a USD stage, as JSON:

    node inside_node.mjs PACKAGES STAGE.usda

PACKAGES is a folder with the npm packages three and tinyusdz. `three` is how the parser of three.js
reads it. `tinyusdz`, a reader in C++ for browsers, is strict about types; `retold` is what it read,
written by it again and read by three.js, `head` the text before its prims, which three.js skips in
part; `drawn` has the meshes that it would draw at first. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packages, stage] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.resolve(packages, file)));

async function readByThree(text) {
  const { USDAParser } = await load("three/examples/jsm/loaders/usd/USDAParser.js");
  return new USDAParser().parseData(text).specsByPath;
}

/* It takes nothing but a browser for one. */
async function startTinyusdz() {
  const wasm = await readFile(path.join(packages, "tinyusdz/tinyusdz.wasm"));
  const initialise = (await load("tinyusdz/tinyusdz.js")).default;
  const { process, fetch } = globalThis;
  const page = { window: globalThis, process: undefined, fetch: async () =>
    new Response(wasm, { headers: { "Content-Type": "application/wasm" } }) };
  Object.assign(globalThis, page);
  const tinyusdz = await initialise();
  Object.assign(globalThis, { window: undefined, process, fetch });
  return tinyusdz;
}

async function readByTinyusdz(bytes) {
  const { TinyUSDZLoaderNative } = await startTinyusdz();
  const layer = new TinyUSDZLoaderNative(), scene = new TinyUSDZLoaderNative();
  if (!layer.loadAsLayerFromBinary(bytes, stage) || !scene.loadFromBinary(bytes, stage))
    throw new Error(layer.error() + scene.error());
  const drawn = Array.from({ length: scene.numMeshes() }, (_, i) => {
    const { absPath, points, faceVertexCounts, faceVertexIndices } = scene.getMesh(i);
    return { absPath, points: [...points], faceVertexCounts: [...faceVertexCounts],
             faceVertexIndices: [...faceVertexIndices] };
  });
  const text = layer.layerToString();
  return { head: text.slice(0, text.indexOf("def ")), retold: await readByThree(text), drawn };
}

const bytes = await readFile(stage);
const made = { three: await readByThree(bytes.toString()), tinyusdz: await readByTinyusdz(bytes) };
process.stdout.write(JSON.stringify(made));
