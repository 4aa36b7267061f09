#!/usr/bin/env node
// Fails when a package imports what its row does not allow or its package.json does not declare, declares a dependency
// that is unused or has no reason in docs/dependencies.md, when core code uses Node.js, internals of another package,
// real time or real randomness, or when modules or folders import each other in a cycle.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderCycles } from './folder-cycles.mjs';

const words = ['base', 'apimachinery', 'api'];
const seams = [
  'store',
  'apiserver',
  'client',
  'cri',
  'cni',
  'proxy',
  'dns',
  'network-policy',
  'ingress',
  'kubelet',
  'kubectl',
];
const components = ['scheduler', 'controllers', 'kubelet'];
/** An edge may use time and randomness; only `nodejs` may import from Node.js.
 * @type {Record<string, { may: string[], nodejs?: true, edge?: true }>} */
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
  kubectl: { may: [...words, 'client'] },
  cri: { may: ['base'] },
  cni: { may: ['base', 'apimachinery'] },
  proxy: { may: [...words, 'client'] },
  dns: { may: [...words, 'client'] },
  'network-policy': { may: [...words, 'client'] },
  ingress: { may: [...words, 'client', 'proxy'] },
  'metrics-server': { may: words },
  kubelet: { may: [...words, 'client', 'cri'] },
  'control-plane': { may: [...words, 'store', 'apiserver', 'client', 'metrics-server', ...components] },
  simulation: {
    may: [
      ...words,
      'apiserver',
      'client',
      'cri',
      'kubelet',
      'control-plane',
      'proxy',
      'dns',
      'network-policy',
      'ingress',
    ],
  },
  'platform-nodejs': { may: [...words, ...seams], nodejs: true },
  'platform-web': { may: [...words, 'client'], edge: true },
  cluster: { may: [...words, ...seams, 'control-plane', 'simulation', 'platform-nodejs'], nodejs: true },
  testing: {
    may: [...words, ...seams, ...components, 'simulation', 'controller-runtime', 'control-plane', 'cluster'],
    nodejs: true,
  },
  coracle: {
    may: [...words, ...seams, 'controller-runtime', 'cluster', 'platform-nodejs', 'platform-web'],
    nodejs: true,
  },
  dashboard: { may: [...words, 'client', 'network-policy', 'platform-web'], edge: true },
};
const apps = ['coracle', 'dashboard'];
const bannedInCore =
  /\b(Date\.now\(|new Date\(\)|setTimeout\(|setInterval\(|setImmediate\(|Math\.random\(|process\.|Buffer\.)/;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
const problems = [];
/** Module → the modules of its own package that it imports. */
const imports = new Map();

for (const name of readdirSync(join(root, 'packages'))) {
  if (!layers[name]) problems.push(`packages/${name}: has no row in the table of layers`);
}
for (const [name, layer] of Object.entries(layers)) {
  const folder = join(root, apps.includes(name) ? 'apps' : 'packages', name);
  const declared = declaredIn(folder);
  for (const one of declared) checkDependency(one, relative(root, folder));
  /** The packages that any file imports, tests too. */
  const used = new Set();
  for (const file of sourcesIn(join(folder, 'src'))) checkFile({ name, layer, file, declared, used });
  for (const one of declared) {
    if (!used.has(one))
      problems.push(`${relative(root, folder)}/package.json: declares ${one}, and nothing imports it`);
  }
}
for (const cycle of cycles()) problems.push(`import cycle: ${cycle.join(' → ')}`);
for (const cycle of folderCycles(relativeImports())) {
  const evidence = cycle.map(({ file, imported }) => `  ${file} imports ${imported}`).join('\n');
  problems.push(`folder cycle: ${[...cycle, cycle[0]].map(({ from }) => from).join(' → ')}\n${evidence}`);
}

for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `layers hold in ${imports.size} files` : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function checkFile({ name, layer, file, declared, used }) {
  const text = readFileSync(file, 'utf8');
  const where = relative(root, file);
  const test = /\.(test|bench|fixture)\.ts$/.test(file);
  const own = [];
  for (const { specifier, later } of importsOf(text)) {
    if (specifier.startsWith('.')) {
      if (!later) own.push(resolve(dirname(file), specifier).replace(/\.js$/, '.ts'));
      continue;
    }
    if (specifier.startsWith('node:')) {
      if (!layer.nodejs && !test) problems.push(`${where}: imports ${specifier} in core`);
      continue;
    }
    if (specifier.startsWith('@coracle/')) checkPackage(specifier, { name, layer, where, test });
    const packageName = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    used.add(packageName);
    if (!test && !declared.has(packageName)) problems.push(`${where}: imports ${packageName}, which is not declared`);
  }
  imports.set(file, test ? [] : own);
  if (layer.nodejs || layer.edge || test || file.includes('/generated/')) return;
  text.split('\n').forEach((line, index) => {
    const code = line.replace(/^\s*(\/?\*|\/\/).*/, '').replace(/`[^`]*`|'[^']*'/g, '');
    const match = bannedInCore.exec(code);
    if (match) problems.push(`${where}:${index + 1}: ${match[1]} in core: take a Clock, a Random or a seam`);
  });
}

/** Every module that a file names; `later` is one that it loads when it needs it. Code in template texts is not code. */
function* importsOf(text) {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/`(?:\\.|[^`\\])*`/g, '``');
  const now = /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*)?from\s*['"]([^'"]+)['"]/g;
  for (const [, specifier] of code.matchAll(now)) yield { specifier, later: false };
  for (const [, specifier] of code.matchAll(/(?:^|\n)import\s*['"]([^'"]+)['"]/g)) yield { specifier, later: false };
  for (const [, specifier] of code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) yield { specifier, later: true };
}

/**
 * The packages that the sources of a folder may import. The command line is bundled: its bundled packages are
 * development dependencies, and its dependencies are what the bundle leaves outside.
 */
function declaredIn(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, devDependencies, peerDependencies } = manifest;
  if (manifest.name === 'coracle') return new Set(Object.keys(devDependencies));
  return new Set(Object.keys({ ...dependencies, ...peerDependencies }));
}

/** What is not ours has its reason in the list of dependencies. */
function checkDependency(name, where) {
  if (name.startsWith('@coracle/') || reasons.includes(`\`${name}\``)) return;
  problems.push(`${where}/package.json: docs/dependencies.md does not say why there is ${name}`);
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

/** Modules by their paths in the repository. */
function relativeImports() {
  const path = (file) => relative(root, file).split(sep).join('/');
  return new Map([...imports].map(([file, targets]) => [path(file), targets.map(path)]));
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
