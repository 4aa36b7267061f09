import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { badRequests } from './bad-requests.js';
import { RawClient } from './raw-client.js';
import { RunningCluster } from './running-cluster.js';

let cluster: RunningCluster;
let raw: RawClient;
beforeAll(async () => {
  cluster = await RunningCluster.start({ flags: ['--nodes', '1', '--store', 'memory'] });
  raw = new RawClient(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('bad requests over real sockets get the right status and a clear message', () => {
  test.each(badRequests(0))('$what', async (request) => {
    const { status, body } = await raw.send(request);
    expect([status, body.reason]).toEqual([request.status, request.reason]);
    expect(body.message).toContain(request.words);
  });
});
