import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JoinedNode } from './joined-node.js';
import { canMakeRealNodes, NetworkNode } from './network-node.js';
import { create, inPod, toolPod } from './tool-pods.js';

/** What the conformance tests with two nodes ask of them: pods on either, services between them, names, logs and commands. */
describe.skipIf(!canMakeRealNodes)('a cluster of two real machines', { timeout: 300_000 }, () => {
  let first: NetworkNode;
  let second: JoinedNode;
  const addressOf = (pod: string) => first.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const netexec = ['--http-port=8080', '--udp-port=8081'];

  beforeAll(async () => {
    first = await NetworkNode.make('--listen', '192.0.2.1:6443');
    second = await JoinedNode.make(first);
    await first.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s');
    const labels = { app: 'net' };
    const on = (nodeName: string) => ({ labels, netexec, spec: { nodeName } });
    await create(first, toolPod('server1', on('node1')), toolPod('server2', on('node2')));
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    const spec = { type: 'NodePort', selector: labels, ports };
    await first.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'net' }, spec });
  }, 300_000);
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]();
    await first?.[Symbol.asyncDispose]();
  }, 60_000);

  test('pods of both machines reach each other by http and udp', async () => {
    const [one, two] = [await addressOf('server1'), await addressOf('server2')];
    for (const [protocol, port] of [['http', 8080] as const, ['udp', 8081] as const])
      for (const [from, to, host] of [['server1', 'server2', two] as const, ['server2', 'server1', one] as const]) {
        const query = `request=hostname&protocol=${protocol}&host=${host}&port=${port}&tries=1`;
        const dial = () => inPod(first, from, `curl -g -q -s 'http://127.0.0.1:8080/dial?${query}'`);
        await first.until(new RegExp(`^\\{"responses":\\["${to}"\\]\\}$`), dial);
      }
  });

  test('a service leads to the pods of both, from pods of either and from node ports of either', async () => {
    const nodePort = await first.kubectl('get', 'svc', 'net', '-o', 'jsonpath={.spec.ports[0].nodePort}');
    const reached = new Map<string, Set<string>>();
    const ask = async (from: string, url: string) => {
      const names = reached.get(`${from} ${url}`) ?? new Set();
      reached.set(`${from} ${url}`, names.add(await inPod(first, from, `curl -s --max-time 5 ${url}/hostname`)));
      return [...names].sort().join(' ');
    };
    for (const from of ['server1', 'server2'])
      for (const host of ['net.default', `192.0.2.1:${nodePort}`, `192.0.2.2:${nodePort}`])
        await first.until(/^server1 server2$/, () => ask(from, `http://${host}`));
  });

  test('pods of the machine that joined resolve names, reach the API server, and have logs and commands', async () => {
    const lookup = await inPod(first, 'server2', 'nslookup kubernetes.default.svc.cluster.local');
    expect(lookup).toContain('Address: 10.96.0.1');
    expect(await inPod(first, 'server2', 'curl -sk https://kubernetes.default/healthz')).toBe('ok');
    const spec = { nodeName: 'node2', restartPolicy: 'Never' };
    await first.apply(toolPod('idle', { spec }));
    await first.kubectl('wait', '--for=condition=Ready', 'pod/idle', '--timeout=60s');
    expect(await inPod(first, 'idle', 'hostname')).toBe('idle');
    expect(await first.kubectl('logs', 'idle')).toBe('');
    expect(await first.kubectl('get', '--raw', '/api/v1/nodes/node2/proxy/healthz')).toBe('ok');
  });

  test('a kubelet that starts again goes on with its credentials, and its pods stay connected', async () => {
    await second.stop('SIGTERM');
    await second.start();
    const address = await addressOf('server2');
    await first.until(/^server2$/, () =>
      inPod(first, 'server1', `curl -s --max-time 5 http://${address}:8080/hostname`),
    );
    await create(first, toolPod('later', { netexec, spec: { nodeName: 'node2' } }));
    const later = await addressOf('later');
    await first.until(/^later$/, () => inPod(first, 'server1', `curl -s --max-time 5 http://${later}:8080/hostname`));
  });
});
