import type { Node } from '@coracle/api';
import {
  type ApiResponse,
  bodyBytes,
  type Channel,
  commandChannels,
  frame,
  spdyPortForward,
  unframe,
} from '@coracle/apimachinery';
import type { ForwardedRequest, NodeConnector } from '@coracle/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A connector to two kubelets: one responds, the other does not. */
export interface NodeConnectorHarness extends AsyncDisposable {
  readonly connector: NodeConnector;
  /**
   * Its kubelet runs the pod `web` in the namespace `default`, whose container `c` has `cat` and wrote a line to its
   * log.
   */
  readonly node: Node;
  /** Its kubelet does not answer. */
  readonly unreachable: Node;
}

const request = (path: string, query = '', signal = new AbortController().signal): ForwardedRequest => ({
  method: 'GET',
  path,
  query,
  headers: {},
  signal,
});
const catIn = (container: string) => ({
  ...request(`/exec/default/web/${container}`, 'input=1&output=1&error=1&command=cat'),
  method: 'POST',
});

/** Reads an answer to its end. */
async function textOf({ body }: ApiResponse): Promise<string> {
  return new TextDecoder().decode(await bodyBytes(body));
}

function channelOf(opened: Channel | ApiResponse): Channel {
  if ('status' in opened) throw new Error(`the kubelet answered ${opened.status} instead of opening a channel`);
  return opened;
}

/** What a command wrote, by stream, until its channel closed. */
function outputOf(channel: Channel): Promise<Map<number, string>> {
  const output = new Map<number, string>();
  channel.onMessage((message) => {
    const { channel: stream, payload } = unframe(message) ?? { channel: -1, payload: new Uint8Array() };
    output.set(stream, (output.get(stream) ?? '') + new TextDecoder().decode(payload));
  });
  return new Promise((resolve) => channel.onClose(() => resolve(output)));
}

/** Requirements of the API server on connectors to kubelets: in its process, and over HTTPS. */
export function describeNodeConnector(name: string, start: () => Promise<NodeConnectorHarness>): void {
  describe(`node connector contract: ${name}`, () => {
    let harness: NodeConnectorHarness;
    beforeAll(async () => {
      harness = await start();
    }, 120_000);
    afterAll(() => harness?.[Symbol.asyncDispose](), 60_000);

    test('a request is answered by the kubelet of the node', async () => {
      const answer = await harness.connector.request(harness.node, request('/pods'));
      expect(answer.status).toBe(200);
      const { items } = JSON.parse(await textOf(answer));
      expect(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['web']);
    });

    test('the query arrives: of a log, no more than is requested', async () => {
      const log = (query: string) =>
        harness.connector.request(harness.node, request('/containerLogs/default/web/c', query)).then(textOf);
      const whole = await log('');
      expect(whole.length).toBeGreaterThan(5);
      expect(await log('limitBytes=5')).toBe(whole.slice(0, 5));
    });

    test.each([
      ['a path that no kubelet has', '/nowhere'],
      ['the log of a pod that is not there', '/containerLogs/default/missing/c'],
    ])('%s is rejected by the kubelet: its response, not a failure of the connector', async (_what, path) => {
      const answer = await harness.connector.request(harness.node, request(path));
      expect(answer.status).toBe(404);
    });

    test('a command gets its input and returns its output and its end, in an offered protocol', async () => {
      const offered = ['v5.channel.k8s.io'];
      const channel = channelOf(await harness.connector.connect(harness.node, catIn('c'), offered));
      expect(offered).toContain(channel.protocol);
      const ended = outputOf(channel);
      channel.send(frame(commandChannels.stdin, new TextEncoder().encode('hello')));
      channel.send(frame(commandChannels.close, Uint8Array.of(commandChannels.stdin)));
      const output = await ended;
      expect(output.get(commandChannels.stdout)).toBe('hello');
      expect(JSON.parse(output.get(commandChannels.error) ?? '')).toMatchObject({ status: 'Success' });
    });

    test('a channel that the kubelet rejects returns its response', async () => {
      const opened = await harness.connector.connect(harness.node, catIn('missing'), ['v5.channel.k8s.io']);
      if (!('status' in opened)) throw new Error('a channel was opened');
      expect([opened.status, await textOf(opened)]).toEqual([500, 'container not found ("missing")']);
    });

    test('a channel to ports opens in the one protocol that there is for it, and closes', async () => {
      const portForward = { ...request('/portForward/default/web'), method: 'POST' };
      const channel = channelOf(await harness.connector.connect(harness.node, portForward, [spdyPortForward]));
      expect(channel.protocol).toBe(spdyPortForward);
      const closed = new Promise<void>((resolve) => channel.onClose(() => resolve()));
      channel[Symbol.dispose]();
      await closed;
    });

    test('a kubelet that does not respond is ServiceUnavailable, for requests and for channels', async () => {
      const { connector, unreachable } = harness;
      const failed = { status: { code: 503, message: expect.stringContaining('error dialing backend: ') } };
      await expect(connector.request(unreachable, request('/pods'))).rejects.toMatchObject(failed);
      const connecting = connector.connect(unreachable, catIn('c'), ['v5.channel.k8s.io']);
      await expect(connecting).rejects.toMatchObject(failed);
    });
  });
}
