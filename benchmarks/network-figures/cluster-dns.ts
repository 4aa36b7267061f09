import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { refs } from '@coracle/api';
import { noMetrics, silentLogger } from '@coracle/base';
import { ClusterZone, DnsServer, Forwarder } from '@coracle/dns';
import { createSystemRandom, listenDns, queryDnsServer, systemClock } from '@coracle/platform-nodejs';
import { LocalInformers } from '../../packages/proxy/src/local-informers.fixture.js';

const port = 15_355;
const seconds = 5;
const informers = new LocalInformers();
const shared = { clock: systemClock, random: createSystemRandom(), logger: silentLogger };
const zone = new ClusterZone({ informers, domain: 'cluster.local' });
const forwarder = new Forwarder({ ...shared, upstreams: [], query: queryDnsServer });
const server = new DnsServer({ zone, forwarder, logger: silentLogger, metrics: noMetrics });
for (let i = 0; i < 1_000; i++)
  informers.for(refs.services).put({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `s${i}`, namespace: 'default' },
    spec: { type: 'ClusterIP', clusterIP: `10.96.${i >> 8}.${i & 255}`, ports: [{ name: 'http', port: 80 }] },
  });
const sockets = await listenDns({ server, addresses: ['127.0.0.1'], port, logger: silentLogger });
const client = spawn(process.execPath, [process.argv[2] ?? '', String(port), String(seconds)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
client.stdout.on('data', (chunk: Buffer) => {
  printed += chunk;
});
const before = process.cpuUsage();
await once(client, 'close');
const { user, system } = process.cpuUsage(before);
const answers = Number(printed);
const cpu = (user + system) / 1_000_000;
console.log(
  `cluster DNS over UDP: ${Math.round(answers / seconds)} answers a second, ${Math.round(answers / cpu)} for each second of CPU`,
);
await sockets[Symbol.asyncDispose]();
