import type { resourcev1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { checkAdminAccess, checkAllocatedAdminAccess } from './admin-access.js';

/** A server with one namespace. */
function contextWith(labels: Record<string, string>) {
  return { objects: { get: <T extends KubeObject>() => ({ metadata: { labels } }) as T } };
}

const asking = { requests: [{ name: 'a' }, { name: 'b', exactly: { deviceClassName: 'c', adminAccess: true } }] };

test('admin access requires a namespace with the label', () => {
  expect(checkAdminAccess(asking, 'ns', contextWith({}))).toMatchObject([
    { field: 'spec.devices.requests[1].adminAccess', type: 'FieldValueForbidden' },
  ]);
  expect(checkAdminAccess(asking, 'ns', contextWith({ 'resource.kubernetes.io/admin-access': 'true' }))).toEqual([]);
});

test('a claim without them is not checked', () => {
  const claim = { requests: [{ name: 'a', exactly: { deviceClassName: 'c', adminAccess: false } }] };
  expect(checkAdminAccess(claim, 'ns', contextWith({}))).toEqual([]);
});

function allocated(...admin: readonly boolean[]): resourcev1.ResourceClaim {
  const results = admin.map((adminAccess) => ({ request: 'r', driver: 'd', pool: 'p', device: 'x', adminAccess }));
  return { metadata: { name: 'c', namespace: 'ns' }, spec: {}, status: { allocation: { devices: { results } } } };
}

test('devices are allocated with admin access only in a namespace with the label', () => {
  const administrators = contextWith({ 'resource.kubernetes.io/admin-access': 'true' });
  expect(checkAllocatedAdminAccess(allocated(false, true), allocated(), contextWith({}))).toMatchObject([
    { field: 'status.allocation.devices.results[1].adminAccess', type: 'FieldValueForbidden' },
  ]);
  expect(checkAllocatedAdminAccess(allocated(true), allocated(), administrators)).toEqual([]);
  expect(checkAllocatedAdminAccess(allocated(true), allocated(true), contextWith({}))).toEqual([]);
  expect(checkAllocatedAdminAccess(allocated(false), allocated(), contextWith({}))).toEqual([]);
});
