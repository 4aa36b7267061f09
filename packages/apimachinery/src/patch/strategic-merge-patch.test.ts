import { describe, expect, it } from 'vitest';
import {
  type Case,
  configMap,
  containers,
  deployment,
  log,
  patchCases,
  pod,
  revision,
  web,
} from './patch-cases.fixture.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

const maps: Case[] = [
  {
    does: 'sets a scalar',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: { nodeName: 'b' } },
    gives: { spec: { nodeName: 'b' } },
  },
  {
    does: 'adds to a map',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { b: '2' } } },
    gives: { metadata: { labels: { a: '1', b: '2' } } },
  },
  {
    does: 'removes a key by null',
    original: { metadata: { labels: { a: '1', b: '2' } } },
    patch: { metadata: { labels: { a: null } } },
    gives: { metadata: { labels: { b: '2' } } },
  },
  {
    does: 'removes an object by null',
    original: { spec: { nodeName: 'a' }, metadata: {} },
    patch: { spec: null },
    gives: { metadata: {} },
  },
  {
    does: 'ignores a null for what is not there',
    original: { metadata: {} },
    patch: { metadata: { labels: null } },
    gives: { metadata: {} },
  },
  {
    does: 'drops nulls from what it adds',
    original: { metadata: {} },
    patch: { metadata: { labels: { a: null, b: '1' } } },
    gives: { metadata: { labels: { b: '1' } } },
  },
  {
    does: 'replaces a map by $patch',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { $patch: 'replace', b: '2' } } },
    gives: { metadata: { labels: { b: '2' } } },
  },
  {
    does: 'empties a map by $patch',
    original: { metadata: { labels: { a: '1' } } },
    patch: { metadata: { labels: { $patch: 'delete' } } },
    gives: { metadata: { labels: {} } },
  },
  {
    does: 'replaces the whole object by $patch',
    original: { spec: { nodeName: 'a' } },
    patch: { $patch: 'replace', metadata: { name: 'x' } },
    gives: { metadata: { name: 'x' } },
  },
  {
    does: 'replaces a value by one of another type',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: [] },
    gives: { spec: [] },
  },
  {
    does: 'adds an object where there was none',
    original: {},
    patch: { spec: { affinity: { podAffinity: {} } } },
    gives: { spec: { affinity: { podAffinity: {} } } },
  },
  {
    does: 'keeps what an empty patch does not name',
    original: { spec: { nodeName: 'a' } },
    patch: { spec: {} },
    gives: { spec: { nodeName: 'a' } },
  },
  {
    does: 'merges free-form values',
    schema: revision,
    original: { data: { a: { b: 1 } } },
    patch: { data: { a: { c: 2 } } },
    gives: { data: { a: { b: 1, c: 2 } } },
  },
  {
    does: 'merges maps of plain values',
    schema: configMap,
    original: { data: { a: '1', b: '2' } },
    patch: { data: { a: '3', b: null } },
    gives: { data: { a: '3' } },
  },
  {
    does: 'retains only the keys of $retainKeys',
    schema: deployment,
    original: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    gives: { spec: { strategy: { type: 'Recreate' } } },
  },
  {
    does: 'merges what $retainKeys retains',
    schema: deployment,
    original: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ['type', 'rollingUpdate'], rollingUpdate: { maxUnavailable: 2 } } } },
    gives: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 2 } } } },
  },
  {
    does: 'lets $retainKeys name absent fields',
    schema: deployment,
    original: { spec: { strategy: { type: 'Recreate' } } },
    patch: { spec: { strategy: { $retainKeys: ['rollingUpdate'] } } },
    gives: { spec: { strategy: {} } },
  },
  {
    does: 'lets a null stand beside $retainKeys',
    schema: deployment,
    original: { spec: { strategy: { type: 'Recreate', rollingUpdate: {} } } },
    patch: { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: null } } },
    gives: { spec: { strategy: { type: 'Recreate' } } },
  },
];

describe('applyStrategicMergePatch', () => {
  describe('objects', () => patchCases(maps));

  it('shares unchanged parts', () => {
    const original = containers(web, log);
    const patched = applyStrategicMergePatch(original, containers({ name: 'log', image: 'log:2' }), pod);
    expect(patched.spec.containers[0]).toBe(web);
  });

  it('does not take a key called __proto__ for a prototype', () => {
    const patch = JSON.parse('{"data": {"__proto__": {"polluted": "yes"}}}');
    const patched = applyStrategicMergePatch({ data: { a: '1' } }, patch, configMap);
    expect(Object.getPrototypeOf(patched.data)).toBe(Object.prototype);
    expect(Object.keys(patched.data)).toEqual(['a', '__proto__']);
  });
});
