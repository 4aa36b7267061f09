import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FamilyRules } from './family-rules.js';
import { service, slice } from './proxy.fixture.js';

const options = { podNetworks: ['10.244.0.0/16'], masqueradeAll: false, masqueradeBit: 14, nodePortAddresses: [] };
const topology = { nodeName: 'node', zone: '' };
type State = Parameters<FamilyRules['update']>[0];

/** The effect of each statement on the elements, one line each, without those of the table. */
function lines(statements: string): string[] {
  return [...statements.matchAll(/^(add|delete) element ip coracle-proxy (\S+) \{ (.*) \}$/gm)].flatMap(
    ([, verb, map, list = '']) => list.split(', ').map((element) => `${verb} ${map} ${element}`),
  );
}

function rulesWith(...states: Partial<State>[]): { rules: FamilyRules; written: string[] } {
  const rules = new FamilyRules(4, options);
  rules.takeWhole();
  for (const state of states) update(rules, state);
  return { rules, written: lines(rules.takeStatements()) };
}

function update(rules: FamilyRules, { key = 'default/web', service: one, slices = [] }: Partial<State>) {
  return rules.update({ key, service: one, slices }, topology);
}

const two = [slice('web', ['10.244.0.2', '10.244.0.3'])];

test('a cluster address', () => {
  const { written } = rulesWith({ service: service('web'), slices: two });
  expect(written).toEqual([
    'add services 10.96.0.1 . tcp . 80 : goto cluster-2',
    'add endpoints 10.96.0.1 . tcp . 80 . 0 : 10.244.0.2 . 8080',
    'add endpoints 10.96.0.1 . tcp . 80 . 1 : 10.244.0.3 . 8080',
    'add hairpin 10.244.0.2 . 10.244.0.2',
    'add hairpin 10.244.0.3 . 10.244.0.3',
  ]);
});

test('an added or removed endpoint changes a few elements, however many others there are', () => {
  const { rules } = rulesWith({ service: service('web'), slices: two });
  update(rules, { service: service('web'), slices: [slice('web', ['10.244.0.3'])] });
  expect(lines(rules.takeStatements())).toEqual([
    'delete endpoints 10.96.0.1 . tcp . 80 . 1',
    'delete endpoints 10.96.0.1 . tcp . 80 . 0',
    'delete hairpin 10.244.0.2 . 10.244.0.2',
    'delete services 10.96.0.1 . tcp . 80',
    'add services 10.96.0.1 . tcp . 80 : goto cluster-1',
    'add endpoints 10.96.0.1 . tcp . 80 . 0 : 10.244.0.3 . 8080',
  ]);
});

test.each([
  ['no endpoints', {}, [], ['add unserved 10.96.0.1 . tcp . 80 : goto reject-connection']],
  ['headless', { clusterIP: 'None' }, two, []],
  ['another proxy', { type: 'ExternalName' }, two, []],
  [
    'internal policy without local endpoints',
    { internalTrafficPolicy: 'Local' },
    [slice('web', [{ addresses: ['10.244.1.2'], nodeName: 'other' }])],
    ['add services 10.96.0.1 . tcp . 80 : drop'],
  ],
  [
    'affinity',
    { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
    [slice('web', [{ addresses: ['10.244.1.2'] }])],
    [
      'add services 10.96.0.1 . tcp . 80 : goto cluster-1-sticky',
      'add endpoints 10.96.0.1 . tcp . 80 . 0 : 10.244.1.2 . 8080',
      'add sticky 10.96.0.1 . tcp . 80 : jump remember-60',
    ],
  ],
  [
    'a node port with local policy',
    { type: 'NodePort', externalTrafficPolicy: 'Local', ports: [{ port: 80, nodePort: 30080 }] },
    [slice('web', [{ addresses: ['10.244.1.2'], nodeName: 'other' }])],
    [
      'add services 10.96.0.1 . tcp . 80 : goto cluster-1',
      'add endpoints 10.96.0.1 . tcp . 80 . 0 : 10.244.1.2 . 8080',
      'add node-ports tcp . 30080 : goto choose-local-node-port',
      'add local-node-ports-inside tcp . 30080 : goto node-port-1',
      'add local-node-ports-outside tcp . 30080 : drop',
      'add node-port-endpoints tcp . 30080 . 0 : 10.244.1.2 . 8080',
    ],
  ],
])('%s', (_, spec, slices, expected) => {
  expect(rulesWith({ service: service('web', spec), slices }).written).toEqual(expected);
});

test('a load balancer with source ranges', () => {
  const balanced = service('web', { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.2.0/24', 'fd00::/64'] });
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2', ipMode: 'Proxy' }] } };
  const { written } = rulesWith({ service: { ...balanced, status }, slices: two });
  expect(written.filter((line) => line.includes('203.0.113'))).toEqual([
    'add services 203.0.113.1 . tcp . 80 : goto external-2',
    'add endpoints 203.0.113.1 . tcp . 80 . 0 : 10.244.0.2 . 8080',
    'add endpoints 203.0.113.1 . tcp . 80 . 1 : 10.244.0.3 . 8080',
    'add firewalled 203.0.113.1 . tcp . 80',
    'add sources 203.0.113.1 . tcp . 80 . 192.0.2.0/24',
  ]);
});

test('source ranges that overlap are written once, since the kernel refuses them', () => {
  const loadBalancerSourceRanges = ['10.1.0.0/16', '10.0.0.0/8', ' 10.2.3.4/8', '192.0.2.7/32', '192.0.2.7/32'];
  const balanced = service('web', { type: 'LoadBalancer', loadBalancerSourceRanges });
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  const { written } = rulesWith({ service: { ...balanced, status }, slices: two });
  expect(written.filter((line) => line.startsWith('add sources'))).toEqual([
    'add sources 203.0.113.1 . tcp . 80 . 10.0.0.0/8',
    'add sources 203.0.113.1 . tcp . 80 . 192.0.2.7/32',
  ]);
});

test('a named port is found by its name and protocol', () => {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP', targetPort: 'dns' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  const slices = [
    slice('web', [{ addresses: ['10.244.1.2'] }], {
      ports: [
        { name: 'dns', port: 5353, protocol: 'UDP' },
        { name: 'dns-tcp', port: 5354, protocol: 'TCP' },
      ],
    }),
  ];
  const { written } = rulesWith({ service: service('web', { ports }), slices });
  expect(written).toContain('add endpoints 10.96.0.1 . udp . 53 . 0 : 10.244.1.2 . 5353');
  expect(written).toContain('add endpoints 10.96.0.1 . tcp . 53 . 0 : 10.244.1.2 . 5354');
});

test('stale UDP flows: to a removed endpoint, and to none once there is an endpoint', () => {
  const udp = service('web', { ports: [{ port: 53, protocol: 'UDP' }] });
  const at = (...addresses: string[]) => [slice('web', addresses, { ports: [{ port: 53, protocol: 'UDP' }] })];
  const rules = new FamilyRules(4, options);
  const frontend = { protocol: 'udp', family: 4, address: '10.96.0.1', port: 53 };
  expect(update(rules, { service: udp, slices: [] })).toEqual([]);
  expect(update(rules, { service: udp, slices: at('10.244.0.2') })).toEqual([{ ...frontend, endpoint: undefined }]);
  expect(update(rules, { service: udp, slices: at('10.244.0.3') })).toEqual([{ ...frontend, endpoint: '10.244.0.2' }]);
  expect(update(rules, {})).toEqual([{ ...frontend, endpoint: '10.244.0.3' }]);
});

test('a slice without ports has no endpoints', () => {
  const empty = JSON.parse('{"ports":null,"endpoints":null}');
  const { written } = rulesWith({ service: service('web'), slices: [slice('web', [], empty)] });
  expect(written).toEqual(['add unserved 10.96.0.1 . tcp . 80 : goto reject-connection']);
});

test('clients of a removed endpoint get another; the others keep theirs, in a new table too', () => {
  const sticky = service('web', { sessionAffinity: 'ClientIP' });
  const { rules } = rulesWith({ service: sticky, slices: two });
  const frontend = '10.96.0.1 . tcp . 80';
  const remainingAffinity = { key: 'a', frontend, target: '10.244.0.2 . 8080', timeout: 60, expires: 59 };
  const usual = { key: 'b', frontend, target: '10.244.0.2 . 8080' };
  const stale = { key: 'c', frontend, target: '10.244.0.3 . 8080', timeout: 60, expires: 7 };
  update(rules, { service: sticky, slices: [slice('web', ['10.244.0.2', '10.244.0.4'])] });
  const all = [remainingAffinity, usual, stale];
  const affinities = (statements: string) => lines(statements).filter((line) => line.includes('affinity'));
  expect(affinities(rules.takeStatements(all))).toEqual(['delete affinity c']);
  const whole = ['add affinity a timeout 60s expires 59s : 10.244.0.2 . 8080', 'add affinity b : 10.244.0.2 . 8080'];
  expect(affinities(rules.takeWhole(all))).toEqual(whole);
  // More endpoints than there are chains for: the table is replaced.
  const many = slice(
    'web',
    Array.from({ length: 20 }, (_, i) => `10.244.0.${i + 2}`),
  );
  update(rules, { service: sticky, slices: [many] });
  expect(affinities(rules.takeStatements([remainingAffinity]))).toEqual(whole.slice(0, 1));
});

test('two services that share an address: the first by name has it, then the other', () => {
  const shared = (name: string) => service(name, { clusterIP: '10.96.0.9', externalIPs: ['192.0.2.7'] });
  const { rules } = rulesWith(
    { key: 'default/b', service: shared('b'), slices: [slice('b', ['10.244.0.3'])] },
    { key: 'default/a', service: shared('a'), slices: [] },
  );
  update(rules, { key: 'default/a' });
  const written = lines(rules.takeStatements());
  expect(written).toContain('delete unserved 192.0.2.7 . tcp . 80');
});

test('single changes lead to the same elements as the whole table', () => {
  const address = fc.integer({ min: 2, max: 6 }).map((n) => `10.244.0.${n}`);
  const step = fc.record({ name: fc.constantFrom('a', 'b'), there: fc.boolean(), at: fc.uniqueArray(address) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const rules = new FamilyRules(4, options);
      rules.takeWhole();
      const kernel = new Map<string, string>();
      for (const { name, there, at } of steps) {
        const spec = { clusterIP: `10.96.0.${name === 'a' ? 1 : 2}`, externalIPs: ['192.0.2.1'] };
        update(rules, { key: name, service: there ? service(name, spec) : undefined, slices: [slice(name, at)] });
        for (const line of lines(rules.takeStatements())) {
          const [, verb, key = '', value = ''] = /^(\w+) (.*?)(?: : (.*))?$/.exec(line) ?? [];
          // The kernel refuses to delete what is not there, and to add what is there with another value.
          expect(kernel.has(key)).toBe(verb === 'delete');
          if (verb === 'add') kernel.set(key, value);
          else kernel.delete(key);
        }
      }
      const whole = lines(rules.takeWhole()).map((line) => line.replace(/^add /, ''));
      expect([...kernel].map(([key, value]) => (value ? `${key} : ${value}` : key)).sort()).toEqual(whole.sort());
    }),
  );
});
