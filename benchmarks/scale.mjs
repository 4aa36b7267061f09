#!/usr/bin/env node
// Shows that a request costs the same however much the cluster holds: create, patch and get through the API server with
// 1,000 objects and with 100,000, and with many watchers on another resource.
// What counts is the processor time of the server: it does not depend on what else the machine does. Linux only.
// usage: scale.mjs [--objects 1000,100000] [--resources configmaps,pods] [--watchers 500] [--store lmdb|memory] [--bin apps/coracle/dist/coracle.js]
import { readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './fixtures/start-server.mjs';

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000,100000' },
    resources: { type: 'string', default: 'configmaps,pods' },
    watchers: { type: 'string', default: '500' },
    store: { type: 'string', default: 'lmdb' },
    bin: {
      type: 'string',
      default: join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js'),
    },
  },
});
/** Number of concurrent requests, the same as that of the load generator of the other figures. */
const connections = 32;
/** Requests of each kind that are timed. */
const timed = 4_000;
const namespace = 'default';
/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

const kinds = {
  configmaps: (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: 'value' } }),
  events: (name) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { kind: 'Pod', namespace, name: 'web', uid: '00000000-0000-0000-0000-000000000000' },
    reason: 'Started',
    message: 'Started container web',
    type: 'Normal',
    source: { component: 'kubelet', host: 'node-1' },
    count: 1,
  }),
  pods: (name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: `app-${name.at(-1)}` } },
    // It has no scheduler and no controller.
    spec: { schedulerName: 'none', containers: [{ name: 'c', image: 'registry.example/app:1' }] },
  }),
};

/** A control plane in a separate process, as in use. */
async function startCluster() {
  const { pid, folder, url, agent, stop } = await startServer({
    bin: options.bin,
    args: ['--nodes', '0', '--store', options.store],
    maxSockets: connections,
  });
  return {
    url,
    agent,
    processorMs: () => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return (Number(fields[11]) + Number(fields[12])) * tickMs;
    },
    memory: () => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const megabytes = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
      const file = Math.round(statSync(join(folder, 'db', 'data.mdb')).size / 2 ** 20);
      return { 'MB resident': megabytes('VmRSS'), 'of them anonymous': megabytes('RssAnon'), 'MB file': file };
    },
    stop,
  };
}

class Load {
  #made = 0;

  constructor(cluster, resource) {
    this.cluster = cluster;
    this.resource = resource;
    this.path = `/api/v1/namespaces/${namespace}/${resource}`;
  }

  async fill(total) {
    await this.#each(total - this.#made, () => this.#create());
  }

  /** Creates are measured last: they add to what is there. */
  async measure() {
    const gets = await this.#time((i) => this.#send('GET', `${this.path}/${this.#name(i)}`));
    const patch = (i) => ({ metadata: { annotations: { touched: `${i}-${this.#made}` } } });
    const patches = await this.#time((i) =>
      this.#send('PATCH', `${this.path}/${this.#name(i)}`, patch(i), 'application/merge-patch+json'),
    );
    const creates = await this.#time(() => this.#create());
    return { 'get µs': gets, 'patch µs': patches, 'create µs': creates };
  }

  /** Watches that match nothing of what is measured. */
  watchOthers(count) {
    const { url, agent } = this.cluster;
    const own = new Agent({ ...agent.options, maxSockets: Infinity });
    const open = () =>
      new Promise((resolve, reject) => {
        const watch = request(
          `${url}/api/v1/namespaces/${namespace}/secrets?watch=true`,
          { agent: own },
          (response) => {
            response.on('data', () => undefined);
            response.on('error', () => undefined);
            resolve(watch);
          },
        );
        watch.on('error', reject);
        watch.end();
      });
    return Promise.all(Array.from({ length: count }, open));
  }

  /** Spread over all that are there. */
  #name(i) {
    return `o-${Math.floor((i * 7_919) % this.#made)}`;
  }

  #create() {
    return this.#send('POST', this.path, kinds[this.resource](`o-${this.#made++}`));
  }

  async #time(work) {
    const [began, usedBefore] = [performance.now(), this.cluster.processorMs()];
    await this.#each(timed, work);
    const each = (ms) => Math.round((ms * 1000) / timed);
    return `${each(this.cluster.processorMs() - usedBefore)} (${each(performance.now() - began)})`;
  }

  async #each(count, work) {
    let next = 0;
    const worker = async () => {
      for (let i = next++; i < count; i = next++) await work(i);
    };
    await Promise.all(Array.from({ length: connections }, worker));
  }

  #send(method, path, body, type = 'application/json') {
    const { url, agent } = this.cluster;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const sent = request(url + path, { method, agent, headers }, (response) => {
        let answer = '';
        response.on('data', (chunk) => {
          answer += chunk;
        });
        response.on('end', () =>
          response.statusCode < 300 ? resolve() : reject(new Error(`${method} ${path}: ${answer}`)),
        );
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

const rows = [];
for (const resource of options.resources.split(',')) {
  for (const [index, total] of options.objects.split(',').map(Number).entries()) {
    const cluster = await startCluster();
    try {
      const load = new Load(cluster, resource);
      await load.fill(total);
      rows.push({ resource, objects: total, watchers: 0, ...(await load.measure()), ...cluster.memory() });
      if (index > 0) continue;
      const others = await load.watchOthers(Number(options.watchers));
      rows.push({
        resource,
        objects: total,
        watchers: others.length,
        ...(await load.measure()),
        ...cluster.memory(),
      });
      for (const watch of others) watch.destroy();
    } finally {
      await cluster.stop();
    }
  }
}
console.log("Microseconds of the server's processor time for a request; in brackets of real time, with 32 under way.");
console.table(rows);
