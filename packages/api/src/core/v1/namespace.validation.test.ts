import { expect, test } from 'vitest';
import { problemsOnCreate, withDefaults } from '../../rules.fixture.js';
import { validateNamespaceStatusUpdate } from './namespace.validation.js';

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };

test('a namespace carries its name as a label', () => {
  expect(withDefaults(namespace).metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'team' });
});

test('its finalizers have a domain, but for the cluster itself', () => {
  expect(problemsOnCreate(namespace, { 'spec.finalizers': ['kubernetes', 'mine'] })).toEqual([
    'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

test('its phase follows its deletion', () => {
  const going = withDefaults(namespace, {
    'metadata.deletionTimestamp': '2026-01-01T00:00:00Z',
    'status.phase': 'Active',
  });
  expect(validateNamespaceStatusUpdate(going)).toHaveLength(1);
  expect(validateNamespaceStatusUpdate({ ...going, status: { phase: 'Terminating' } })).toEqual([]);
});
