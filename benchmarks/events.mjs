#!/usr/bin/env node
// What events cost: creates many of them in a cluster with the durable store, as components of a cluster do, and prints
// by how much resident memory has grown. Fails if that is over the limit. Linux only.
// usage: events.mjs [--count 100000] [--limit 60] [--rest 90] [--bin apps/coracle/dist/coracle.js]
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './fixtures/start-server.mjs';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    limit: { type: 'string', default: '60' },
    /** Seconds without work before memory is read. */
    rest: { type: 'string', default: '90' },
    bin: {
      type: 'string',
      default: join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js'),
    },
  },
});
const count = Number(options.count);
/** The first ones warm the server up, and are not counted. */
const warmUp = 20_000;
const path = '/api/v1/namespaces/default/events';

const cluster = await startServer({ bin: options.bin, args: ['--nodes', '1', '--runtime', 'simulated'] });

function send(event) {
  const text = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(cluster.url + path, { method: 'POST', agent: cluster.agent, headers }, (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 201 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

const templates = [
  ['Scheduled', 'default-scheduler', (pod) => `Successfully assigned default/${pod} to coracle-node-7`],
  ['Pulled', 'kubelet', () => 'Container image "registry.example/app:17" already present on machine'],
  ['Created', 'kubelet', () => 'Created container: c'],
  ['Started', 'kubelet', () => 'Started container c'],
  ['Killing', 'kubelet', () => 'Stopping container c'],
];
const pod = { name: '', uid: '' };

/** Five for each pod, with the names that recorders generate. */
function eventAt(index) {
  if (index % templates.length === 0) {
    pod.name = `web-7d6b4c878d-${randomBytes(3).toString('hex').slice(0, 5)}`;
    pod.uid = randomUUID();
  }
  const [reason, component, message] = templates[index % templates.length];
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const instant = (BigInt(Date.now()) * 1_000_000n + BigInt(index % 1_000_000)).toString(16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${pod.name}.${instant}`, namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', ...pod, resourceVersion: `${1000 + index}` },
    reason,
    message: message(pod.name),
    type: 'Normal',
    source: { component, ...(component === 'kubelet' && { host: 'coracle-node-7' }) },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    reportingComponent: component,
    reportingInstance: component === 'kubelet' ? 'coracle-node-7' : '',
  };
}

async function create(from, to) {
  let next = from;
  const worker = async () => {
    while (next < to) await send(eventAt(next++));
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

const megabytes = (bytes) => Math.round(bytes / 2 ** 20);

function memory() {
  const status = readFileSync(`/proc/${cluster.pid}/status`, 'utf8');
  const kilobytes = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]);
  return { anonymous: megabytes(kilobytes('RssAnon') * 1024), mapped: megabytes(kilobytes('RssFile') * 1024) };
}

/** The least that it comes to in a while without work: garbage is collected now and then. */
async function measure() {
  let least = Number.POSITIVE_INFINITY;
  for (let left = Number(options.rest); left > 0; left -= 2) {
    await sleep(2_000);
    least = Math.min(least, memory().anonymous);
  }
  const { mapped } = memory();
  const file = megabytes(statSync(join(cluster.folder, 'db', 'data.mdb')).size);
  return { resident: least + mapped, anonymous: least, mapped, file };
}

try {
  await create(0, warmUp);
  const before = await measure();
  await create(warmUp, warmUp + count);
  const after = await measure();
  const grown = Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
  console.table({ 'MB before': before, 'MB after': after, 'MB more': grown });
  console.log(`${count} events cost ${grown.resident} MB resident, ${grown.file} MB of file`);
  if (grown.resident > Number(options.limit)) {
    console.error(`over the limit of ${options.limit} MB`);
    process.exitCode = 1;
  }
} finally {
  await cluster.stop();
}
