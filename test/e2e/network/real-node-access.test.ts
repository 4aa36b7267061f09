import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox } from '../containerd/containerd.js';
import { canMakeRealNodes, NetworkNode } from './network-node.js';

const serve = 'mkdir -p /tmp/w; hostname > /tmp/w/index.html; httpd -p 8080 -h /tmp/w; exec sleep 3600';

describe.skipIf(!canMakeRealNodes)('pods of a real node: through the API server, by host ports, by names', () => {
  let node: NetworkNode;

  beforeAll(async () => {
    node = await NetworkNode.make();
    const command = ['--command', '--', 'sh', '-c', serve];
    await node.kubectl('run', 'web', `--image=${busybox}`, '--labels=app=web', '--port=8080', ...command);
    await node.kubectl('expose', 'pod', 'web', '--port=80', '--target-port=8080');
    await node.kubectl('wait', '--for=condition=Ready', 'pod/web', '--timeout=100s');
  }, 240_000);
  afterAll(() => node?.[Symbol.asyncDispose](), 60_000);

  test('the proxies of pods and services', async () => {
    const paths = ['pods/web:8080', 'pods/http:web:8080', 'services/web', 'services/web:80', 'services/http:web:80'];
    for (const path of paths)
      await node.until(/^web$/, () => node.kubectl('get', '--raw', `/api/v1/namespaces/default/${path}/proxy/`));
    const page = await node.kubectl('get', '--raw', '/api/v1/namespaces/default/services/web/proxy/index.html?x=1');
    expect(page).toBe('web');
    const missing = await node.kubectl('get', '--raw', '/api/v1/namespaces/default/services/web/proxy/nothing');
    expect(missing).toMatch(/NotFound|not find|404/i);
  }, 120_000);

  test('pods with one host port that differ in address or protocol run side by side, each with its limit', async () => {
    const ports = { first: ['127.0.0.1', 'TCP'], second: ['192.0.2.1', 'TCP'], third: ['192.0.2.1', 'UDP'] };
    for (const [name, [hostIP, protocol]] of Object.entries(ports))
      await node.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations: { 'kubernetes.io/egress-bandwidth': '80M' } },
        spec: {
          containers: [
            {
              name: 'c',
              image: busybox,
              command: ['sh', '-c', serve],
              ports: [{ containerPort: 8080, hostPort: 18_090, hostIP, protocol }],
            },
          ],
        },
      });
    const pods = Object.keys(ports).map((name) => `pod/${name}`);
    expect(await node.kubectl('wait', '--for=condition=Ready', ...pods, '--timeout=100s')).not.toContain('timed out');
    await node.until(/^first$/, () => node.run('curl', '-s', '-m', '5', 'http://127.0.0.1:18090/'));
    await node.until(/^second$/, () => node.run('curl', '-s', '-m', '5', 'http://192.0.2.1:18090/'));
    await node.until(/^second$/, () => node.ask('web', '192.0.2.1', 18_090));
    const limits = async () => (await node.run('nft', 'list', 'ruleset')).match(/limit rate over/g)?.length;
    expect(await limits()).toBe(3);
    // What another program flushes is written again within half a minute.
    await node.run('nft', 'flush', 'ruleset');
    expect(await node.run('nft', 'list', 'ruleset')).not.toContain('18090');
    await node.until(/^first$/, () => node.run('curl', '-s', '-m', '5', 'http://127.0.0.1:18090/'));
    await node.until(/^second$/, () => node.ask('web', '192.0.2.1', 18_090));
    expect(await limits()).toBe(3);
  }, 240_000);

  test('a pod finds itself in /etc/hosts', async () => {
    const address = await node.kubectl('get', 'pod', 'web', '-o', 'jsonpath={.status.podIP}');
    const hosts = await node.kubectl('exec', 'web', '--', 'cat', '/etc/hosts');
    expect(hosts).toMatch(new RegExp(`^${address.replaceAll('.', '\\.')}\\s+web$`, 'm'));
    expect(hosts).toMatch(/^127\.0\.0\.1\s+localhost$/m);
  }, 60_000);
});
