import { expect, test } from 'vitest';
import { createCriClient } from './cri-client.js';
import { serveStarts } from './start-server.fixture.js';

test('responses and errors are those of any connection', async () => {
  await using server = await serveStarts((id) => (id === 'good' ? undefined : 'no such container: "ä"'));
  using client = createCriClient({ endpoint: server.endpoint, holdStarts: true });
  await expect(client.runtime.startContainer({ containerId: 'good' })).resolves.toEqual({});
  await expect(client.runtime.startContainer({ containerId: 'bad' })).rejects.toMatchObject({
    code: 'NotFound',
    message: 'no such container: "ä"',
  });
});

test('a client that was stopped opens no connection', async () => {
  await using server = await serveStarts(() => undefined);
  const client = createCriClient({ endpoint: server.endpoint, holdStarts: true });
  client[Symbol.dispose]();
  await expect(client.runtime.startContainer({ containerId: 'c1' })).rejects.toMatchObject({ code: 'Canceled' });
});

test('a server that does not respond, and one that was restarted', async () => {
  const first = await serveStarts(() => undefined);
  using client = createCriClient({ endpoint: first.endpoint, holdStarts: true });
  await client.runtime.startContainer({ containerId: 'c1' });
  await first[Symbol.asyncDispose]();
  await expect(client.runtime.startContainer({ containerId: 'c1' })).rejects.toMatchObject({ code: 'Unavailable' });
  await using _again = await serveStarts(() => undefined, first.endpoint);
  await expect
    .poll(() => client.runtime.startContainer({ containerId: 'c1' }).catch(() => 'refused'), { timeout: 20_000 })
    .toEqual({});
});
