import { expect, test } from 'vitest';
import { problemsOnCreate } from '../../rules.fixture.js';

const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };

test('a lease lasts for a while', () => {
  expect(problemsOnCreate(lease, { 'spec.leaseDurationSeconds': 0 })).toEqual([
    'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
  ]);
});

test('and has zero or more transitions', () => {
  expect(problemsOnCreate(lease, { 'spec.leaseTransitions': -1 })).toEqual([
    'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
  ]);
});
