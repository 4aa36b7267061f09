import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeRealNodes, NetworkNode } from './network-node.js';
import { create, inPod, toolPod } from './tool-pods.js';

const selector = { app: 'web' };
const http = { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 };

/** The steps of upstream's conformance tests of services, with a server that replaces `agnhost netexec`. */
describe.skipIf(!canMakeRealNodes)('services as the conformance tests use them', { timeout: 300_000 }, () => {
  let node: NetworkNode;
  const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
  const field = (name: string, path: string) => node.kubectl('get', 'svc', name, '-o', `jsonpath={.spec.${path}}`);
  const addressOf = (pod: string) => node.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const curl = (target: string) => inPod(node, 'exec', `curl -s --connect-timeout 2 -m 5 http://${target}; true`);
  /** Replaces a service as a client does that has read it. */
  async function change(name: string, spec: object): Promise<void> {
    const old = JSON.parse(await node.kubectl('get', 'svc', name, '-o', 'json'));
    const output = await node.kubectl('replace', '-f', '-', JSON.stringify({ ...old, spec: { ...old.spec, ...spec } }));
    expect(output).toContain('replaced');
  }

  beforeAll(async () => {
    node = await NetworkNode.make();
    const servers = ['web1', 'web2', 'web3'].map((name) => toolPod(name, { labels: selector, netexec: [] }));
    await create(node, ...servers, toolPod('exec'));
  }, 300_000);
  afterAll(() => node?.[Symbol.asyncDispose](), 60_000);

  test('should be able to change the type from ExternalName to ClusterIP and NodePort, and back', async () => {
    await create(node, service('other', { selector, ports: [http] }));
    await create(node, service('changes', { type: 'ExternalName', externalName: 'example.com' }));
    await change('changes', { type: 'ClusterIP', externalName: '', selector, ports: [http] });
    await node.until(/^web\d$/, () => curl('changes/hostname'));
    await node.until(/^web\d$/, async () => curl(`${await field('changes', 'clusterIP')}/hostname`));
    const external = { type: 'ExternalName', externalName: 'other.default.svc.cluster.local', clusterIP: '' };
    const isAlias = () => inPod(node, 'exec', 'nslookup changes.default.svc.cluster.local; true');
    await change('changes', external);
    expect(await field('changes', 'clusterIP')).toBe('');
    await node.until(/canonical name = other\.default\.svc\.cluster\.local/, isAlias);
    await change('changes', { type: 'NodePort', externalName: '', ports: [http] });
    const port = await field('changes', 'ports[0].nodePort');
    await node.until(/^web\d$/, () => curl('changes/hostname'));
    await node.until(/^web\d$/, () => curl(`192.0.2.1:${port}/hostname`));
    await change('changes', { ...external, ports: [{ ...http, nodePort: 0 }] });
    await node.until(/canonical name = other\.default\.svc\.cluster\.local/, isAlias);
    await node.until(/^$/, () => curl(`192.0.2.1:${port}/hostname`));
    await node.until(/^web\d$/, () => curl('changes/hostname'));
  });

  test('session affinity, switched on and off, by the cluster address and by a node port', async () => {
    await create(node, service('sticky', { type: 'NodePort', sessionAffinity: 'ClientIP', selector, ports: [http] }));
    const places = [
      `${await field('sticky', 'clusterIP')}:80`,
      `192.0.2.1:${await field('sticky', 'ports[0].nodePort')}`,
    ];
    const answers = (place: string) =>
      inPod(node, 'exec', `for i in $(seq 0 15); do curl -q -s --connect-timeout 2 http://${place}/; echo; done`);
    const set = (sessionAffinity: string) =>
      node.kubectl('patch', 'svc', 'sticky', `-p=${JSON.stringify({ spec: { sessionAffinity } })}`);
    const one = /^(web\d)(\n\1){15}$/;
    const several = /^(?!(web\d)(\n\1){15}$)web\d(\nweb\d){15}$/;
    for (const place of places) await node.until(one, () => answers(place));
    await set('None');
    for (const place of places) await node.until(several, () => answers(place));
    await set('ClientIP');
    for (const place of places) await node.until(one, () => answers(place));
  });

  test('should support a Service with multiple ports and endpoint IPs specified in multiple EndpointSlices', async () => {
    const ports = [80, 81].map((port) => ({ name: `port${port}`, port, protocol: 'TCP' }));
    const slice = async (port: number, pod: string) => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: `custom-${port}`,
        labels: { 'kubernetes.io/service-name': 'custom', 'endpointslice.kubernetes.io/managed-by': 'e2e-test' },
      },
      addressType: 'IPv4',
      ports: [{ name: `port${port}`, port: 8080, protocol: 'TCP' }],
      endpoints: [{ addresses: [await addressOf(pod)], conditions: { ready: true } }],
    });
    await create(node, service('custom', { ports }), await slice(80, 'web1'), await slice(81, 'web2'));
    const address = await field('custom', 'clusterIP');
    await node.until(/^web1$/, () => curl(`${address}:80/hostname`));
    await node.until(/^web2$/, () => curl(`${address}:81/hostname`));
  });

  test('should mirror a custom Endpoints resource through create, update and delete, and serve it', async () => {
    const endpoints = async (pod: string) => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'mirrored' },
      subsets: [{ ports: [{ name: 'http', port: 8080 }], addresses: [{ ip: await addressOf(pod) }] }],
    });
    await create(node, service('mirrored', { ports: [http] }), await endpoints('web1'));
    const address = await field('mirrored', 'clusterIP');
    await node.until(/^web1$/, () => curl(`${address}/hostname`));
    await create(node, await endpoints('web3'));
    await node.until(/^web3$/, () => curl(`${address}/hostname`));
    await node.kubectl('delete', 'endpoints', 'mirrored');
    await node.until(/^$/, () => curl(`${address}/hostname`));
    const label = 'kubernetes.io/service-name=mirrored';
    await node.until(/^$/, () => node.kubectl('get', 'endpointslices', '-l', label, '-o', 'name'));
  });

  test('service endpoints latency should not be very high: 200 services in a row', async () => {
    const many = Array.from({ length: 200 }, (_, i) => service(`latency-${i}`, { selector, ports: [http] }));
    await node.apply({ apiVersion: 'v1', kind: 'List', items: many });
    // Each slice has all three endpoints.
    const path = 'jsonpath={range .items[?(@.endpoints[2])]}{.metadata.generateName}{"\\n"}{end}';
    const served = async () => (await node.kubectl('get', 'endpointslices', '-o', path)).match(/^latency-/gm)?.length;
    await node.until(/^200$/, async () => String(await served()), 150);
    const last = await field('latency-199', 'clusterIP');
    await node.until(/^web\d$/, () => curl(`${last}/hostname`));
  });
});
