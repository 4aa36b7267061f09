import type { discoveryv1, EndpointSlice } from '@coracle/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planSlices, type SlicesView } from './plan-slices.js';

const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];

function endpoint(id: number, ready = true): discoveryv1.Endpoint {
  const uid = `uid-${id}`;
  return { addresses: [`10.0.${id >> 8}.${id & 255}`], conditions: { ready }, targetRef: { kind: 'Pod', uid } };
}

function slice(name: string, ids: readonly number[]): EndpointSlice {
  return { metadata: { name }, addressType: 'IPv4', ports, endpoints: ids.map((id) => endpoint(id)) };
}

function view(existing: readonly EndpointSlice[], desired: readonly discoveryv1.Endpoint[]): SlicesView {
  const groups = desired.length > 0 ? [{ ports, endpoints: [...desired] }] : [];
  return { existing, groups, maxEndpoints: 5, isOwned: () => true, hasOldMetadata: () => false };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const endpoints = (from: number, to: number) => range(from, to).map((id) => endpoint(id));

function summary(plan: ReturnType<typeof planSlices>) {
  return {
    create: plan.create.map((group) => group.endpoints.length),
    update: plan.update.map((filled) => [filled.slice.metadata.name, filled.endpoints.length]),
    delete: plan.delete.map(({ metadata }) => metadata.name),
  };
}

describe('planning slices', () => {
  test('many endpoints fill as many slices as it takes', () => {
    expect(summary(planSlices(view([], endpoints(0, 12))))).toEqual({ create: [5, 5, 2], update: [], delete: [] });
  });

  test('unchanged slices are not written', () => {
    expect(summary(planSlices(view([slice('a', range(0, 5))], endpoints(0, 5))))).toEqual({
      create: [],
      update: [],
      delete: [],
    });
  });

  test('a new endpoint goes into the fullest slice with room', () => {
    const existing = [slice('a', range(0, 2)), slice('b', range(2, 6)), slice('c', range(6, 11))];
    expect(summary(planSlices(view(existing, endpoints(0, 12)))).update).toEqual([['b', 5]]);
  });

  test('endpoints that no slice has room for fill the fullest, and the rest begins a new one', () => {
    const existing = [slice('a', range(0, 2)), slice('b', range(2, 6))];
    expect(summary(planSlices(view(existing, endpoints(0, 10))))).toEqual({
      create: [3],
      update: [['b', 5]],
      delete: [],
    });
  });

  test('a slice that is written anyway takes new endpoints', () => {
    const existing = [slice('a', range(0, 5)), slice('b', range(5, 7))];
    expect(summary(planSlices(view(existing, endpoints(1, 8))))).toEqual({
      create: [],
      update: [['a', 5]],
      delete: [],
    });
  });

  test('a change of state is written where the endpoint is', () => {
    const desired = [endpoint(0, false), ...endpoints(1, 7)];
    const existing = [slice('a', range(0, 5)), slice('b', range(5, 7))];
    expect(summary(planSlices(view(existing, desired))).update).toEqual([['a', 5]]);
  });

  test('there is always one slice, which keeps its name while endpoints change', () => {
    const emptied = planSlices(view([slice('a', range(0, 3))], []));
    expect(summary(emptied)).toEqual({ create: [], update: [['a', 0]], delete: [] });
    expect(emptied.update[0]?.ports).toEqual([]);
    const placeholder = { ...slice('p', []), ports: [] };
    expect(summary(planSlices(view([placeholder], [])))).toEqual({ create: [], update: [], delete: [] });
    const filled = planSlices(view([placeholder], endpoints(0, 1)));
    expect(summary(filled)).toEqual({ create: [], update: [['p', 1]], delete: [] });
    expect(filled.update[0]?.ports).toEqual(ports);
  });

  test('of several slices that become empty, those that are not reused are deleted', () => {
    const existing = [slice('a', range(0, 5)), slice('b', range(5, 8))];
    expect(summary(planSlices(view(existing, [])))).toEqual({ create: [], update: [['a', 0]], delete: ['b'] });
  });

  test('other ports are written into the slice that had the old ones', () => {
    const other = [{ name: 'http', port: 8080, protocol: 'TCP' }];
    const plan = planSlices({
      ...view([slice('a', range(0, 3))], []),
      groups: [{ ports: other, endpoints: endpoints(0, 3) }],
    });
    expect(summary(plan)).toEqual({ create: [], update: [['a', 3]], delete: [] });
    expect(plan.update[0]?.ports).toEqual(other);
  });

  test('slices of a former owner go', () => {
    const foreign = { ...view([slice('a', range(0, 3))], endpoints(0, 3)), isOwned: () => false };
    expect(summary(planSlices(foreign))).toEqual({ create: [3], update: [], delete: ['a'] });
  });

  test('from any state, each desired endpoint is then in exactly one slice, and no slice exceeds the limit', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(ids, ids, fc.integer({ min: 1, max: 5 }), (had, desired, size) => {
        const existing = chunks(had, size).map((chunk, i) => slice(`s${i}`, chunk));
        const plan = planSlices(
          view(
            existing,
            desired.map((id) => endpoint(id)),
          ),
        );
        const gone = new Set([...plan.delete, ...plan.update.map((filled) => filled.slice)]);
        const after = [
          ...existing.filter((one) => !gone.has(one)).map((one) => one.endpoints ?? []),
          ...plan.update.map((filled) => filled.endpoints),
          ...plan.create.map((group) => group.endpoints),
        ];
        expect(after.every((list) => list.length <= 5)).toBe(true);
        const uids = after.flat().map(({ targetRef }) => targetRef?.uid);
        expect([...uids].sort()).toEqual(desired.map((id) => `uid-${id}`).sort());
      }),
    );
  });
});

function chunks(items: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
