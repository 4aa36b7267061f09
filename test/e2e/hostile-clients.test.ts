import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { badRequests, configMaps } from './bad-requests.js';
import { type Attack, attacks, idlers } from './hostile-clients.js';
import { RawClient } from './raw-client.js';
import { RunningCluster } from './running-cluster.js';

const megabyte = 2 ** 20;
const warmUps = 4;
const rounds = 6;
const idlersOfAKind = 6;
/** Allowed growth of the last rounds over the first. A round opens some 120 connections. */
const grownAtMost = 48 * megabyte;

let cluster: RunningCluster;
let raw: RawClient;
beforeAll(async () => {
  cluster = await RunningCluster.start({ flags: ['--nodes', '0', '--store', 'memory'] });
  raw = new RawClient(cluster);
  await createLargeObjects();
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('all kinds of hostile clients at once are rejected or time out, and leave nothing behind', async () => {
  const openBefore = cluster.openFiles;
  const resident: number[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    await storm(round);
    resident.push(cluster.residentBytes);
  }
  const grown = smallest(resident.slice(-3)) - smallest(resident.slice(warmUps - 1, warmUps + 1));
  expect(grown, `after each round: ${resident.join(' ')}`).toBeLessThan(grownAtMost);
  // Resources of a client are released when it has disconnected, or does not respond any more.
  await expect.poll(() => cluster.openFiles, { timeout: 15_000 }).toBeLessThanOrEqual(openBefore);
}, 120_000);

/** One round: while idlers hold their connections, all other clients are served or refused as always. */
async function storm(round: number): Promise<void> {
  const held = await Promise.all(
    Object.values(idlers).flatMap((open) => Array.from({ length: idlersOfAKind }, () => open(raw))),
  );
  const refusals = badRequests(round).map(async (request) => {
    const { status, body } = await raw.send(request);
    expect([request.what, status, body.reason]).toEqual([request.what, request.status, request.reason]);
    expect(body.message).toContain(request.words);
  });
  await Promise.all([...refusals, ...attacks.map((attack) => repel(attack, round))]);
  for (const announced of [true, false]) {
    const { status, body } = await raw.sendMegabytes(configMaps, 100, { announced });
    expect([status, body.reason]).toEqual([413, 'RequestEntityTooLarge']);
    expect(body.message).toBe('Request entity too large: limit is 3145728');
  }
  expect(await raw.send({ path: '/readyz' })).toMatchObject({ status: 200, body: { message: 'ok' } });
  leave(held);
}

/** A reset may overtake the response to a client that is still writing: a client that got none retries once. */
async function repel({ what, run, answer }: Attack, round: number): Promise<void> {
  const first = await run(raw, round);
  const result = first === '' && answer !== '' ? await run(raw, round) : first;
  expect([what, result]).toEqual([what, expect.stringContaining(answer)]);
}

/** A watch begins with them: together they exceed the buffers of a connection whose client reads nothing. */
async function createLargeObjects(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const data = { padding: 'x'.repeat(900_000) };
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const body = JSON.stringify({ metadata: { name }, data });
    expect((await raw.send({ method: 'POST', path: configMaps, body, headers })).status).toBe(201);
  }
}

/** Half of them close their connection, and half of them are disconnected without a close. */
function leave(sockets: readonly Socket[]): void {
  for (const [i, socket] of sockets.entries()) {
    if (i % 2 === 0) socket.end();
    else raw.cutOff(socket);
  }
  for (const socket of sockets) socket.destroy();
}

function smallest(numbers: readonly number[]): number {
  return Math.min(...numbers);
}
