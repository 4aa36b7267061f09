import type { ApiRequest, ApiResponse, Exchange, KubeObject } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import type { TableSpec } from './messages.js';
import { TableEngine } from './table-engine.js';

const spec: TableSpec = {
  ref: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
  namespace: 'default',
};

function pod(name: string, resourceVersion: string): KubeObject {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', resourceVersion, creationTimestamp },
  };
}

function tableOf(objects: readonly KubeObject[]) {
  return {
    kind: 'Table',
    metadata: { resourceVersion: '7' },
    columnDefinitions: [
      { name: 'Name', type: 'string', priority: 0 },
      { name: 'Status', type: 'string', priority: 0 },
    ],
    rows: objects.map((object) => ({ cells: [object.metadata.name, 'Running'], object })),
  };
}

function answer(value: unknown): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: { kind: 'value', value } };
}

/** A server as Kubernetes has been since v1.34: it prints tables, but streams no list of them. */
function serverOf({ printsTables }: { readonly printsTables: boolean }) {
  const queries: URLSearchParams[] = [];
  const show = (accept: string, objects: readonly KubeObject[]) =>
    printsTables && accept.includes('as=Table')
      ? tableOf(objects)
      : { kind: 'PodList', metadata: { resourceVersion: '7' }, items: objects };
  const exchange: Exchange = async ({ query, headers }: ApiRequest) => {
    const options = new URLSearchParams(query);
    queries.push(options);
    const accept = headers['accept'] ?? '';
    if (options.get('watch') !== 'true') return answer(show(accept, [pod('a', '5'), pod('b', '6')]));
    const streamsList = options.get('sendInitialEvents') === 'true';
    const object = streamsList || !printsTables ? pod('c', '8') : tableOf([pod('c', '8')]);
    const bookmark = {
      ...pod('', '8'),
      metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } },
    };
    return {
      status: 200,
      headers: {},
      body: {
        kind: 'values',
        values: {
          open: (sink) => {
            void sink.write({ type: 'ADDED', object });
            if (streamsList) void sink.write({ type: 'BOOKMARK', object: bookmark });
          },
        },
      },
    };
  };
  return { exchange, queries };
}

async function follow(printsTables: boolean) {
  const clock = new VirtualClock();
  const { exchange, queries } = serverOf({ printsTables });
  using engine = new TableEngine({
    transport: { exchange },
    clock,
    random: seededRandom(1),
    spec,
    onChange: () => {},
  });
  await clock.settle();
  const { rows, columns, state } = engine.update({ search: '', sort: undefined, from: 0, to: 10 });
  return {
    names: rows.map(({ name }) => name),
    cells: rows[0]?.cells,
    columns: columns.map(({ name }) => name),
    state,
    streams: queries.filter((query) => query.has('sendInitialEvents')).length,
  };
}

test('a table is listed and then watched: no server streams a list of tables', async () => {
  expect(await follow(true)).toEqual({
    names: ['a', 'b', 'c'],
    cells: ['a', 'Running'],
    columns: ['Name', 'Status'],
    state: { at: 'live' },
    streams: 0,
  });
});

test('of a server that prints no tables, names and ages are shown', async () => {
  expect(await follow(false)).toEqual({
    names: ['a', 'b', 'c'],
    cells: ['a', '2026-01-01T00:00:00Z'],
    columns: ['Name', 'Age'],
    state: { at: 'live' },
    streams: 0,
  });
});
