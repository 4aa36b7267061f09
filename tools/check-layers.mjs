#!/usr/bin/env node
// Fails when a package imports what its row does not allow, when core code reaches for Node.js, another package's
// inside, real time or real chance, or when modules import each other in a circle.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const words = ['base', 'apimachinery', 'api'];
const seams = ['store', 'apiserver', 'client', 'cri', 'kubelet'];
const components = ['scheduler', 'controllers', 'kubelet', 'simulation'];
/** @type {Record<string, { may: string[], nodejs?: true }>} */
const layers = {
  base: { may: [] },
  apimachinery: { may: ['base'] },
  api: { may: ['base', 'apimachinery'] },
  store: { may: ['base'] },
  apiserver: { may: [...words, 'store'] },
  client: { may: words },
  'controller-runtime': { may: [...words, 'client'] },
  scheduler: { may: [...words, 'client'] },
  controllers: { may: [...words, 'client'] },
  cri: { may: ['base'] },
  kubelet: { may: [...words, 'client', 'cri'] },
  simulation: { may: [...words, 'client', 'cri', 'kubelet'] },
  'control-plane': { may: [...words, 'store', 'apiserver', 'client', ...components] },
  'platform-nodejs': { may: [...words, ...seams], nodejs: true },
  cluster: { may: [...words, ...seams, 'control-plane', 'platform-nodejs'], nodejs: true },
  testing: { may: [...words, ...seams, ...components, 'controller-runtime', 'control-plane', 'cluster'], nodejs: true },
  coracle: {
    may: [...words, ...seams, 'cluster', 'platform-nodejs'],
    nodejs: true,
  },
};
const bannedInCore =
  /\b(Date\.now\(|new Date\(\)|setTimeout\(|setInterval\(|setImmediate\(|Math\.random\(|process\.|Buffer\.)/;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const problems = [];
/** Module → the modules of its own package that it imports. */
const imports = new Map();

for (const [name, layer] of Object.entries(layers)) {
  const folder = join(root, name === 'coracle' ? 'apps' : 'packages', name, 'src');
  for (const file of sourcesIn(folder)) checkFile({ name, layer, file });
}
for (const cycle of cycles()) problems.push(`import cycle: ${cycle.join(' → ')}`);

for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `layers hold in ${imports.size} files` : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function checkFile({ name, layer, file }) {
  const text = readFileSync(file, 'utf8');
  const where = relative(root, file);
  const test = /\.(test|bench)\.ts$/.test(file);
  const own = [];
  for (const [, specifier] of text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*)?from\s*['"]([^'"]+)['"]/g,
  )) {
    if (specifier.startsWith('.')) own.push(resolve(dirname(file), specifier).replace(/\.js$/, '.ts'));
    else if (specifier.startsWith('@coracle/')) checkPackage(specifier, { name, layer, where, test });
    else if (specifier.startsWith('node:') && !layer.nodejs && !test)
      problems.push(`${where}: imports ${specifier} in core`);
  }
  imports.set(file, test ? [] : own);
  if (layer.nodejs || test || file.includes('/generated/')) return;
  text.split('\n').forEach((line, index) => {
    const code = line.replace(/^\s*(\/?\*|\/\/).*/, '').replace(/`[^`]*`|'[^']*'/g, '');
    const match = bannedInCore.exec(code);
    if (match) problems.push(`${where}:${index + 1}: ${match[1]} in core: take a Clock, a Random or a seam`);
  });
}

function checkPackage(specifier, { name, layer, where, test }) {
  const [, target, ...inside] = specifier.split('/');
  if (inside.length > 0) problems.push(`${where}: reaches into another package: ${specifier}`);
  if (target === name || layer.may.includes(target)) return;
  if (test) return;
  problems.push(`${where}: ${name} may not import ${target}`);
}

function* sourcesIn(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder);
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) yield* sourcesIn(path);
    else if (/\.tsx?$/.test(path)) yield path;
  }
}

function* cycles() {
  const state = new Map();
  for (const file of imports.keys()) yield* visit(file, []);
  function* visit(file, trail) {
    if (state.get(file) === 'done' || !imports.has(file)) return;
    if (state.get(file) === 'open') {
      yield [...trail.slice(trail.indexOf(file)), file].map((one) => relative(root, one));
      return;
    }
    state.set(file, 'open');
    for (const next of imports.get(file)) yield* visit(next, [...trail, file]);
    state.set(file, 'done');
  }
}
