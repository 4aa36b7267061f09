import type { ApiResponse } from '@coracle/apimachinery';
import { CriError, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { openStream } from './open-stream.js';

/** A node with one pod, `default/web`, whose container `app` was started twice. */
function node() {
  const requests: unknown[] = [];
  const runtime: Partial<RuntimeService> = {
    listContainers: async ({ filter }) => {
      const isIt = filter?.labelSelector?.['io.kubernetes.container.name'] === 'app';
      return {
        containers: isIt
          ? [
              { id: 'old', createdAt: 1 },
              { id: 'new', createdAt: 2 },
            ]
          : [],
      };
    },
    listPodSandbox: async ({ filter }) => ({
      items: filter?.labelSelector?.['io.kubernetes.pod.name'] === 'web' ? [{ id: 's' }] : [],
    }),
    exec: async (request) => {
      requests.push(request);
      if (request.cmd?.[0] === 'gone') throw new CriError('NotFound', 'no such container');
      return { url: 'http://runtime/exec/1' };
    },
    attach: async (request) => {
      requests.push(request);
      return { url: 'http://runtime/attach/1' };
    },
    portForward: async (request) => {
      requests.push(request);
      return { url: 'http://runtime/portforward/1' };
    },
  };
  const streams = {
    connect: async (url: string, protocols: readonly string[]): Promise<ApiResponse> => {
      requests.push([url, ...protocols]);
      return { status: 200, headers: {}, body: { kind: 'empty' } };
    },
  };
  // The kubelet reads nothing else here.
  const pods = () => ['web', 'starting'].map((name) => ({ metadata: { name, namespace: 'default' } }));
  return { requests, parts: { runtime: runtime as RuntimeService, streams, pods } };
}

async function open(path: string, query: string) {
  const { requests, parts } = node();
  const answer = (await openStream(parts, { path, query }, ['v5.channel.k8s.io'])) as ApiResponse;
  const { body } = answer;
  const text = body.kind === 'bytes' ? body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('') : '';
  return { status: answer.status, text, requests };
}

describe('K33.6 streams', () => {
  const commands = { containerId: 'new', stdin: false, stdout: true, tty: false };
  test.each([
    [
      '/exec/default/web/app',
      'output=1&error=1&command=ls&command=-l',
      { ...commands, cmd: ['ls', '-l'], stderr: true },
      'exec',
    ],
    ['/exec/default/web/1234/app', 'output=1&command=ls', { ...commands, cmd: ['ls'], stderr: false }, 'exec'],
    [
      '/attach/default/web/app',
      'output=1&input=1&error=1&tty=1',
      { ...commands, stdin: true, stderr: false, tty: true },
      'attach',
    ],
    ['/portForward/default/web', 'port=80&port=81,82', { podSandboxId: 's', port: [80, 81, 82] }, 'portforward'],
  ])('%s?%s is passed to the runtime, and connected to the returned address', async (path, query, request, kind) => {
    const { requests } = await open(path, query);
    expect(requests).toEqual([request, [`http://runtime/${kind}/1`, 'v5.channel.k8s.io']]);
  });

  test.each([
    ['/exec/default/web/app', 'command=ls', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    ['/exec/default/web/other', 'output=1', 500, 'container not found ("other")'],
    ['/exec/default/web/app', 'output=1&command=gone', 404, 'no such container'],
    ['/exec/default/none/app', 'output=1', 404, 'pod does not exist'],
    ['/attach/other/web/app', 'output=1', 404, 'pod does not exist'],
    ['/portForward/default/none', '', 404, 'pod does not exist'],
    ['/portForward/default/starting', '', 500, 'pod not found ("starting_default")'],
    ['/portForward/default/web', 'port=http', 400, 'unable to parse "http" as a port'],
    ['/portForward/default/web', 'port=70000', 400, 'unable to parse "70000" as a port'],
    ['/other/default/web', '', 404, '404 page not found\n'],
  ])('%s?%s is refused', async (path, query, status, text) => {
    expect(await open(path, query)).toMatchObject({ status, text });
  });
});
