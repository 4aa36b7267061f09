import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type EndpointSlice, refs, type Service } from '@coracle/api';
import { Activity, noMetrics, silentLogger } from '@coracle/base';
import { nftFilter, systemClock } from '@coracle/platform-nodejs';
import { ServiceProxy } from '@coracle/proxy';
import { LocalInformers } from '../../packages/proxy/src/local-informers.fixture.js';

const services = 5_000;
const endpointsEach = 10;

function addressOf(n: number): string {
  return `10.${128 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
}

function service(i: number): Service {
  const clusterIP = `10.96.${(i >> 8) + 1}.${i & 255}`;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `s${i}`, namespace: 'default' },
    spec: { type: 'ClusterIP', clusterIP, ports: [{ port: 80, protocol: 'TCP' }] },
  };
}

/** Where the server of `connect.mjs` listens, inside of the namespace. */
const serverAddress = '192.0.2.10';

function slice(i: number, change = 0, only?: string): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `s${i}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': `s${i}` } },
    addressType: 'IPv4',
    ports: [{ port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: endpointsEach }, (_, j) => ({
      addresses: [
        only ?? (j === 3 && change > 0 ? `172.16.${change >> 8}.${change & 255}` : addressOf(i * endpointsEach + j)),
      ],
      nodeName: `node${j}`,
    })),
  };
}

const netns = `/var/run/netns/${process.argv[2]}`;
const activity = new Activity();
const informers = new LocalInformers();
const options = { podNetworks: ['10.128.0.0/9'], masqueradeAll: false, masqueradeBit: 14, nodePortAddresses: [] };
const proxy = new ServiceProxy({
  ...options,
  informers,
  nodeName: 'node0',
  families: [4],
  filter: nftFilter({ netns }),
  connections: { remove: async () => undefined },
  clock: systemClock,
  logger: silentLogger,
  metrics: noMetrics,
  activity,
});
await proxy.started();
const began = performance.now();
const cpuBefore = cpuMs();
for (let i = 0; i < services; i++) {
  informers.for(refs.services).put(service(i));
  informers.for(refs.endpointSlices).put(slice(i));
}
await activity.rest();
console.log(
  `load: ${services} services with ${services * endpointsEach} endpoints in ${ms(performance.now() - began)}, ${ms(cpuMs() - cpuBefore)} of CPU`,
);

const walls: number[] = [];
const rounds = 200;
const cpu = cpuMs();
for (let round = 1; round <= rounds; round++) {
  const at = performance.now();
  informers.for(refs.endpointSlices).put(slice((round * 37) % services, round));
  await activity.rest();
  walls.push(performance.now() - at);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(`one endpoint: p50 ${ms(median(walls))}, ${ms((cpuMs() - cpu) / rounds)} of CPU (this process and nft)`);

// The first and the last service lead to a running server, so that connections to them measure the cost of a service.
const [first, last] = [0, services - 1];
for (const i of [first, last]) informers.for(refs.endpointSlices).put(slice(i, 0, serverAddress));
await activity.rest();
const addresses = [first, last].map((i) => service(i).spec?.clusterIP ?? '');
const [script = '', namespace = ''] = [process.argv[3], `--net=${netns}`];
spawnSync('nsenter', [namespace, process.execPath, script, serverAddress, ...addresses], { stdio: 'inherit' });
await proxy[Symbol.asyncDispose]();

/** Of this process, of its children, and of theirs that have ended: `nft` is started by a shell that stays. */
function cpuMs(): number {
  const children = readFileSync('/proc/thread-self/children', 'utf8').trim().split(' ').filter(Boolean);
  return ['self', ...children].reduce((sum, pid) => sum + cpuOf(pid), 0);
}

function cpuOf(pid: string): number {
  const [, stat = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = stat.split(' ');
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]) * 10, 0);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
