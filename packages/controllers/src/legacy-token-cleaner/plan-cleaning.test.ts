import type { Pod, Secret, ServiceAccount } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { type Cleaning, hasBeenTracked, stepFor } from './plan-cleaning.js';
import { secretsOfPod } from './pod-secrets.js';

const now = parseTime('2026-11-15T12:00:00Z') as number;
const periodMs = 365 * 24 * 60 * 60_000;
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

const account: ServiceAccount = {
  metadata: { name: 'bot', namespace: 'a', uid: 'u' },
  secrets: [{ name: 'bot-token' }],
};

function token(metadata: Secret['metadata'] = {}, rest: Partial<Secret> = {}): Secret {
  const annotations = { 'kubernetes.io/service-account.name': 'bot', 'kubernetes.io/service-account.uid': 'u' };
  const usual = { name: 'bot-token', namespace: 'a', creationTimestamp: '2020-01-01T00:00:00Z', annotations };
  return { type: 'kubernetes.io/service-account-token', metadata: { ...usual, ...metadata }, ...rest };
}

function stepOf(secret: Secret, changed: Partial<Cleaning> = {}): string {
  const accountOf = (namespace: string, name: string) => (namespace === 'a' && name === 'bot' ? account : undefined);
  return stepFor(secret, { now, periodMs, accountOf, isUsedByPods: () => false, ...changed });
}

describe('a token in a secret', () => {
  test.each([
    ['that was never used is disabled', token(), 'disable'],
    ['that was last used more than a year ago is disabled', token({ labels: { [lastUsed]: '2025-11-14' } }), 'disable'],
    ['that was used within a year stays', token({ labels: { [lastUsed]: '2025-11-15' } }), 'keep'],
    ['whose last use cannot be read stays', token({ labels: { [lastUsed]: 'yesterday' } }), 'keep'],
    ['that is younger than a year stays', token({ creationTimestamp: '2026-01-01T00:00:00Z' }), 'keep'],
    ['that is being deleted is ignored', token({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'keep'],
    ['that was disabled within a year waits', token({ labels: { [invalidSince]: '2026-01-01' } }), 'keep'],
    ['that was disabled more than a year ago goes', token({ labels: { [invalidSince]: '2025-01-01' } }), 'remove'],
    ['whose label says no day is disabled again', token({ labels: { [invalidSince]: 'soon' } }), 'disable'],
    ['that its account does not list stays', token({ name: 'by-hand' }), 'keep'],
    ['of an account that is gone stays', token({ annotations: { 'kubernetes.io/service-account.name': 'x' } }), 'keep'],
    [
      'of a former account of that name stays',
      token({ annotations: { 'kubernetes.io/service-account.name': 'bot', 'kubernetes.io/service-account.uid': 'v' } }),
      'keep',
    ],
    ['of another type is none', token({}, { type: 'Opaque' }), 'keep'],
  ])('%s', (_name, secret, step) => {
    expect(stepOf(secret)).toBe(step);
  });

  test('that a pod uses stays', () => {
    expect(stepOf(token(), { isUsedByPods: () => true })).toBe('keep');
  });
});

test.each([
  [undefined, false],
  ['never', false],
  ['2025-11-14', true],
  ['2025-11-15', false],
])('tracking of use since %s covers a whole period: %s', (since, expected) => {
  expect(hasBeenTracked(since, { now, periodMs })).toBe(expected);
});

test('a pod uses secrets in volumes, in the environment and to pull images', () => {
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: {
      imagePullSecrets: [{ name: 'pull' }],
      containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'key', key: 'k' } } }] }],
      initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'all' } }] }],
      volumes: [
        { name: 'v', secret: { secretName: 'volume' } },
        { name: 'w', projected: { sources: [{ secret: { name: 'projected' } }] } },
        { name: 'x', csi: { driver: 'd', nodePublishSecretRef: { name: 'publish' } } },
        { name: 'y', emptyDir: {} },
      ],
    },
  };
  expect(secretsOfPod(pod).sort()).toEqual(['all', 'key', 'projected', 'publish', 'pull', 'volume']);
});
