import { type ResourceInfo, RestMapper } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { resolveRequest } from './explain.js';

const info = (group: string, resource: string, kind: string): ResourceInfo => ({
  ...{ group, version: 'v1', kind, resource, singular: kind.toLowerCase(), namespaced: true },
  ...{ shortNames: [], categories: [], verbs: ['get'], subresources: [] },
});
const pods = info('', 'pods', 'Pod');
const boats = info('harbor.example.org', 'boats', 'Boat');

/** Cached discovery from before the resources were added; it is read again when one is not found. */
function unchanged(before: readonly ResourceInfo[], after: readonly ResourceInfo[]) {
  let mapper = new RestMapper(before);
  return {
    discovery: async () => ({
      mapper: async () => mapper,
      find: async (name: string | Parameters<RestMapper['find']>[0]) => {
        const query = typeof name === 'string' ? { resource: name } : name;
        if (!mapper.find(query)) mapper = new RestMapper(after);
        return mapper.find(query);
      },
    }),
  };
}

test('a resource of a group that was not known is not taken for that of another one', async () => {
  const ferries = info('sea.example.org', 'boats', 'Ferry');
  const found = await resolveRequest(unchanged([pods, boats], [pods, boats, ferries]), 'boats.sea.example.org', '');
  expect([found.mapping.kind, found.path]).toEqual(['Ferry', []]);
});

test.each([
  { request: 'pods.spec.containers', cachedResources: [pods, boats], resource: 'pods', path: ['spec', 'containers'] },
  { request: 'boats.harbor.example.org', cachedResources: [pods, boats], resource: 'boats', path: [] },
  { request: 'boats.harbor.example.org', cachedResources: [pods], resource: 'boats', path: [] },
  { request: 'boats.harbor.example.org.spec', cachedResources: [pods], resource: 'boats', path: ['spec'] },
  { request: 'boats.spec', cachedResources: [pods], resource: 'boats', path: ['spec'] },
])(
  '$request, where $cachedResources.length resources were known',
  async ({ request, cachedResources, resource, path }) => {
    const found = await resolveRequest(unchanged(cachedResources, [pods, boats]), request, '');
    expect([found.mapping.resource, found.path]).toEqual([resource, path]);
  },
);
