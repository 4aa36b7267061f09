#!/usr/bin/env node
// Runs our kubectl and another one side by side, N times each in turn (30 by default), on a cluster in a process of its
// own, and prints the medians: the start, a list of 500 pods, and the YAML of 5,000; and whether each goal is met. Ends
// with 1 if one is not.
// usage: npm run build && node benchmarks/kubectl-figures.mjs [N] [OTHER=/usr/bin/kubectl]
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../apps/coracle/dist');
const { createClient, createHttpTransport, loadConnection } = await import(join(dist, 'library.mjs'));
const runs = Number(process.argv[2] ?? 30);
const other = process.argv[3] ?? '/usr/bin/kubectl';
const small = 500;
const large = 5_000;
const home = mkdtempSync(join(tmpdir(), 'coracle-kubectl-figures-'));
const nowhere = openSync('/dev/null', 'w');

const server = spawn(
  process.execPath,
  [join(dist, 'coracle.js'), 'up', '--nodes', '0', '--store', 'memory', '--listen', '127.0.0.1:0', '--data-dir', home],
  { stdio: ['ignore', 'pipe', 'ignore'] },
);
try {
  const kubeconfig = await ready();
  const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig };
  await makePods(kubeconfig);
  figures('node alone', [['node', [process.execPath, '-e', '0']]], env);
  const both = (...args) => [
    ['coracle', [join(dist, 'kubectl.js'), ...args]],
    [other, [other, ...args]],
  ];
  const [start = 0] = figures('version --client', both('version', '--client'), env);
  verdict('version --client under 90 ms', `${start.toFixed(0)} ms`, start < 90);
  ratioVerdict(figures(`get pods (${small})`, both('get', 'pods', '-n', 'default'), env), 1.3);
  ratioVerdict(figures(`get pods -A -o yaml (${large + small})`, both('get', 'pods', '-A', '-o', 'yaml'), env), 0.5);
} finally {
  server.kill();
  closeSync(nowhere);
  rmSync(home, { recursive: true, force: true });
}

function ready() {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout.on('data', (chunk) => {
      output += chunk;
      const [, file] = /export KUBECONFIG=(\S+)/.exec(output) ?? [];
      if (file) resolve(file);
    });
    server.once('exit', (code) => reject(new Error(`coracle up ended with ${code}`)));
  });
}

async function makePods(kubeconfig) {
  const connection = await loadConnection({ environment: { KUBECONFIG: kubeconfig } });
  const transport = await createHttpTransport({ connection, http2: true });
  const client = createClient({ transport });
  await client.namespaces().create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } });
  for (const [namespace, count] of [
    ['default', small],
    ['many', large],
  ])
    for (let i = 0; i < count; i += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, count - i) }, (_, j) => client.pods(namespace).create(pod(`web-${i + j}`))),
      );
  transport[Symbol.dispose]();
}

function pod(name) {
  const env = Array.from({ length: 5 }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value ${i} of ${name}` }));
  const container = { name: 'web', image: 'registry.example.org/web:1.2.3', env, ports: [{ containerPort: 8080 }] };
  const metadata = { name, labels: { app: 'web', 'app.kubernetes.io/name': 'web' }, annotations: { note: 'a pod' } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { serviceAccountName: 'default', containers: [container] } };
}

/** One after the other in turn, so that both meet the same weather. The first run of each fills its caches. */
function figures(name, programs, env) {
  const times = programs.map(() => []);
  for (let i = -1; i < runs; i++)
    programs.forEach(([, [command, ...args]], k) => {
      const began = process.hrtime.bigint();
      const { status } = spawnSync(command, args, { env, stdio: ['ignore', nowhere, nowhere] });
      if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
      if (i >= 0) times[k]?.push(Number(process.hrtime.bigint() - began) / 1e6);
    });
  const medians = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0);
  const shown = programs.map(([who], k) => `${who} ${medians[k]?.toFixed(0)} ms (min ${times[k]?.[0]?.toFixed(0)})`);
  const ratio = medians.length > 1 ? `  ${((medians[0] ?? 0) / (medians[1] ?? 1)).toFixed(2)}×` : '';
  console.log(`${name.padEnd(32)} ${shown.join('   ')}${ratio}`);
  return medians;
}

function ratioVerdict([own = 0, theirs = 1], goal) {
  const ratio = own / theirs;
  verdict(`under ${goal} times the other's time`, `${ratio.toFixed(2)} times`, ratio < goal);
}

function verdict(goal, got, isMet) {
  console.log(`${isMet ? 'met     ' : 'NOT met '} ${goal}: ${got}`);
  if (!isMet) process.exitCode = 1;
}
