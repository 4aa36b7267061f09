#!/usr/bin/env node
// What many CRDs cost: installs them, and prints the time until all are established, served and described in OpenAPI, the
// memory that each adds before it is used, and the time of a restart with them. Processor time is printed beside the time
// by the clock: it does not depend on what else the machine does. Linux only.
// usage: crds.mjs [--count 1000] [--bytes 27000] [--command up|apiserver] [--store lmdb|memory] [--used 0] [--bin apps/coracle/dist/coracle.js]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    bytes: { type: 'string', default: '27000' },
    command: { type: 'string', default: 'apiserver' },
    store: { type: 'string', default: 'lmdb' },
    used: { type: 'string', default: '0' },
    bin: {
      type: 'string',
      default: join(dirname(fileURLToPath(import.meta.url)), '..', 'apps', 'coracle', 'dist', 'coracle.js'),
    },
  },
});
const count = Number(options.count);
const token = 'benchmark';
/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;
const connections = 8;
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
    server.on('error', reject);
  });
}

/** A server in a separate process, as in use. */
class Server {
  #child;
  #agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });

  constructor(folder, port) {
    this.folder = folder;
    this.port = port;
  }

  async start() {
    const from = performance.now();
    const data = ['--data-dir', join(this.folder, 'data'), '--token-auth-file', join(this.folder, 'tokens')];
    const address =
      options.command === 'up'
        ? ['up', '--nodes', '0', '--store', options.store, '--listen', `127.0.0.1:${this.port}`]
        : ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', String(this.port)];
    this.#child = spawn(process.execPath, [options.bin, ...address, ...data], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while ((await this.send('GET', '/readyz').catch(() => ({ status: 0 }))).status !== 200) await wait(20);
    return { seconds: (performance.now() - from) / 1000, processor: this.processorSeconds() };
  }

  async stop() {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, rejectUnauthorized: false });
    const ended = new Promise((resolve) => this.#child.on('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }

  processorSeconds() {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * tickMs) / 1000;
  }

  /** Resident and not from files, in kB. */
  memory() {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)[1]);
  }

  /** The minimum of some time: garbage is collected when the server becomes idle. */
  async restingMemory(seconds = 20) {
    let least = this.memory();
    for (let i = 0; i < seconds * 2; i++) {
      await wait(500);
      least = Math.min(least, this.memory());
    }
    return least;
  }

  send(method, path, body) {
    const text = body && JSON.stringify(body);
    const headers = { authorization: `Bearer ${token}`, ...(text && { 'content-type': 'application/json' }) };
    return new Promise((resolve, reject) => {
      const url = `https://127.0.0.1:${this.port}${path}`;
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks) }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

/** No two CRDs have a text in common, so that no text is shared between them. */
function schemaOf(index, bytes) {
  const leaf = (path) => ({
    type: ['string', 'integer', 'boolean'][path.length % 3],
    description: `What resource ${index} has in ${path}: a value that its controller reads when it reconciles the object.`,
  });
  const branch = (path, depth) => {
    const properties = {};
    for (let i = 0; i < 6; i++) {
      const name = `${path.at(-1)}${'abcdef'[i]}`;
      properties[name] = i < 2 && depth > 0 ? branch(`${path}.${name}`, depth - 1) : leaf(`${path}.${name}`);
    }
    return { type: 'object', description: `The part ${path} of resource ${index}.`, properties };
  };
  const sections = {};
  for (let i = 0; JSON.stringify(sections).length < bytes; i++) sections[`section${i}`] = branch(`s${i}`, 2);
  const spec = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 0, default: 1 },
      ports: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, port: { type: 'integer' } },
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      ...sections,
    },
    'x-kubernetes-validations': [{ rule: 'self.size < 100', message: `resource ${index} is not that large` }],
  };
  return {
    type: 'object',
    properties: { spec, status: { type: 'object', properties: { size: { type: 'integer' } } } },
  };
}

function crdOf(index, bytes) {
  const plural = `things${index}s`;
  const group = `g${index % 50}.example.org`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: `Thing${index}` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          schema: { openAPIV3Schema: schemaOf(index, bytes) },
        },
      ],
    },
  };
}

async function each(total, work) {
  let next = 0;
  const worker = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

async function install(server, bodies) {
  await each(bodies.length, async (index) => {
    const { status, body } = await server.send('POST', crdsPath, bodies[index]);
    if (status !== 201) throw new Error(`a CRD was refused: ${status} ${body}`);
  });
  await each(bodies.length, async (index) => {
    while (!(await isServed(server, bodies[index]))) await wait(100);
  });
}

/** Reads each CRD by name, as `kubectl wait` does: a list of all takes more memory than the server needs to serve them. */
async function isServed(server, { metadata, spec }) {
  const { body } = await server.send('GET', `${crdsPath}/${metadata.name}`);
  const { conditions } = JSON.parse(body).status;
  if (!conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return false;
  return (await server.send('GET', `/apis/${spec.group}/v1/namespaces/default/${spec.names.plural}`)).status === 200;
}

async function describe(server) {
  const from = performance.now();
  const { body } = await server.send('GET', '/openapi/v2');
  return `${((performance.now() - from) / 1000).toFixed(2)} s for ${Math.round(body.length / 2 ** 20)} MB`;
}

const folder = mkdtempSync(join(tmpdir(), 'coracle-crds-'));
writeFileSync(join(folder, 'tokens'), `${token},benchmark,1,"system:masters"\n`);
const bodies = Array.from({ length: count }, (_, index) => crdOf(index, Number(options.bytes)));
const rows = {};
const show = (name, value) => {
  rows[name] = value;
  console.log(`${name}: ${value}`);
};
const server = new Server(folder, await freePort());
try {
  console.log(`${count} CRDs of ${Math.round(JSON.stringify(bodies[0]).length / 1000)} kB, coracle ${options.command}`);
  const bare = await server.start();
  show('start without them', `${bare.seconds.toFixed(2)} s (${bare.processor.toFixed(2)} s of processor)`);
  const empty = await server.restingMemory(12);
  const from = performance.now();
  const before = server.processorSeconds();
  await install(server, bodies);
  const seconds = (performance.now() - from) / 1000;
  show('installed in', `${seconds.toFixed(1)} s (${(server.processorSeconds() - before).toFixed(1)} s of processor)`);
  show('memory at once', `${Math.round((server.memory() - empty) / count)} kB each`);
  show('memory at rest', `${Math.round(((await server.restingMemory()) - empty) / count)} kB each`);
  await server.stop();
  const again = await server.start();
  show('restart with them', `${again.seconds.toFixed(2)} s (${again.processor.toFixed(2)} s of processor)`);
  show('memory after a restart', `${Math.round(((await server.restingMemory()) - empty) / count)} kB each`);
  const used = Math.min(Number(options.used), count);
  for (const { spec } of bodies.slice(0, used)) {
    const object = {
      apiVersion: `${spec.group}/v1`,
      kind: spec.names.kind,
      metadata: { name: 'x' },
      spec: { size: 1 },
    };
    await server.send('POST', `/apis/${spec.group}/v1/namespaces/default/${spec.names.plural}`, object);
  }
  if (used > 0) show(`memory with ${used} used`, `${Math.round((server.memory() - empty) / 1024)} MB in all`);
  show('/openapi/v2, first', await describe(server));
  show('/openapi/v2, second', await describe(server));
  await server.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
