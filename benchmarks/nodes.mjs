#!/usr/bin/env node
// Simulated nodes by the thousand: how long until the cluster is ready, what it takes of a processor and of memory while
// nothing happens, and with --pods how long until so many pods run. Fails if a limit is exceeded. Linux only.
// usage: nodes.mjs [--nodes 5000] [--pods 0] [--settle 75] [--idle 30] [--ready 5] [--resident 500] [--percent 20] [--running 40]
//        [--node-option=--cpu-prof] [--bin apps/coracle/dist/coracle.js]
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './fixtures/start-server.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values: options } = parseArgs({
  options: {
    nodes: text('5000'),
    pods: text('0'),
    /** Seconds until the cluster is idle: events are written at 100 a second, and each node has one. */
    settle: text('75'),
    /** Seconds without work that are measured. */
    idle: text('30'),
    ready: text('5'),
    resident: text('500'),
    percent: text('20'),
    running: text('40'),
    'node-option': { type: 'string', multiple: true, default: [] },
    bin: text(join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js')),
  },
});
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const replicasOfOne = 2_000;
/** Ticks of the processor's clock in a second, as Linux counts them for all programs. */
const ticksPerSecond = 100;

const began = performance.now();
const cluster = await startServer({
  bin: options.bin,
  args: ['--nodes', options.nodes, '--runtime', 'simulated'],
  nodeOptions: options['node-option'],
});

function processorSeconds() {
  const [, fields = ''] = readFileSync(`/proc/${cluster.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}

function residentMegabytes() {
  const status = readFileSync(`/proc/${cluster.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function send(method, path, body) {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = content && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) };
  return new Promise((resolve, reject) => {
    const sent = request(cluster.url + path, { method, agent: cluster.agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    sent.on('error', reject);
    sent.end(content);
  });
}

function deployment(name, replicas) {
  const labels = { app: name };
  const containers = [{ name: 'c', image: 'registry.example/app:1' }];
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

/** Counted by the status of the Deployments: their lists of pods would take the server's time. */
async function runPods(count) {
  const start = performance.now();
  for (let left = count, number = 1; left > 0; left -= replicasOfOne, number++)
    await send('POST', deployments, deployment(`many-${number}`, Math.min(left, replicasOfOne)));
  for (;;) {
    const { items } = await send('GET', deployments);
    const ready = items.reduce((sum, { status }) => sum + (status.readyReplicas ?? 0), 0);
    if (ready >= count) return (performance.now() - start) / 1000;
    if (performance.now() - start > 600_000) throw new Error(`${ready} of ${count} pods run after ten minutes`);
    await sleep(250);
  }
}

const broken = [];
function check(name, value, limit) {
  console.log(`${name}: ${value.toFixed(1)} (limit ${limit})`);
  if (value > Number(limit)) broken.push(name);
}

try {
  check('seconds to ready', (performance.now() - began) / 1000, options.ready);
  console.log(`of a processor: ${processorSeconds().toFixed(1)} s; ${residentMegabytes()} MB resident`);
  const idle = Number(options.idle);
  await sleep(Number(options.settle) * 1000);
  const [before, since] = [processorSeconds(), performance.now()];
  await sleep(idle * 1000);
  check('% of a core, idle', ((processorSeconds() - before) / (performance.now() - since)) * 100_000, options.percent);
  check('MB resident, idle', residentMegabytes(), options.resident);
  const pods = Number(options.pods);
  if (pods > 0) {
    const usedBefore = processorSeconds();
    check(`seconds until ${pods} pods run`, await runPods(pods), options.running);
    console.log(
      `of a processor: ${(processorSeconds() - usedBefore).toFixed(1)} s; ${residentMegabytes()} MB resident`,
    );
  }
  if (broken.length > 0) {
    console.error(`over the limit: ${broken.join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  await cluster.stop();
}
