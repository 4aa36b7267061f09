#!/usr/bin/env node
// What one greedy client does to another user: 200 connections that list everything (as it is, then compressed as
// clients of client-go request it), then 200 that create, beside a user who reads and writes one object at a time.
// Prints the median latency of that user without and with the greedy client, with API priority and fairness and without
// it, and fails if fairness lets it grow beyond the limit. The server and this user are processes of their own, the
// greedy client several. Linux only.
// usage: greedy-client.mjs [--pods 3000] [--connections 200] [--processes 2] [--seconds 8] [--limit 3] [--only on|off]
//        [--folder /tmp] [--bin apps/coracle/dist/coracle.js] [--node-option=--cpu-prof]
import { execFileSync, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const self = fileURLToPath(import.meta.url);
const { values: options } = parseArgs({
  options: {
    pods: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '200' },
    processes: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '8' },
    limit: { type: 'string', default: '3' },
    only: { type: 'string' },
    bin: { type: 'string', default: join(dirname(self), '..', 'apps', 'coracle', 'dist', 'coracle.js') },
    /** Where the data of the server is: a folder in memory leaves out the disk. */
    folder: { type: 'string', default: tmpdir() },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});

const namespace = '/api/v1/namespaces/default';
const pods = `${namespace}/pods`;
const configMaps = `${namespace}/configmaps`;

/** Calls of one user over so many connections. */
function clientOf(port, token, connections = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const data = body && JSON.stringify(body);
      const headers = { authorization: `Bearer ${token}`, ...(data && { 'content-type': 'application/json' }) };
      const outgoing = request({ host: '127.0.0.1', port, method, path, agent, headers }, (response) => {
        response.on('data', () => {});
        response.on('end', () => resolve(response.statusCode));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(data);
    });
}

const podOf = (name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations: { note: 'x'.repeat(1500) } },
  spec: { automountServiceAccountToken: false, schedulerName: 'none', containers: [{ name: 'c', image: 'busybox:1' }] },
});
const configMapOf = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' } });

/** The greedy client: connections of one user, spread over processes. */
class GreedyClient {
  #children;

  constructor(role, port) {
    const count = Number(options.processes);
    const each = String(Math.ceil(Number(options.connections) / count));
    const flood = join(dirname(self), 'greedy-client', 'flood.mjs');
    this.#children = Array.from({ length: count }, () => fork(flood, [role, String(port), each]));
    for (const { pid } of this.#children) keepApart(pid);
  }

  /** How many of its requests were served until now. */
  async served() {
    const counts = this.#children.map((child) => {
      const answer = new Promise((resolve) => child.once('message', resolve));
      child.send('how many');
      return answer;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  stop() {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const round = (value) => Math.round(value * 100) / 100;

let made = 0;
/** Median latencies of a user who sends one request at a time, in milliseconds. */
async function measureOther(call) {
  const latencies = { get: [], create: [] };
  const end = performance.now() + Number(options.seconds) * 1000;
  while (performance.now() < end) {
    for (const [name, act] of [
      ['get', () => call('GET', `${configMaps}/mine`)],
      ['create', () => call('POST', configMaps, configMapOf(`mine-${made++}`))],
    ]) {
      const began = performance.now();
      const status = await act();
      if (status >= 400) throw new Error(`${name}: ${status}`);
      latencies[name].push(performance.now() - began);
      await sleep(2);
    }
  }
  return { get: round(median(latencies.get)), create: round(median(latencies.create)), calls: latencies.get.length };
}

async function startServer(flags) {
  const folder = mkdtempSync(join(options.folder, 'coracle-greedy-'));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'root,root,1,system:masters\ngreedy,greedy,2,users\nother,other,3,users\n');
  const args = [options.bin, 'apiserver', '--data-dir', join(folder, 'data'), '--bind-address', '127.0.0.1'];
  args.push('--secure-port', '0', '--token-auth-file', tokens, '--profiling=false', ...flags);
  const server = spawn(process.execPath, [...options['node-option'], ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server ended')));
    server.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('ready at')) resolve();
    });
  });
  const port = Number(/ready at https:\/\/[^:]+:(\d+)/.exec(output)?.[1]);
  const stop = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, stop };
}

async function seed(port) {
  const call = clientOf(port, 'root', 32);
  await call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'users' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'users' }],
  });
  await call('POST', `${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  const names = Array.from({ length: Number(options.pods) }, (_, i) => `pod-${i}`);
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const status = await call('POST', pods, podOf(name));
        if (status !== 201) throw new Error(`a pod could not be created: ${status}`);
      }
    }),
  );
}

const lastProcessor = availableParallelism() - 1;

function runOn(processors, pid) {
  execFileSync('taskset', ['-acp', processors, String(pid)]);
}

/**
 * The clients stand for other machines: the other user waits neither for a processor that the greedy client has (which
 * runs only while no other thread is ready), nor for the one on which the server runs; without the greedy client, too.
 * While other work keeps both processors busy the greedy client sends little: the machine should be quiet.
 */
function keepApart(greedy) {
  execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(greedy)]);
  runOn(String(lastProcessor), greedy);
}

async function measureWith(fairness) {
  const server = await startServer([`--enable-priority-and-fairness=${fairness === 'on'}`]);
  try {
    await seed(server.port);
    const call = clientOf(server.port, 'other');
    await call('POST', configMaps, configMapOf('mine'));
    runOn(String(lastProcessor), process.pid);
    await measureOther(call);
    const quiet = await measureOther(call);
    console.log(JSON.stringify({ fairness, greedy: 'none', ...quiet }));
    const ratios = [];
    for (const role of ['list', 'list-gzip', 'create']) {
      const greedy = new GreedyClient(role, server.port);
      await sleep(2000);
      const before = await greedy.served();
      const loaded = await measureOther(call);
      const done = (await greedy.served()) - before;
      greedy.stop();
      await sleep(1000);
      const [get, create] = [round(loaded.get / quiet.get), round(loaded.create / quiet.create)];
      ratios.push(get, create);
      const ratio = { get, create };
      console.log(JSON.stringify({ fairness, greedy: role, ...loaded, ratio, greedyPerSecond: perSecond(done) }));
    }
    return Math.max(...ratios);
  } finally {
    runOn(`0-${lastProcessor}`, process.pid);
    await server.stop();
  }
}

const perSecond = (count) => Math.round(count / Number(options.seconds));

for (const fairness of ['on', 'off'].filter((one) => (options.only ?? one) === one)) {
  const worst = await measureWith(fairness);
  console.log(JSON.stringify({ fairness, worst, limit: Number(options.limit) }));
  if (fairness === 'on' && worst > Number(options.limit)) process.exitCode = 1;
}
process.exit();
