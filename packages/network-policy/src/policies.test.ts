import type { Namespace, networkingv1, Pod } from '@coracle/api';
import { expect, test } from 'vitest';
import { isAllowed } from './is-allowed.js';
import { planPolicies } from './plan-policies.js';
import { podMatters } from './policy-world.js';
import { writePolicyChanges } from './write-policies.js';

type NetworkPolicy = networkingv1.NetworkPolicy;

function pod(name: string, ip: string, labels: Record<string, string> = {}, namespace = 'default'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name, ...labels } },
    spec: { nodeName: 'node', containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 8080 }] }] },
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
  };
}
const namespace = (name: string, labels: Record<string, string> = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
function policy(name: string, spec: NetworkPolicy['spec']): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: 'default' },
    spec: { podSelector: {}, ...spec },
  };
}

const web = pod('web', '10.244.0.2');
const db = pod('db', '10.244.0.3');
const other = pod('other', '10.244.0.4', {}, 'team');
const pods = [web, db, other];
const namespaces = [namespace('default'), namespace('team', { team: 'red' })];
const toWeb = { podSelector: { matchLabels: { app: 'web' } } };

test.each<[string, NetworkPolicy['spec'][], Record<string, boolean>]>([
  ['no policy', [], { 'db>web:80': true, 'other>web:80': true }],
  [
    'default deny',
    [{ policyTypes: ['Ingress'] }],
    { 'db>web:80': false, 'web>other:80': true, '192.0.2.1>web:80': false },
  ],
  ['deny of egress', [{ policyTypes: ['Egress'] }], { 'web>other:80': false, 'other>web:80': true }],
  [
    'pods of the namespace',
    [{ ...toWeb, ingress: [{ from: [{ podSelector: {} }] }] }],
    { 'db>web:80': true, 'other>web:80': false, 'other>db:80': true },
  ],
  [
    'a namespace',
    [{ ...toWeb, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'red' } } }] }] }],
    { 'db>web:80': false, 'other>web:80': true },
  ],
  [
    'both selectors of one peer',
    [{ ...toWeb, ingress: [{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'db' } } }] }] }],
    { 'db>web:80': true, 'other>web:80': false },
  ],
  [
    'a block with an exception',
    [{ ...toWeb, ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } }] }] }],
    { '192.0.2.1>web:80': true, '192.0.2.200>web:80': false, '198.51.100.1>web:80': false },
  ],
  ['a port', [{ ...toWeb, ingress: [{ ports: [{ port: 80 }] }] }], { 'db>web:80': true, 'db>web:81': false }],
  [
    'a range of ports',
    [{ ...toWeb, ingress: [{ ports: [{ port: 80, endPort: 90 }] }] }],
    { 'db>web:90': true, 'db>web:91': false },
  ],
  [
    'a named port',
    [{ ...toWeb, ingress: [{ ports: [{ port: 'http' }] }] }],
    { 'db>web:8080': true, 'db>web:80': false },
  ],
  ['another protocol', [{ ...toWeb, ingress: [{ ports: [{ protocol: 'UDP', port: 80 }] }] }], { 'db>web:80': false }],
  [
    'several policies add up',
    [{ policyTypes: ['Ingress'] }, { ...toWeb, ingress: [{}] }],
    { 'db>web:80': true, 'web>db:80': false },
  ],
  [
    'egress to a pod',
    [{ policyTypes: ['Egress'], egress: [{ to: [toWeb] }] }],
    { 'db>web:80': true, 'db>other:80': false },
  ],
])('%s', (_, specs, expected) => {
  const world = { policies: specs.map((spec, i) => policy(`p${i}`, spec)), pods, namespaces };
  const party = (name: string) => {
    const found = pods.find(({ metadata }) => metadata.name === name);
    return found ? { pod: found } : { address: name };
  };
  const judged = Object.fromEntries(
    Object.keys(expected).map((text) => {
      const [from = '', to = '', port = ''] = text.split(/[>:]/);
      return [text, isAllowed({ from: party(from), to: party(to), port: Number(port), protocol: 'TCP' }, world)];
    }),
  );
  expect(judged).toEqual(expected);
});

const here = { nodeName: 'node', dnsPort: 10_053 };

test('the rules of a policy, and what a new pod changes of them', () => {
  const policies = [
    policy('p', {
      ...toWeb,
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'db' } } }], ports: [{ port: 80 }] }],
    }),
  ];
  const before = planPolicies({ policies, pods: [web, db], namespaces }, here);
  const written = writePolicyChanges(undefined, before);
  expect(written).toMatch(/add rule inet coracle-policy ingress-\w+ ip saddr @ingress-\w+-0-4 tcp dport 80 accept/);
  expect(written).toMatch(/add element inet coracle-policy ingress-4 \{ 10.244.0.2 : jump pods-ingress-\w+ \}/);
  const more = pod('db2', '10.244.0.9', { app: 'db' });
  const after = planPolicies({ policies, pods: [web, db, more], namespaces }, here);
  expect(writePolicyChanges(before, after)).toMatch(
    /^add element inet coracle-policy ingress-\w+-0-4 \{ 10.244.0.9 \}\n$/,
  );
  expect(writePolicyChanges(after, after)).toBe('');
  const gone = writePolicyChanges(after, planPolicies({ policies: [], pods, namespaces }, here));
  expect(gone).toMatch(/delete element .* ingress-4 \{ 10.244.0.2 \}[\s\S]*delete chain[\s\S]*delete set/);
});

test('pods of other nodes, and those in the network of their node, have no rules here', () => {
  const policies = [policy('p', { policyTypes: ['Ingress', 'Egress'] })];
  const hostPod = { ...web, spec: { ...web.spec, hostNetwork: true } } as Pod;
  const plan = planPolicies(
    { policies, pods: [hostPod, { ...db, spec: { ...db.spec, nodeName: 'x' } } as Pod], namespaces },
    here,
  );
  expect(plan.chains.size).toBe(0);
});

const dnsPeer = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
  podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
};
test.each<[string, NonNullable<NetworkPolicy['spec']>['egress'], string[]]>([
  ['nothing', [], []],
  ['everything', [{}], ['udp', 'tcp']],
  ['kube-dns on port 53', [{ to: [dnsPeer], ports: [{ port: 53, protocol: 'UDP' }] }], ['udp']],
  ['kube-dns by the names of its ports', [{ to: [dnsPeer], ports: [{ port: 'dns-tcp', protocol: 'TCP' }] }], ['tcp']],
  ['kube-dns on another port', [{ to: [dnsPeer], ports: [{ port: 80 }] }], []],
  ['every namespace', [{ to: [{ namespaceSelector: {} }] }], ['udp', 'tcp']],
  ['pods of its own namespace', [{ to: [{ podSelector: {} }] }], []],
  [
    'every address on port 53',
    [{ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ port: 53, protocol: 'UDP' }] }],
    ['udp'],
  ],
  ['some addresses', [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }], []],
])('a pod that may reach %s may query the cluster DNS accordingly', (_, egress, protocols) => {
  const policies = [policy('p', { ...toWeb, policyTypes: ['Egress'], ...(egress && { egress }) })];
  const world = {
    policies,
    pods,
    namespaces: [...namespaces, namespace('kube-system', { 'kubernetes.io/metadata.name': 'kube-system' })],
  };
  const rules = [...planPolicies(world, here).chains.values()].flat();
  const found = rules.flatMap((rule) => /^fib daddr type local (\w+) dport 10053 accept$/.exec(rule)?.[1] ?? []);
  expect(found).toEqual(protocols);
});

test.each<[string, Pod, boolean]>([
  ['a condition', { ...web, status: { ...web.status, conditions: [{ type: 'Ready', status: 'True' }] } }, false],
  ['an annotation', { ...web, metadata: { ...web.metadata, annotations: { seen: 'yes' } } }, false],
  ['a label', { ...web, metadata: { ...web.metadata, labels: { app: 'db' } } }, true],
  ['its address', { ...web, status: { ...web.status, podIPs: [{ ip: '10.244.0.9' }] } }, true],
  ['its end', { ...web, status: { ...web.status, phase: 'Succeeded' } }, true],
  ['its node', { ...web, spec: { containers: [], nodeName: 'other' } }, true],
])('whether a change of a pod matters to policies: %s', (_, after, expected) => {
  expect(podMatters(after, web)).toBe(expected);
});
