import { notFound as notFoundError } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { isPodGone } from './pod-gone.js';

const web = { pod: { metadata: { name: 'web', namespace: 'default' } } };
const atBind = (cause: unknown) => new Error('running Bind plugin "DefaultBinder": it failed', { cause });
const notFound = (resource: string, name: string) => notFoundError({ group: '', resource }, name);

test.each<[string, unknown, boolean]>([
  ['the pod itself', atBind(notFound('pods', 'web')), true],
  ['the pod itself, said by an extender', notFound('pods', 'web'), true],
  ['another pod', atBind(notFound('pods', 'db')), false],
  ['a claim that was deleted meanwhile', atBind(notFound('persistentvolumeclaims', 'web')), false],
  ['a volume that was deleted meanwhile', atBind(notFound('persistentvolumes', 'pv')), false],
  ['another failure', atBind(new Error('no answer')), false],
])('%s', (_, error, expected) => {
  expect(isPodGone(error, web)).toBe(expected);
});
