import { type Channel, channelPair, failure, SpdyConnection } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import { type ConnectRequest, UpgradeRefused } from '../transport.js';
import { openChannel } from './open-channel.js';
import { exec } from './remote-command.js';

const where = { namespace: 'default', pod: 'web' };
const request = { path: '/exec', query: '' };
const protocols = { webSocket: ['v5.channel.k8s.io'], spdy: ['v4.channel.k8s.io', 'v3.channel.k8s.io'] };
const refusal = new UpgradeRefused(failure('Forbidden', 'no WebSocket here'));

function clientWith(answer: (request: ConnectRequest) => Channel | Error) {
  const offeredProtocols: string[] = [];
  const client = createClient({
    transport: {
      exchange: () => Promise.reject(new Error('none')),
      connect: async (one) => {
        offeredProtocols.push(`${one.over ?? 'WebSocket'} ${one.protocols.join(' ')}`);
        const answered = answer(one);
        if (answered instanceof Error) throw answered;
        return answered;
      },
    },
  });
  return { client, offeredProtocols };
}

describe('a channel', () => {
  test('uses WebSocket where that works', async () => {
    const [channel] = channelPair('v5.channel.k8s.io');
    const { client, offeredProtocols } = clientWith(() => channel);
    expect(await openChannel(client, request, protocols)).toEqual({ channel, overSpdy: false });
    expect(offeredProtocols).toEqual(['WebSocket v5.channel.k8s.io']);
  });

  test('EXEC-16 uses SPDY where WebSocket is rejected', async () => {
    const [channel] = channelPair('SPDY/3.1+v4.channel.k8s.io');
    const { client, offeredProtocols } = clientWith(({ over }) => (over ? channel : refusal));
    expect(await openChannel(client, request, protocols)).toEqual({ channel, overSpdy: true });
    expect(offeredProtocols[1]).toBe('SPDY/3.1 SPDY/3.1+v4.channel.k8s.io SPDY/3.1+v3.channel.k8s.io');
  });

  test('that fails over both protocols fails with the last error', async () => {
    const { client } = clientWith(({ over }) => (over ? new UpgradeRefused(failure('NotFound', 'no pod')) : refusal));
    await expect(openChannel(client, request, protocols)).rejects.toMatchObject({ status: { reason: 'NotFound' } });
  });

  test('whose connection breaks is not tried again', async () => {
    const { client, offeredProtocols } = clientWith(() => Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await expect(openChannel(client, request, protocols)).rejects.toThrow('reset');
    expect(offeredProtocols.length).toBe(1);
  });
});

/** A SPDY server that writes this to the error stream once all streams are open. */
function spdyServer(version: string, outcome: string | undefined, streamCount: number): Channel {
  const [near, far] = channelPair(`SPDY/3.1+${version}`);
  let open = 0;
  const connection: SpdyConnection = new SpdyConnection(far, {
    role: 'server',
    onStream: (stream) => {
      if (stream.headers['streamtype'] === 'error' && outcome !== undefined) {
        for (const piece of outcome.match(/.{1,7}/g) ?? []) stream.write(new TextEncoder().encode(piece));
        stream.end();
      } else if (stream.headers['streamtype'] === 'stdout') stream.end();
      if (++open === streamCount && outcome === undefined) connection[Symbol.dispose]();
    },
  });
  return near;
}

describe('EXEC-03 EXEC-05 a command over SPDY', () => {
  const success = '{"metadata":{},"status":"Success"}';
  const failed =
    '{"metadata":{},"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"9"}]}}';
  const cases = [
    { version: 'v4.channel.k8s.io', outcome: success, ends: 0 },
    { version: 'v4.channel.k8s.io', outcome: failed, ends: 9 },
    { version: 'v2.channel.k8s.io', outcome: '', ends: 0 },
    { version: 'v2.channel.k8s.io', outcome: 'it went wrong', ends: 'it went wrong' },
    { version: 'v4.channel.k8s.io', outcome: undefined, ends: 'the connection closed' },
    { version: 'v2.channel.k8s.io', outcome: undefined, ends: 'the connection closed' },
  ];
  test.each(cases)('$version: $outcome', async ({ version, outcome, ends }) => {
    const { client } = clientWith(({ over }) => (over ? spdyServer(version, outcome, 2) : refusal));
    const running = exec(client, { ...where, command: ['x'], stdout() {} });
    if (typeof ends === 'number') expect(await running).toEqual({ exitCode: ends });
    else await expect(running).rejects.toThrow(ends);
  });
});
