#!/usr/bin/env node
// A soak: again and again a Deployment of 40 pods, an update of its image and its deletion, on ten simulated nodes with
// the durable store. Prints resident memory, size of the database and the number of events after 5, 15 and 30 minutes,
// and fails if a limit was exceeded at any time. Linux only.
// usage: churn.mjs [--minutes 30] [--resident 450] [--file 400] [--replicas 40] [--nodes 10] [--every 0]
//        [--node-option=--heapsnapshot-signal=SIGUSR2] [--bin apps/coracle/dist/coracle.js]
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './fixtures/start-server.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    resident: { type: 'string', default: '450' },
    file: { type: 'string', default: '400' },
    replicas: { type: 'string', default: '40' },
    nodes: { type: 'string', default: '10' },
    /** Prints a row every so many seconds too. */
    every: { type: 'string', default: '0' },
    'node-option': { type: 'string', multiple: true, default: [] },
    bin: {
      type: 'string',
      default: join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js'),
    },
  },
});
const replicas = Number(options.replicas);
const marks = [5, 15, 30].filter((minute) => minute <= Number(options.minutes));
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const pods = '/api/v1/namespaces/default/pods';

const cluster = await startServer({
  bin: options.bin,
  args: ['--nodes', options.nodes, '--runtime', 'simulated'],
  nodeOptions: options['node-option'],
});

function send(method, path, body, type = 'application/json') {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(cluster.url + path, { method, agent: cluster.agent, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        if (response.statusCode < 300) resolve(JSON.parse(answer));
        else reject(new Error(`${method} ${path}: ${answer}`));
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

async function until(isSo) {
  for (const deadline = performance.now() + 120_000; !(await isSo()); await sleep(50))
    if (performance.now() > deadline) throw new Error('a round did not end in two minutes');
}

const isRolledOut = (generation) => async () => {
  const { status, metadata } = await send('GET', `${deployments}/churn`);
  const { observedGeneration, updatedReplicas, readyReplicas, replicas: all } = status;
  const counts = [updatedReplicas, readyReplicas, all];
  return metadata.generation >= generation && observedGeneration >= generation && counts.every((n) => n === replicas);
};

/** Tags recur: thousands of different images would fill the disks of the nodes, which then take no pods for minutes. */
async function round(number) {
  const labels = { app: 'churn' };
  const containers = [{ name: 'c', image: `registry.example/app:${number % 100}` }];
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  await send('POST', deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'churn' }, spec });
  await until(isRolledOut(1));
  const updated = { spec: { template: { spec: { containers: [{ name: 'c', image: `${containers[0].image}-2` }] } } } };
  await send('PATCH', `${deployments}/churn`, updated, 'application/strategic-merge-patch+json');
  await until(isRolledOut(2));
  await send('DELETE', `${deployments}/churn?propagationPolicy=Background`);
  await until(async () => (await send('GET', `${pods}?limit=1`)).items.length === 0);
}

const megabytes = (bytes) => Math.round(bytes / 2 ** 20);

function measure() {
  const status = readFileSync(`/proc/${cluster.pid}/status`, 'utf8');
  const kilobytes = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  const file = statSync(join(cluster.folder, 'db', 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0;
  return { resident: megabytes(kilobytes('VmRSS')), anonymous: megabytes(kilobytes('RssAnon')), file: megabytes(file) };
}

const most = { resident: 0, anonymous: 0, file: 0 };
const rows = [];
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
let rounds = 0;
let running = true;

async function row() {
  const page = await send('GET', '/api/v1/events?limit=1');
  const events = page.items.length + (page.metadata.remainingItemCount ?? 0);
  const { resident, anonymous, file } = measure();
  return { seconds: seconds(), rounds, 'MB resident': resident, 'MB anonymous': anonymous, 'MB file': file, events };
}

async function watchMemory() {
  const due = marks.map((minute) => minute * 60);
  for (let printed = 0; running; await sleep(1000)) {
    const now = measure();
    for (const name of Object.keys(most)) most[name] = Math.max(most[name], now[name]);
    const every = Number(options.every);
    if (due[0] !== undefined && seconds() >= due[0]) {
      due.shift();
      rows.push(await row());
      console.log(JSON.stringify(rows.at(-1)));
    } else if (every > 0 && seconds() >= printed + every) {
      printed = seconds();
      console.log(JSON.stringify(await row()));
    }
  }
}

/** All events, page by page, as `kubectl get events` reads them. */
async function pageEvents() {
  let [read, pages, token] = [0, 0, ''];
  do {
    const { items, metadata } = await send('GET', `/api/v1/events?limit=500&continue=${encodeURIComponent(token)}`);
    read += items.length;
    pages++;
    token = metadata.continue ?? '';
  } while (token !== '');
  return { read, pages };
}

try {
  console.log(`coracle runs as process ${cluster.pid}`);
  const watching = watchMemory();
  while (seconds() < Number(options.minutes) * 60) {
    await round(rounds);
    rounds++;
  }
  running = false;
  await watching;
  rows.push(await row());
  console.table(rows);
  const { read, pages } = await pageEvents();
  console.log(`${read} events in ${pages} pages`);
  console.log(`most: ${most.resident} MB resident (${most.anonymous} MB anonymous), ${most.file} MB of file`);
  if (most.resident > Number(options.resident) || most.file > Number(options.file)) {
    console.error(`over the limits of ${options.resident} MB resident and ${options.file} MB of file`);
    process.exitCode = 1;
  }
} finally {
  running = false;
  await cluster.stop();
}
