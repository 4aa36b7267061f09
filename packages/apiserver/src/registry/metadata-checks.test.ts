import { invalidField } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { asOftenAsReported } from './metadata-checks.js';

const label = invalidField('metadata.labels', '-', 'a valid label …');
const uid = invalidField('metadata.uid', 'u', 'field is immutable');

test.each([
  ['twice where the rules of the kind look at none of it', { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1' }, 2],
  ['twice for events of the first API', { kind: 'Event', apiVersion: 'v1' }, 2],
  ['three times for later events', { kind: 'Event', apiVersion: 'events.k8s.io/v1' }, 3],
  ['three times as a rule', { kind: 'NetworkPolicy', apiVersion: 'networking.k8s.io/v1' }, 3],
  ['four times where an update is checked as a new object too', { kind: 'Secret', apiVersion: 'v1' }, 4],
  ['three times for services', { kind: 'Service', apiVersion: 'v1' }, 3],
  ['four times for endpoints', { kind: 'Endpoints', apiVersion: 'v1' }, 4],
  ['five times for roles', { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1' }, 5],
])('an invalid label is reported %s', (_name, resource, count) => {
  expect(asOftenAsReported([label], resource)).toEqual(Array(count).fill(label));
});

test.each([
  ['twice', { kind: 'Secret', apiVersion: 'v1' }, 2],
  ['once where the rules of the kind do not look', { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1' }, 1],
])('an immutable field is reported %s', (_name, resource, count) => {
  expect(asOftenAsReported([uid], resource)).toEqual(Array(count).fill(uid));
});
