import type { Pod } from '@coracle/api';
import { type ApiRequest, type ApiResponse, acceptsValues, bodyBytes } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { ContainerState, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { fakeApi, sentBody } from '../fake-api.fixture.js';
import { defaultSettings } from '../settings.js';
import { type NodeAccessOptions, nodeAccess, subresourcesOf } from './node-access.js';
import type { NodeLogs } from './node-logs.js';
import { createNodeServer, type NodeServerOptions } from './node-server.js';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { containers: [{ name: 'app' }, { name: 'new' }] },
  status: {
    containerStatuses: [
      { name: 'app', image: '', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
      {
        name: 'new',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ErrImagePull' } },
      },
    ],
  },
};

const runtime: Partial<RuntimeService> = {
  listContainers: async ({ filter }) => {
    const name = filter?.labelSelector?.['io.kubernetes.container.name'];
    const labels = {
      'io.kubernetes.pod.uid': 'u',
      'io.kubernetes.pod.name': 'web',
      'io.kubernetes.pod.namespace': 'shop',
    };
    const app = {
      id: 'c1',
      labels,
      state: ContainerState.CONTAINER_RUNNING,
      metadata: { name: 'app' },
      image: { image: 'i' },
    };
    return { containers: name === undefined || name === 'app' ? [app] : [] };
  },
  containerStatus: async ({ containerId = '' }) => ({
    status: { id: containerId, state: ContainerState.CONTAINER_EXITED },
  }),
  execSync: async ({ cmd = [] }) =>
    cmd[0] === 'false'
      ? { exitCode: 1, stderr: new TextEncoder().encode('no') }
      : { stdout: new TextEncoder().encode(cmd.join('|')) },
};

const noStreams = {
  connect: async (): Promise<ApiResponse> => ({ status: 200, headers: {}, body: { kind: 'empty' } }),
};

const viewport = '<meta name="viewport" content="width=device-width">';
const nodeLogs: NodeLogs = {
  async open(path) {
    if (path === '') return { kind: 'folder', names: ['a b', 'pods/'] };
    return path === 'syslog' ? { kind: 'file', pieces: hello() } : undefined;
  },
};

async function* hello(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('hello\n');
}

function serverWith(more: Partial<NodeServerOptions> = {}) {
  return createNodeServer({
    runtime: runtime as RuntimeService,
    streams: noStreams,
    clock: new VirtualClock(),
    pods: () => [pod],
    pages: { '/stats/summary': async () => ({ contentType: 'application/json', text: '{}' }) },
    check: () => {},
    logs: {
      open: async () => ({
        size: async () => 0,
        read: async (offset) => new TextEncoder().encode(offset === 0 ? '2026-01-01T00:00:00Z stdout F hello\n' : ''),
        changed: async () => {},
        successor: async () => undefined,
        [Symbol.asyncDispose]: async () => {},
      }),
    },
    nodeLogs,
    ...more,
  });
}

const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => {
  const [bare = '', query = ''] = path.split('?');
  return { method: 'GET', path: bare, query, headers: {}, ...more };
};

async function textOf({ status, body }: ApiResponse): Promise<string> {
  return `${status} ${new TextDecoder().decode(await bodyBytes(body))}`;
}

const ask = async (path: string, more: Partial<ApiRequest> = {}, options: Partial<NodeServerOptions> = {}) =>
  textOf(await serverWith(options).exchange(get(path, more)));

describe("a node's server", () => {
  test('sends a value as JSON, or as a value to clients in the process', async () => {
    const value = { node: { nodeName: 'a' } };
    const server = serverWith({ pages: { '/stats/summary': async () => ({ value }) } });
    const encoded = await server.exchange(get('/stats/summary'));
    expect(encoded.headers['content-type']).toBe('application/json');
    expect(await textOf(encoded)).toBe(`200 ${JSON.stringify(value, undefined, 1)}`);
    const { body } = await server.exchange(get('/stats/summary', { headers: { [acceptsValues]: '1' } }));
    expect(body.kind === 'value' && body.value).toBe(value);
  });

  test.each([
    ['/healthz', '200 ok'],
    ['/stats/summary', '200 {}'],
    ['/stats/summary/', '200 {}'],
    ['/nothing', '404 404 page not found\n'],
    ['/constructor', '404 404 page not found\n'],
    ['/containerLogs/shop/web/app', '200 hello\n'],
    ['/containerLogs/shop/web/app?previous=true', '400 previous terminated container "app" in pod "web" not found'],
    ['/containerLogs/shop/web/new', '400 container "new" in pod "web" is waiting to start: image can\'t be pulled'],
    ['/containerLogs/shop/web/none', '404 container "none" not found in pod "web"'],
    ['/containerLogs/shop/none/app', '404 pod "none" does not exist\n'],
    ['/logs/syslog', '200 hello\n'],
    ['/logs/none', '404 404 page not found\n'],
    ['/logs/', `200 <!doctype html>\n${viewport}\n<pre>\n<a href="a%20b">a b</a>\n<a href="pods/">pods/</a>\n</pre>\n`],
    ['/exec/shop/web/app', '400 unable to upgrade: missing upgrade headers in request\n'],
  ])('K1.10 answers %s', async (path, expected) => {
    expect(await ask(path)).toBe(expected);
  });

  test.each([
    ['/run/shop/web/app', 'POST'],
    ['/exec/shop/web/app', 'POST'],
    ['/attach/shop/web/app', 'POST'],
    ['/portForward/shop/web', 'POST'],
    ['/containerLogs/shop/web/app', 'GET'],
    ['/runningpods/', 'GET'],
    ['/debug/pprof/heap', 'GET'],
    ['/logs/syslog', 'GET'],
  ])('%s is refused where debugging is disabled', async (path, method) => {
    const server = serverWith({ enableDebuggingHandlers: false });
    const answers = [await server.exchange(get(path, { method })), await server.connect(get(path, { method }), [])];
    for (const answer of answers) {
      expect(await textOf(answer as ApiResponse)).toBe('405 Debug endpoints are disabled.\n');
      expect(answer).toMatchObject({ headers: { 'content-type': 'text/plain; charset=utf-8' } });
    }
  });

  test('health, pods and statistics are shown where debugging is disabled', async () => {
    const disabled = { enableDebuggingHandlers: false };
    expect(await ask('/healthz', {}, disabled)).toBe('200 ok');
    expect(await ask('/stats/summary', {}, disabled)).toBe('200 {}');
    expect(await ask('/pods', {}, disabled)).toContain('PodList');
    const guard = async (): Promise<ApiResponse> => ({ status: 401, headers: {}, body: { kind: 'empty' } });
    expect(await ask('/logs/', {}, { ...disabled, access: guard })).toBe('401 ');
  });

  test('lists pods, and their containers', async () => {
    expect(JSON.parse((await ask('/pods')).slice(4))).toMatchObject({ kind: 'PodList', items: [pod] });
    expect(JSON.parse((await ask('/runningpods/')).slice(4))).toMatchObject({
      items: [{ metadata: { name: 'web', uid: 'u' }, spec: { containers: [{ name: 'app', image: 'i' }] } }],
    });
  });

  test('runs commands', async () => {
    expect(await ask('/run/shop/web/app?cmd=ls%20-l', { method: 'POST' })).toBe('200 ls|-l');
    expect(await ask('/run/shop/web/app?cmd=false', { method: 'POST' })).toBe("500 command 'false' exited with 1: no");
    expect(await ask('/run/shop/web/app?cmd=ls')).toBe('405 405: Method Not Allowed');
    expect(await ask('/checkpoint/shop/web/app', { method: 'POST' })).toBe('404 checkpointing is not supported\n');
  });

  test('reports why it is unhealthy', async () => {
    const check = () => {
      throw new Error('the runtime is down');
    };
    expect(await ask('/healthz', {}, { check })).toBe(
      '500 [-]syncloop failed: the runtime is down\nhealthz check failed\n',
    );
  });
});

/** Requests to the API server. */
interface Review {
  readonly spec: { readonly resourceAttributes: { readonly subresource: string } };
}

describe('access to a node', () => {
  test.each([
    ['/stats/summary', ['stats']],
    ['/metrics/cadvisor', ['metrics']],
    ['/logs/', ['log']],
    ['/pods', ['pods', 'proxy']],
    ['/configz', ['configz', 'proxy']],
    ['/podsx', ['proxy']],
    ['/exec/a/b/c', ['proxy']],
  ])('%s is %j', (path, subresources) => {
    expect(subresourcesOf(path)).toEqual(subresources);
  });

  function guarded(allowed: string, more: Partial<NodeAccessOptions> = {}) {
    const { client, requests } = fakeApi((request) => {
      if (request.path.endsWith('tokenreviews'))
        return { status: { authenticated: true, user: { username: 'ann', groups: ['dev'] } } };
      const { spec } = sentBody(request) as Review;
      return { status: { allowed: spec.resourceAttributes.subresource === allowed } };
    });
    const clock = new VirtualClock();
    const access = nodeAccess({ client, clock, nodeName: 'node-1', ...more });
    return { access, requests, clock };
  }

  const withToken = { headers: { authorization: 'Bearer t' } };

  test('a request without credentials is refused', async () => {
    expect(await ask('/pods', {}, guarded('pods'))).toBe('401 Unauthorized');
    const bad = { headers: { authorization: 'Basic x' } };
    expect(await ask('/pods', bad, guarded('pods'))).toBe('401 Unauthorized');
  });

  test('users are authorized once, and allowed what the API server allows', async () => {
    const { access, requests } = guarded('stats');
    expect(await ask('/stats/summary', withToken, { access })).toBe('200 {}');
    expect(await ask('/stats/summary', withToken, { access })).toBe('200 {}');
    expect(requests).toHaveLength(2);
    expect(await ask('/pods', withToken, { access })).toBe(
      '403 Forbidden (user=ann, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });

  const { authentication, authorization } = defaultSettings;

  test('a request without credentials is anonymous where that is enabled', async () => {
    const more = { authentication: { ...authentication, anonymous: { enabled: true } } };
    expect(await ask('/pods', {}, guarded('pods', more))).toContain('PodList');
    expect(await ask('/pods', {}, guarded('stats', more))).toBe(
      '403 Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });

  test('AlwaysAllow allows every authenticated client', async () => {
    const more = { authorization: { ...authorization, mode: 'AlwaysAllow' as const } };
    const { access, requests } = guarded('none', more);
    expect(await ask('/pods', withToken, { access })).toContain('PodList');
    expect(await ask('/pods', {}, { access })).toBe('401 Unauthorized');
    expect(requests).toEqual(['POST /apis/authentication.k8s.io/v1/tokenreviews']);
  });

  test('no token is valid if token review is disabled', async () => {
    const more = { authentication: { ...authentication, webhook: { enabled: false, cacheTTL: 0 } } };
    const { access, requests } = guarded('pods', more);
    expect(await ask('/pods', withToken, { access })).toBe('401 Unauthorized');
    expect(requests).toEqual([]);
  });

  test.each([
    { allowed: 'stats', path: '/stats/summary', afterMs: 299_999, reviews: 0 },
    { allowed: 'stats', path: '/stats/summary', afterMs: 300_000, reviews: 1 },
    { allowed: 'none', path: '/stats/summary', afterMs: 29_999, reviews: 0 },
    { allowed: 'none', path: '/stats/summary', afterMs: 30_000, reviews: 1 },
  ])('decisions are cached for their TTL: $allowed after $afterMs ms', async ({ allowed, path, afterMs, reviews }) => {
    const { access, requests, clock } = guarded(allowed);
    const reviewed = () => requests.filter((one) => one.endsWith('subjectaccessreviews')).length;
    await ask(path, withToken, { access });
    expect(reviewed()).toBe(1);
    await clock.advance(afterMs);
    await ask(path, withToken, { access });
    expect(reviewed()).toBe(1 + reviews);
  });

  test('a client certificate needs no review', async () => {
    const { access, requests } = guarded('proxy');
    const peer = { certificate: { commonName: 'kube-apiserver', organizations: ['system:masters'] } };
    expect(await ask('/pods', { peer }, { access })).toContain('PodList');
    const opened = await serverWith({ access: guarded('none').access }).connect(
      get('/exec/shop/web/app', { peer }),
      [],
    );
    expect(await textOf(opened as ApiResponse)).toContain('403 Forbidden (user=kube-apiserver');
    expect(requests.every((one) => one.endsWith('subjectaccessreviews'))).toBe(true);
  });
});
