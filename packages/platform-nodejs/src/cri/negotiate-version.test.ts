import { join } from 'node:path';
import { createCodec, layout } from '@coracle/cri';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { negotiateVersion } from './cri-client.js';
import { serveGrpc } from './grpc-server.js';

/** A runtime that reports this many times that it is not initialized. */
async function startingRuntime(refusals: number) {
  const path = join(await temporaryFolder(), 'runtime.sock');
  let count = 0;
  const answer = () => {
    if (count++ < refusals) throw new Error('server is not initialized yet');
    return { runtimeName: 'containerd', runtimeApiVersion: 'v1' };
  };
  const version = { request: 'VersionRequest', response: 'VersionResponse', answer };
  const server = await serveGrpc(path, createCodec(layout), { 'runtime.v1.RuntimeService': { Version: version } });
  return { endpoint: `unix://${path}`, count: () => count, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('waits for a runtime that recovers its containers', async () => {
  await using runtime = await startingRuntime(2);
  const response = await negotiateVersion(runtime, { patienceMs: 60_000, pauseMs: 1 });
  expect([response.runtimeName, runtime.count()]).toEqual(['containerd', 3]);
});

test('but not without limit', async () => {
  await using runtime = await startingRuntime(9);
  const asking = negotiateVersion(runtime, { patienceMs: 2, pauseMs: 1 });
  await expect(asking).rejects.toThrow('server is not initialized yet');
  expect(runtime.count()).toBe(3);
});
