import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { expect, it } from 'vitest';
import type { AdmissionAttributes } from '../admission.js';
import { Candidates, type Selective } from './candidates.js';
import { selectorsOf } from './match-selectors.js';

const gvr = { group: '', version: 'v1', resource: 'configmaps' };
const gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
const requested = { resource: gvr, kind: gvk } as AdmissionAttributes['requested'];
const request = (namespace: string) =>
  ({
    requested,
    versions: [requested],
    resource: gvr,
    kind: gvk,
    subresource: '',
    operation: 'CREATE',
    name: 'c',
    namespace,
    isNamespaced: true,
  }) as Partial<AdmissionAttributes> as AdmissionAttributes;

const about = (resource: string, team?: string): Selective & { readonly team: string | undefined } => ({
  team,
  constraints: {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }],
    matchPolicy: 'Exact',
  },
  selectors: selectorsOf(team === undefined ? {} : { namespaceSelector: { matchLabels: { team } } }),
});

it('candidates are found by resource and by the current labels of their namespace', () => {
  const namespaces = new Map<string, KubeObject>();
  let generation = 0;
  const label = (name: string, team: string) => {
    namespaces.set(name, { metadata: { name, labels: { team } } });
    generation++;
  };
  const get = <T extends KubeObject>(_ref: ResourceRef<T>, _namespace: string, name: string) =>
    namespaces.get(name) as T | undefined;
  const items = [about('configmaps'), about('configmaps', 'a'), about('configmaps', 'b'), about('secrets')];
  const candidates = new Candidates(items, { get, generation: () => generation });
  const teams = (namespace: string) => candidates.for(request(namespace)).map(({ item }) => item.team);

  // The code that calls the webhook checks whether the namespace exists.
  expect(teams('n')).toEqual([undefined, 'a', 'b']);
  label('n', 'a');
  label('m', 'c');
  expect(teams('n')).toEqual([undefined, 'a']);
  expect(candidates.for(request('n'))).toBe(candidates.for(request('n')));
  expect(teams('m')).toEqual([undefined]);
  label('n', 'b');
  expect(teams('n')).toEqual([undefined, 'b']);
});

it('candidates are excluded if no binding matches the resource or the namespace', () => {
  const namespace: KubeObject = { metadata: { name: 'n', labels: { team: 'a' } } };
  const get = <T extends KubeObject>() => namespace as T;
  const bound = (team: string, ...bindings: readonly [resource: string, team: string][]) => ({
    ...about('configmaps'),
    team,
    bindings: bindings.map(([resource, one]) => about(resource, one)),
  });
  const items = [bound('here', ['configmaps', 'a'], ['secrets', 'b']), bound('there', ['configmaps', 'b'])];
  const candidates = new Candidates(items, { get, generation: () => 1 });
  expect(candidates.for(request('n')).map(({ item }) => item.team)).toEqual(['here']);
  expect(new Candidates([bound('none', ['secrets', 'a'])], { get, generation: () => 1 }).for(request('n'))).toEqual([]);
});
