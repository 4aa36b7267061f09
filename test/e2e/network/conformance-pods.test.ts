import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeRealNodes, NetworkNode } from './network-node.js';
import { create, inPod, nodejsInPod, toolPod } from './tool-pods.js';

/** The steps of upstream's conformance tests of pods and names, with a server that replaces `agnhost netexec`. */
describe.skipIf(!canMakeRealNodes)('pods and names as the conformance tests use them', { timeout: 300_000 }, () => {
  let node: NetworkNode;
  const addressOf = (pod: string) => node.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const sendUdp = (pod: string, address: string, port: number) =>
    nodejsInPod(
      node,
      pod,
      `const s = require('dgram').createSocket('udp4'); s.on('message', (m) => { console.log(String(m)); process.exit(); });
       s.send('hostname', ${port}, '${address}'); setTimeout(() => process.exit(), 5000)`,
    );

  beforeAll(async () => {
    node = await NetworkNode.make();
    const subdomain = { hostname: 'dns-querier-1', subdomain: 'dns-test-service' };
    const ports = [{ name: 'http', containerPort: 8080 }];
    const labels = { 'dns-test': 'true' };
    const headless = { clusterIP: 'None', selector: labels, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] };
    await create(
      node,
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'dns-test-service' }, spec: headless },
      toolPod('server', { netexec: ['--http-port=8080', '--udp-port=8081'] }),
      toolPod('dialer', { netexec: [] }),
      toolPod('host', { spec: { hostNetwork: true } }),
      toolPod('querier', { labels, ports, netexec: [], spec: subdomain }),
    );
  }, 300_000);
  afterAll(() => node?.[Symbol.asyncDispose](), 60_000);

  test('granular checks: intra-pod and node-pod communication by http and udp', async () => {
    const [server, dialer] = [await addressOf('server'), await addressOf('dialer')];
    for (const [protocol, port] of [['http', 8080] as const, ['udp', 8081] as const]) {
      const query = `request=hostname&protocol=${protocol}&host=${server}&port=${port}&tries=1`;
      const dial = () => inPod(node, 'host', `curl -g -q -s 'http://${dialer}:8080/dial?${query}'`);
      await node.until(/^\{"responses":\["server"\]\}$/, dial);
    }
    await node.until(/^server$/, () =>
      inPod(node, 'host', `curl -g -q -s --max-time 15 http://${server}:8080/hostName`),
    );
    await node.until(/^server$/, () => sendUdp('host', server, 8081));
  });

  test('hostPort: pods with one port, other addresses and protocols, from the host network', async () => {
    const port = (hostIP: string, protocol: string) => [{ hostPort: 54_323, containerPort: 8080, hostIP, protocol }];
    const tcp = ['--http-port=8080', '--udp-port=-1'];
    await create(
      node,
      toolPod('pod1', { ports: port('127.0.0.1', 'TCP'), netexec: tcp }),
      toolPod('pod2', { ports: port('192.0.2.1', 'TCP'), netexec: tcp }),
      toolPod('pod3', { ports: port('192.0.2.1', 'UDP'), netexec: ['--http-port=8008', '--udp-port=8080'] }),
    );
    const curl = (args: string) => inPod(node, 'host', `curl -g -s --connect-timeout 5 ${args}:54323/hostname`);
    await node.until(/^pod1$/, () => curl('--interface 192.0.2.1 http://127.0.0.1'));
    await node.until(/^pod2$/, () => curl('http://192.0.2.1'));
    await node.until(/^pod3$/, () => sendUdp('host', '192.0.2.1', 54_323));
  });

  test('DNS: hosts entries, pods by hostname and subdomain, partial names and records', async () => {
    const name = 'dns-querier-1.dns-test-service.default.svc.cluster.local';
    const address = await addressOf('querier');
    const hosts = await inPod(
      node,
      'querier',
      `getent hosts ${name}; getent hosts dns-querier-1; hostname -i; hostname -f`,
    );
    expect(hosts.split('\n').map((line) => line.replace(/\s+/g, ' '))).toEqual([
      `${address} ${name} dns-querier-1`,
      `${address} ${name} dns-querier-1`,
      address,
      name,
    ]);
    const partial = [
      'kubernetes.default',
      'kubernetes.default.svc',
      'dns-test-service',
      'dns-test-service.default.svc',
    ];
    const lookups = `Promise.all(${JSON.stringify(partial)}.map((n) => require('dns').promises.lookup(n))).then((all) => console.log(all.map((one) => one.address).join(' ')))`;
    const kubernetes = await node.kubectl('get', 'svc', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}');
    expect(await nodejsInPod(node, 'dialer', lookups)).toBe([kubernetes, kubernetes, address, address].join(' '));
    const podName = `${address.replaceAll('.', '-')}.default.pod.cluster.local`;
    expect(await inPod(node, 'dialer', `nslookup ${podName}`)).toContain(`Address: ${address}`);
    const srv = 'nslookup -type=srv _http._tcp.dns-test-service.default.svc.cluster.local';
    expect(await inPod(node, 'dialer', srv)).toContain(name);
    // The proxy of a pod without a port leads to its first port.
    expect(await node.kubectl('get', '--raw', '/api/v1/namespaces/default/pods/querier/proxy/hostname')).toBe(
      'dns-querier-1',
    );
  });

  test('ServiceAccountIssuerDiscovery: a pod reads the issuer and its keys with its token', async () => {
    const read = `const fs = require('fs');
const mount = '/var/run/secrets/kubernetes.io/serviceaccount';
const token = fs.readFileSync(mount + '/token', 'utf8');
const get = (url) => new Promise((resolve, reject) => require('https').get(url,
  { ca: fs.readFileSync(mount + '/ca.crt'), headers: { authorization: 'Bearer ' + token } }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => resolve(response.statusCode + ' ' + text));
  }).on('error', reject));
const { iss } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
(async () => {
  const [, issuer] = (await get('https://kubernetes.default.svc/.well-known/openid-configuration')).split(' ');
  const keys = await get(JSON.parse(issuer).jwks_uri);
  console.log(JSON.parse(issuer).issuer === iss, keys.slice(0, 12));
})();`;
    expect(await nodejsInPod(node, 'dialer', read)).toBe('true 200 {"keys":');
  });

  test('DNS: configured name servers; a name without a server is an error, and no more', async () => {
    const dnsConfig = {
      nameservers: ['192.0.2.77'],
      searches: ['resolv.conf.local'],
      options: [{ name: 'ndots', value: '2' }],
    };
    await create(node, toolPod('custom', { spec: { dnsPolicy: 'None', dnsConfig } }));
    const lines = (await inPod(node, 'custom', 'cat /etc/resolv.conf')).split('\n').sort();
    expect(lines).toEqual(['nameserver 192.0.2.77', 'options ndots:2', 'search resolv.conf.local']);
    // The machine's own name server is on a network that this node has no route to.
    expect(await inPod(node, 'dialer', 'nslookup www.example.com; true')).toMatch(/SERVFAIL|can't|no answer|refused/i);
    expect(await inPod(node, 'dialer', 'nslookup kubernetes.default.svc.cluster.local')).toContain(
      'Address: 10.96.0.1',
    );
  });
});
