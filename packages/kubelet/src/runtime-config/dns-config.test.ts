import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { parseResolvConf, podDns } from './dns-config.js';

const settings = {
  clusterDns: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  node: { servers: ['192.0.2.1'], searches: ['example.com'], options: ['timeout:1'] },
};
const dnsOf = (spec: Parameters<typeof makePod>[0], clusterDns = settings.clusterDns) =>
  podDns(makePod(spec), { ...settings, clusterDns });

const ofCluster = {
  servers: ['10.96.0.10'],
  searches: ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
  options: ['ndots:5'],
};

describe('resolv.conf of a pod', () => {
  test.each([
    { name: 'ClusterFirst', spec: { dnsPolicy: 'ClusterFirst' }, expected: ofCluster },
    {
      name: 'in the network of the node',
      spec: { dnsPolicy: 'ClusterFirst', hostNetwork: true },
      expected: settings.node,
    },
    {
      name: 'ClusterFirstWithHostNet',
      spec: { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true },
      expected: ofCluster,
    },
    { name: 'Default', spec: { dnsPolicy: 'Default' }, expected: settings.node },
    {
      name: 'None',
      spec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } },
      expected: { servers: ['1.1.1.1'], searches: [], options: [] },
    },
  ])('$name', ({ spec, expected }) => {
    expect(dnsOf(spec)).toEqual({ config: expected, warnings: [] });
  });

  test('without a DNS of the cluster, as the node', () => {
    expect(dnsOf({}, []).config).toEqual(settings.node);
  });

  test("the pod's own configuration is added, and its options count", () => {
    const dnsConfig = { searches: ['a.b'], options: [{ name: 'ndots', value: '2' }, { name: 'debug' }] };
    const { config } = dnsOf({ dnsConfig });
    expect(config.searches).toEqual([...ofCluster.searches, 'a.b']);
    expect(config.options).toEqual(['ndots:2', 'debug']);
  });

  test('entries beyond the limits of resolvers are dropped and reported', () => {
    const nameservers = ['1.0.0.1', '1.0.0.2', '1.0.0.3'];
    const { config, warnings } = dnsOf({ dnsConfig: { nameservers } });
    expect(config.servers).toEqual(['10.96.0.10', '1.0.0.1', '1.0.0.2']);
    expect(warnings).toEqual([
      'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 1.0.0.1 1.0.0.2',
    ]);
  });
});

test('the file of a node is read as resolvers read it', () => {
  const text = '# made by hand\nnameserver 192.0.2.1\nsearch a.example. b.example\noptions ndots:1 timeout:2\n';
  expect(parseResolvConf(text)).toEqual({
    servers: ['192.0.2.1'],
    searches: ['a.example', 'b.example'],
    options: ['ndots:1', 'timeout:2'],
  });
});
