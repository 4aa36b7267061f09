import { VirtualClock } from '@coracle/base';
import { createMemoryStore, type Store } from '@coracle/store';
import { expect, test } from 'vitest';
import { PortBitmap } from './port-bitmap.js';
import { PortClaims } from './port-claims.js';
import { type PortRange, portRange } from './range.js';
import { decodePorts, encodePorts } from './range-allocation.js';

const range = portRange('30000-32767') as PortRange;
const key = '/registry/ranges/servicenodeports';

function bitmap(...ports: number[]): PortBitmap {
  const taken = new PortBitmap(range);
  for (const port of ports) taken.set(port, true);
  return taken;
}

async function stored(store: Store): Promise<number[]> {
  const value = (await store.get(key))?.value;
  return value ? [...decodePorts(range, value)] : [];
}

test.each([
  [[], []],
  [[30_000], [1]],
  [[30_007], [0x80]],
  [[30_008], [1, 0]],
  [[32_767], [0x80, ...new Array(345).fill(0)]],
  [
    [30_000, 30_009],
    [2, 1],
  ],
])('the ports %j are the bytes %j', (ports, bytes) => {
  expect([...bitmap(...ports).toBytes()]).toEqual(bytes);
  expect([...PortBitmap.fromBytes(range, Uint8Array.from(bytes))]).toEqual(ports);
});

test('RES-14 the stored bitmap has the encoding of kube-apiserver', () => {
  const text = new TextDecoder('latin1').decode(encodePorts(range, bitmap(30_000)));
  expect(text.startsWith('k8s\0\n\x15\n\x02v1\x12\x0fRangeAllocation\x12')).toBe(true);
  expect(text.endsWith('\x12\x0b30000-32767\x1a\x01\x01\x1a\0"\0')).toBe(true);
});

test('JSON and the ports of another range are read too', () => {
  const allocation = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: '29999-30002', data: 'Dw==' };
  const value = new TextEncoder().encode(JSON.stringify(allocation));
  expect([...decodePorts(range, value)]).toEqual([30_000, 30_001, 30_002]);
});

test('two servers on one store never allocate a port twice, and write many claims at once', async () => {
  const store = await createMemoryStore({ clock: new VirtualClock() });
  const servers = [new PortClaims(range, store), new PortClaims(range, store)];
  const ports = Array.from({ length: 200 }, (_, i) => 30_000 + i);
  const before = await store.currentRevision();

  const got = await Promise.all(servers.map((server) => Promise.all(ports.map((port) => server.claim(port)))));

  expect(ports.map((_, i) => got.filter((each) => each[i]).length)).toEqual(ports.map(() => 1));
  expect(await stored(store)).toEqual(ports);
  expect((await store.currentRevision()) - before).toBeLessThan(10);
});

test('a port that another server has released is free, and one that it has allocated is not', async () => {
  const store = await createMemoryStore({ clock: new VirtualClock() });
  const [one, other] = [new PortClaims(range, store), new PortClaims(range, store)];
  expect([await one.claim(30_001), await other.claim(30_001)]).toEqual([true, false]);
  await other.release(30_001);
  await other.claim(30_002);
  expect([await one.claim(30_001), await one.claim(30_002)]).toEqual([true, false]);
  expect(await one.list()).toEqual([30_001, 30_002]);
});

test('keys of earlier releases are deleted', async () => {
  const store = await createMemoryStore({ clock: new VirtualClock() });
  const value = new TextEncoder().encode('default/web');
  const operations = [30_001, 30_002].map(
    (port) => ({ kind: 'put', key: `/registry/ranges/nodeports/${port}`, value }) as const,
  );
  await store.transact({ compare: [], operations });
  await new PortClaims(range, store).removeFormerKeys();
  expect(await store.count('/registry/ranges/')).toBe(0);
});
