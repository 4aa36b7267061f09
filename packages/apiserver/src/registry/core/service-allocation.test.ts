import type { Service } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import {
  checkIpFamilies,
  dropUnusedFields,
  keepAllocatedValues,
  matchClusterIps,
  setIpFamilies,
} from './service-allocation.js';

const service = (spec: NonNullable<Service['spec']>): Service => ({ metadata: { name: 's' }, spec });

describe('allocated values are kept for clients that do not send them', () => {
  const previous = service({
    type: 'NodePort',
    clusterIP: '10.0.0.5',
    clusterIPs: ['10.0.0.5'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [
      { name: 'a', port: 1, nodePort: 30001 },
      { name: 'b', port: 2, nodePort: 30002 },
    ],
  });

  test('addresses and families', () => {
    const changed = service({ type: 'NodePort' });
    keepAllocatedValues(changed, previous);
    expect(changed.spec).toMatchObject({
      clusterIP: '10.0.0.5',
      clusterIPs: ['10.0.0.5'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  test('node ports by name, unless another port has them', () => {
    const changed = service({
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1 },
        { name: 'c', port: 3, nodePort: 30001 },
        { name: 'b', port: 2 },
      ],
    });
    keepAllocatedValues(changed, previous);
    expect(changed.spec?.ports?.map(({ nodePort }) => nodePort)).toEqual([undefined, 30001, 30002]);
  });
});

test('clusterIP is the first of clusterIPs', () => {
  const created = service({ clusterIP: 'None' });
  matchClusterIps(created, undefined);
  expect(created.spec?.clusterIPs).toEqual(['None']);
});

test('a new type drops unused fields, unless they were changed too', () => {
  const previous = service({
    type: 'ClusterIP',
    clusterIP: '10.0.0.5',
    clusterIPs: ['10.0.0.5'],
    ipFamilies: ['IPv4'],
  });
  const same = service({ ...previous.spec, type: 'ExternalName' });
  dropUnusedFields(same, previous);
  expect(same.spec).toEqual({ type: 'ExternalName' });
  const changed = service({ ...previous.spec, type: 'ExternalName', ipFamilies: ['IPv6'] });
  dropUnusedFields(changed, previous);
  expect(changed.spec?.ipFamilies).toEqual(['IPv6']);
});

describe('families', () => {
  test.each<[string, Service['spec'], object]>([
    ['a service is of the first family of the cluster', {}, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
    ['or of that of its address', { clusterIPs: ['fd00::1'] }, { ipFamilies: ['IPv6'] }],
    [
      'both if it prefers that',
      { ipFamilyPolicy: 'PreferDualStack' },
      { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' },
    ],
    [
      'both if it has no pods of its own',
      { clusterIPs: ['None'] },
      { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    ],
  ])('%s', (_sentence, spec, want) => {
    const created = service({ type: 'ClusterIP', ...spec });
    setIpFamilies(created, ['IPv4', 'IPv6']);
    expect(created.spec).toMatchObject(want);
  });

  test('that the cluster does not have are refused', () => {
    const created = service({ type: 'ClusterIP', ipFamilies: ['IPv6'], ipFamilyPolicy: 'RequireDualStack' });
    expect(checkIpFamilies(created, ['IPv4']).map(({ field }) => field)).toEqual([
      'spec.ipFamilies[0]',
      'spec.ipFamilyPolicy',
    ]);
  });
});
