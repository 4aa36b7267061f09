import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../generated/types/core-v1.js';
import type { DeviceClass, ResourceClaim } from '../../../generated/types/resource-v1.js';
import { QuotaEvaluators } from './quota-usage.js';

const claims = { group: 'resource.k8s.io', resource: 'resourceclaims' };
const pods = { group: '', resource: 'pods' };
const explicit = 'example.com/gpu';
const implicit = 'deviceclass.resource.kubernetes.io/gpu';
const classes: DeviceClass[] = [
  { metadata: { name: 'gpu' }, spec: { extendedResourceName: explicit } },
  { metadata: { name: 'plain' }, spec: {} },
];

const deviceRequest = (deviceClassName: string, count: number) => ({
  name: `r${count}`,
  exactly: { deviceClassName, allocationMode: 'ExactCount', count },
});

function claimOf(requests: object[], metadata: object = {}): ResourceClaim {
  return {
    metadata: { namespace: 'ns', name: 'claim', ...metadata },
    spec: { devices: { requests } },
  } as ResourceClaim;
}

/** As the scheduler makes it for the pod. */
const schedulers = (name: string, creationTimestamp: string) => ({
  name,
  creationTimestamp,
  annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'pod', uid: 'uid', controller: true }],
});

function podOf(requests: Record<string, string>[], more: Partial<Pod> = {}): Pod {
  const containers = requests.map((one, i) => ({ name: `c${i}`, image: 'i', resources: { requests: one } }));
  return { metadata: { namespace: 'ns', name: 'pod', uid: 'uid' }, spec: { containers }, ...more };
}

function usage(claim: ResourceClaim, pod?: Pod, others: readonly ResourceClaim[] = []): Record<string, string> {
  const evaluators = new QuotaEvaluators({ classes: () => classes, pod: () => pod, claims: () => others });
  const amounts = [...evaluators.for(claims).usage(claim, 0)].map(([name, amount]) => [name, amount.toString()]);
  return Object.fromEntries(amounts.filter(([name]) => name?.startsWith('requests.')));
}

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:00:01Z';

describe('devices of a resource claim', () => {
  test('are charged as both extended resources of their class', () => {
    const claim = claimOf([deviceRequest('gpu', 2), deviceRequest('plain', 1)]);
    expect(usage(claim)).toEqual({
      [`requests.${explicit}`]: '2',
      [`requests.${implicit}`]: '2',
      'requests.deviceclass.resource.kubernetes.io/plain': '1',
    });
  });

  const two = claimOf([deviceRequest('gpu', 2)], schedulers('claim', late));

  test.each<[string, ResourceClaim, Pod, readonly ResourceClaim[], Record<string, string>]>([
    [
      'the extended resource that its pod requests',
      two,
      podOf([{ [explicit]: '2' }]),
      [],
      { [`requests.${implicit}`]: '2' },
    ],
    [
      'the name of the class that its pod requests',
      two,
      podOf([{ [implicit]: '2' }]),
      [],
      { [`requests.${explicit}`]: '2' },
    ],
    [
      'what its pod requests of each',
      two,
      podOf([{ [explicit]: '1', [implicit]: '1' }]),
      [two],
      { [`requests.${explicit}`]: '1', [`requests.${implicit}`]: '1' },
    ],
  ])('are not charged again as %s', (_name, claim, pod, others, expected) => {
    expect(usage(claim, pod, others)).toEqual(expected);
  });

  const both = { [`requests.${explicit}`]: '2', [`requests.${implicit}`]: '2' };
  const pod = podOf([{ [explicit]: '2' }]);

  test.each<[string, ResourceClaim, Pod | undefined, readonly ResourceClaim[]]>([
    ['its pod is gone', two, undefined, []],
    ['its pod has been made anew', two, { ...pod, metadata: { ...pod.metadata, uid: 'other' } }, []],
    [
      'its pod names another claim',
      two,
      { ...pod, status: { extendedResourceClaimStatus: { resourceClaimName: 'other', requestMappings: [] } } },
      [],
    ],
    ['its pod has ended', two, { ...pod, status: { phase: 'Succeeded' } }, []],
    ['its pod has an older one', two, pod, [claimOf([], schedulers('other', early))]],
    ['its pod has one of the same age before it', two, pod, [claimOf([], schedulers('a', late))]],
    ['the scheduler did not make it', claimOf([deviceRequest('gpu', 2)]), pod, []],
  ])('are charged in full if %s', (_name, claim, owner, others) => {
    expect(usage(claim, owner, others)).toEqual(both);
  });
});

describe('the name of an extended resource', () => {
  const evaluators = new QuotaEvaluators({ classes: () => classes, pod: () => undefined, claims: () => [] });

  test.each([
    [`requests.${explicit}`, [pods, claims]],
    [`requests.${implicit}`, [pods, claims]],
    ['requests.deviceclass.resource.kubernetes.io/absent', [pods]],
    ['requests.example.com/other', [pods]],
    ['requests.cpu', [pods]],
  ])('%s is charged for %j', (name, expected) => {
    expect(evaluators.charged(name)).toEqual(expected);
  });
});
