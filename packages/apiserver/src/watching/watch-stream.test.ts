import type { ByteSink } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function watchBytes(accept: string) {
  const { call, server } = await startTestServer();
  await call('POST', configMaps, { metadata: { name: 'a' } });
  const response = await server.exchange({ method: 'GET', path: configMaps, query: 'watch=1', headers: { accept } });
  if (response.body.kind !== 'stream') throw new Error(`no stream but ${response.body.kind}`);
  const decoder = new TextDecoder();
  let text = '';
  const sink: ByteSink = {
    write: (bytes) => {
      text += decoder.decode(bytes);
      return true;
    },
    end: () => {},
    onDrain: () => {},
    onClose: () => {},
  };
  response.body.stream.open(sink);
  await call('POST', configMaps, { metadata: { name: 'b' } });
  return { type: response.headers['content-type'], text };
}

describe('the bytes of a watch', () => {
  test.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/yaml', 'application/yaml;stream=watch'],
    ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf;stream=watch'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'],
  ])('WATCH-09 for %s are %s', async (accept, type) => {
    expect((await watchBytes(accept)).type).toBe(type);
  });

  test('WATCH-10 in JSON are a line for each event', async () => {
    const { text } = await watchBytes('application/json');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type, object }) => [type, object.kind, object.metadata.name])).toEqual([
      ['ADDED', 'ConfigMap', 'a'],
      ['ADDED', 'ConfigMap', 'b'],
    ]);
  });

  test('WATCH-13 as tables name their columns once', async () => {
    const { text } = await watchBytes('application/json;as=Table;g=meta.k8s.io;v=v1');
    const tables = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).object);
    expect(tables.map(({ kind, rows }) => [kind, rows[0].cells[0]])).toEqual([
      ['Table', 'a'],
      ['Table', 'b'],
    ]);
    expect(tables.map(({ columnDefinitions }) => columnDefinitions?.length ?? 0)).toEqual([3, 0]);
  });
});
