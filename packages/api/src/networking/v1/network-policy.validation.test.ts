import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const policy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'p' },
  spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
};

test('a policy governs ingress, and egress if it has rules for it', () => {
  expect(withDefaults(policy).spec.policyTypes).toEqual(['Ingress']);
  expect(withDefaults(policy, { 'spec.egress': [{}] }).spec.policyTypes).toEqual(['Ingress', 'Egress']);
});

test.each<[string, Changes, string[]]>([
  [
    'a peer has a selector or an ipBlock',
    { 'spec.ingress.0.from.0': {} },
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'addresses or pods, not both',
    { 'spec.ingress.0.from.0.ipBlock': { cidr: '10.0.0.0/8' } },
    ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
  ],
  [
    'what is excepted lies within',
    { 'spec.ingress.0.from.0': { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } } },
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`: 10.0.0.0/8',
    ],
  ],
  [
    'a range of ports goes up',
    { 'spec.ingress.0.ports.0.endPort': 79 },
    ['spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
  ],
  [
    'and has a number to begin with',
    { 'spec.ingress.0.ports.0': { port: 'http', endPort: 90 } },
    ['spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is non-numeric'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(policy, changes)).toEqual(want);
});
