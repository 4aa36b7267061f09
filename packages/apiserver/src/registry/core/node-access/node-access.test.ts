import type { Node } from '@coracle/api';
import type { Channel } from '@coracle/apimachinery';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AdmissionPlugin } from '../../../admission/admission.js';
import type { Dialer, OutboundRequest } from '../../../outbound/dialer.js';
import { startTestServer, type TestServer } from '../../../server.fixture.js';
import { nodeAccess } from './node-access.js';
import type { ForwardedRequest, NodeConnector } from './node-connector.js';
import { parseProxyName } from './proxy-targets.js';

const pods = '/api/v1/namespaces/default/pods';
const ok = { status: 200, headers: {}, body: { kind: 'bytes' as const, chunks: [new TextEncoder().encode('"ok"')] } };

/** Records its requests and allows everything. */
class RecordingConnector implements NodeConnector {
  readonly requests: string[] = [];
  #note(where: string, { method, path, query }: OutboundRequest): void {
    this.requests.push(`${where} ${method} ${path}${query ? `?${query}` : ''}`);
  }
  async request(node: Node, request: ForwardedRequest) {
    this.#note(node.metadata.name ?? '', request);
    return ok;
  }
  async connect(node: Node, request: ForwardedRequest, [protocol = '']: readonly string[]): Promise<Channel> {
    this.#note(node.metadata.name ?? '', request);
    return { protocol, send() {}, onMessage() {}, onClose() {}, [Symbol.dispose]() {} };
  }
  readonly dialer: Dialer = {
    request: async ({ scheme, host, port }, request) => {
      this.#note(`${scheme}://${host}:${port}`, request);
      return ok;
    },
    connect: () => Promise.reject(new Error('asked')),
  };
}

let connector: RecordingConnector;
let server: TestServer;
beforeEach(async () => {
  connector = new RecordingConnector();
  server = await startTestServer({ subresources: () => nodeAccess(connector), dialer: connector.dialer });
  await server.call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  await addPod('one', ['c'], 'n1');
  await addPod('two', ['a', 'b'], 'n1');
  await addPod('pending', ['c']);
});

async function addPod(name: string, containers: readonly string[], nodeName?: string): Promise<void> {
  const spec = { nodeName, containers: containers.map((container) => ({ name: container, image: 'i' })) };
  const { body } = await server.call('POST', pods, { metadata: { name }, spec });
  const status = { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] };
  if (nodeName) await server.call('PUT', `${pods}/${name}/status`, { ...body, status });
}

const open = (path: string, query: string) =>
  server.server.connect(
    { method: 'POST', path, query, headers: {}, peer: { user: { name: 'admin', groups: ['system:masters'] } } },
    ['v5.channel.k8s.io'],
  );

describe('RES-07 logs', () => {
  test('are requested from the kubelet, with the options of the client', async () => {
    await server.call('GET', `${pods}/one/log?tailLines=5&timestamps=true&follow=false`);
    expect(connector.requests).toEqual(['n1 GET /containerLogs/default/one/c?timestamps=true&tailLines=5']);
  });

  test.each([
    ['nope', '', 404, 'pods "nope" not found'],
    ['two', '', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['two', '?container=x', 400, 'container x is not valid for pod two'],
    [
      'one',
      '?tailLines=-1',
      422,
      'PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'one',
      '?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      422,
      'PodLogOptions "one" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
    ['one', '?stream=Stdout', 422, 'PodLogOptions "one" is invalid: stream: Forbidden: may not be specified'],
  ])('%s%s is refused', async (pod, query, status, message) => {
    const answer = await server.call('GET', `${pods}/${pod}/log${query}`);
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  test('of a pod that is not scheduled yet are empty', async () => {
    expect((await server.call('GET', `${pods}/pending/log`)).status).toBe(200);
    expect(connector.requests).toEqual([]);
  });
});

describe('RES-08 channels', () => {
  test('EXEC-02 EXEC-12 exec passes the streams and the command to the kubelet', async () => {
    const channel = await open(`${pods}/one/exec`, 'command=ls&command=-l&stdout=true&stdin=true&tty=false');
    expect(channel.protocol).toBe('v5.channel.k8s.io');
    expect(connector.requests).toEqual(['n1 POST /exec/default/one/c?input=1&output=1&command=ls&command=-l']);
  });

  test.each(['True', '1', '', 'yes'])('a stream is requested if its flag is %j', async (value) => {
    await open(`${pods}/one/exec`, `command=ls&stdout=${value}&stdin=False&stderr=0`);
    expect(connector.requests).toEqual(['n1 POST /exec/default/one/c?output=1&command=ls']);
  });

  test('EXEC-15 ports are forwarded to the pod', async () => {
    await open(`${pods}/one/portforward`, 'ports=80&ports=81');
    expect(connector.requests).toEqual(['n1 POST /portForward/default/one?port=80&port=81']);
  });

  test('EXEC-11 a pod without a node, and a request for no channel, are refused', async () => {
    await expect(open(`${pods}/pending/exec`, 'command=ls')).rejects.toThrow(
      'pod pending does not have a host assigned',
    );
    expect((await server.call('GET', `${pods}/one/exec?command=ls`)).status).toBe(400);
  });
});

describe('RES-09 proxies', () => {
  test('pods are reached at their port', async () => {
    await server.call('GET', `${pods}/https:one:8443/proxy/a/b?x=1`);
    await server.call('GET', `${pods}/one/proxy/`);
    expect(connector.requests).toEqual(['https://10.1.0.1:8443 GET /a/b?x=1', 'http://10.1.0.1:80 GET /']);
  });

  test.each(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'])(
    'proxy passes %s on, with and without a path',
    async (method) => {
      expect((await server.call(method, `${pods}/one/proxy?method=${method}`)).status).toBe(200);
      expect((await server.call(method, `${pods}/one/proxy/some/path`)).status).toBe(200);
      expect(connector.requests).toEqual([
        `http://10.1.0.1:80 ${method} /?method=${method}`,
        `http://10.1.0.1:80 ${method} /some/path`,
      ]);
    },
  );

  test('links of pages lead through the proxy, and certificates of pods are not verified', async () => {
    const page = { ...ok.body, chunks: [new TextEncoder().encode('<a href="/r">')] };
    let verifies: boolean | undefined;
    const dialer: Dialer = {
      ...connector.dialer,
      request: async ({ tls }) => {
        verifies = !tls?.insecureSkipVerify;
        return { status: 200, headers: { 'content-type': 'text/html' }, body: page };
      },
    };
    server = await startTestServer({ subresources: () => nodeAccess(connector), dialer });
    await server.call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await addPod('one', ['c'], 'n1');
    const path = `${pods}/https:one:443/proxy`;
    expect((await server.call('GET', `${path}/`)).body).toBe(`<a href="${path}/r">`);
    expect(verifies).toBe(false);
  });

  test.each(['GET', 'HEAD'])('proxy redirects %s without a path to the root below it', async (method) => {
    const { status, headers } = await server.call(method, `${pods}/one/proxy?method=${method}`);
    expect([status, headers.location]).toEqual([301, `${pods}/one/proxy/?method=${method}`]);
    expect(connector.requests).toEqual([]);
  });

  test('OPTIONS is served nowhere else', async () => {
    expect((await server.call('OPTIONS', `${pods}/one`)).status).toBe(405);
    expect((await server.call('OPTIONS', `${pods}/one/log`)).status).toBe(405);
  });

  test('nodes are reached at the port of their kubelet', async () => {
    await server.call('GET', '/api/v1/nodes/n1/proxy/stats/summary');
    expect(connector.requests).toEqual(['n1 GET /stats/summary']);
  });

  test('commands of a kubelet are reached through the proxy of its node', async () => {
    const { protocol } = await open('/api/v1/nodes/n1/proxy/exec/default/one/c', 'output=1&command=ls');
    expect(protocol).toBe('v5.channel.k8s.io');
    expect(connector.requests).toEqual(['n1 POST /exec/default/one/c?output=1&command=ls']);
  });

  test('services are reached at a ready endpoint, and there must be one', async () => {
    const services = '/api/v1/namespaces/default/services';
    await server.call('POST', services, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } });
    // As the controller makes it for a service without pods.
    await server.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'web-0', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [],
      endpoints: [],
    });
    const none = await server.call('GET', `${services}/web/proxy/`);
    expect([none.status, none.body.message]).toEqual([503, 'no endpoints available for service "web"']);
    await server.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [
        {
          addresses: ['10.1.0.1'],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', namespace: 'default', name: 'one' },
        },
        { addresses: ['10.1.0.8'], conditions: { ready: false } },
      ],
    });
    await server.call('GET', `${services}/web:http/proxy/hi`);
    expect(connector.requests).toEqual(['http://10.1.0.1:8080 GET /hi']);
  });

  test.each([
    ['names no pod', {}],
    ['is said to be of a pod elsewhere', { targetRef: { kind: 'Pod', namespace: 'other', name: 'one' } }],
    ['is not that of its pod', { targetRef: { kind: 'Pod', namespace: 'default', name: 'one' } }],
    ['is of no pod', { targetRef: { kind: 'Pod', namespace: 'default', name: 'nobody' } }],
  ])('no request is sent to an endpoint that %s', async (_how, more) => {
    const services = '/api/v1/namespaces/default/services';
    await server.call('POST', services, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } });
    await server.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [{ addresses: ['10.9.9.9'], conditions: { ready: true }, ...more }],
    });
    const { status } = await server.call('GET', `${services}/web:http/proxy/hi`);
    expect([status, connector.requests]).toEqual([503, []]);
  });

  test.each(['127.0.0.1', '169.254.169.254', '0.0.0.0', '224.0.0.1', '::1', 'fe80::1'])(
    'no request is sent to %s, for any status of the pod',
    async (ip) => {
      const { body } = await server.call('GET', `${pods}/one`);
      await server.call('PUT', `${pods}/one/status`, { ...body, status: { podIP: ip, podIPs: [{ ip }] } });
      const { status, body: refusal } = await server.call('GET', `${pods}/one:6443/proxy/`);
      expect([status, refusal.message, connector.requests]).toEqual([400, 'address not allowed', []]);
    },
  );

  test.each([
    ['web', { scheme: 'http', name: 'web', port: '' }],
    ['web:http', { scheme: 'http', name: 'web', port: 'http' }],
    ['https:web:', { scheme: 'https', name: 'web', port: '' }],
    ['ftp:web:1', undefined],
  ])('%s', (text, parsed) => expect(parseProxyName(text)).toEqual(parsed));
});

describe('EXEC-08 EXEC-09 EXEC-10 EXEC-11 EXEC-13 clients that request no upgrade', () => {
  test.each([
    ['nope/exec', 404, 'pods "nope" not found'],
    ['pending/exec', 400, 'pod pending does not have a host assigned'],
    ['one/exec?container=x', 400, 'container x is not valid for pod one'],
    ['two/exec', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['two/attach', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['one/exec', 400, 'Upgrade request required'],
    ['one/attach', 400, 'Upgrade request required'],
    ['one/portforward', 400, 'Upgrade request required'],
  ])('%s reports errors, and a missing upgrade last', async (path, status, message) => {
    const answer = await server.call('POST', `${pods}/${path}`);
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });
});

test('EXEC-07 discovery reports channels and nothing else', async () => {
  const { body } = await server.call('GET', '/api/v1');
  const verbsOf = (name: string) =>
    body.resources.find((one: { name: string; verbs: string[] }) => one.name === `pods/${name}`).verbs;
  for (const name of ['exec', 'attach', 'portforward']) expect(verbsOf(name)).toEqual(['create', 'get']);
});

test('WRITE-19 admission runs before the connection is opened', async () => {
  const requests: string[] = [];
  const plugin: AdmissionPlugin = {
    name: 'Nosy',
    handles: ({ operation }) => operation === 'CONNECT',
    validate: ({ resource, subresource }) => void requests.push(`${resource.resource}/${subresource}`),
  };
  const { call } = await startTestServer({ subresources: () => nodeAccess(connector), admission: () => [plugin] });
  for (const path of ['exec', 'proxy/x', 'log']) await call('GET', `${pods}/one/${path}`);
  await call('GET', '/api/v1/nodes/n1/proxy/x');
  expect(requests).toEqual(['pods/exec', 'pods/proxy', 'nodes/proxy']);
});
