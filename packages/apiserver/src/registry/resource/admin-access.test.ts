import type { KubeObject } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { checkAdminAccess } from './admin-access.js';

/** A server with one namespace. */
function contextWith(labels: Record<string, string>) {
  return { objects: { get: <T extends KubeObject>() => ({ metadata: { labels } }) as T } };
}

const asking = { requests: [{ name: 'a' }, { name: 'b', exactly: { deviceClassName: 'c', adminAccess: true } }] };

test('devices of others are for namespaces of administrators', () => {
  expect(checkAdminAccess(asking, 'ns', contextWith({}))).toMatchObject([
    { field: 'spec.devices.requests[1].adminAccess', type: 'FieldValueForbidden' },
  ]);
  expect(checkAdminAccess(asking, 'ns', contextWith({ 'resource.kubernetes.io/admin-access': 'true' }))).toEqual([]);
});

test('a claim without them is not checked', () => {
  const claim = { requests: [{ name: 'a', exactly: { deviceClassName: 'c', adminAccess: false } }] };
  expect(checkAdminAccess(claim, 'ns', contextWith({}))).toEqual([]);
});
