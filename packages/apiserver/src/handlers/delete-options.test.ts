import { schemaOf } from '@coracle/api';
import { encodeKind, type ObjectSchema, protobufMediaType } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const schema = schemaOf('meta-v1/DeleteOptions') as ObjectSchema;
const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const protobuf = { 'content-type': protobufMediaType };

/** A server with one object of a core and of another group, and a function that deletes with a body of any form. */
async function start() {
  const { server, call } = await startTestServer();
  await call('POST', configMaps, { metadata: { name: 'a' } });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  expect((await call('POST', deployments, { metadata: { name: 'a' }, spec })).status).toBe(201);
  const send = async (path: string, bytes: Uint8Array, headers: Record<string, string>) => {
    const accepted = { accept: 'application/json', ...headers };
    const request = { method: 'DELETE', path, query: '', headers: accepted, body: { kind: 'bytes', bytes } } as const;
    return await server.exchange(request);
  };
  return { call, send };
}

describe('DEL-02 the options in the body of a deletion', () => {
  const apiVersions = ['v1', 'apps/v1', 'meta.k8s.io/v1', 'apiextensions.k8s.io/v1', 'example.com/v1beta1', ''];
  const paths = [`${configMaps}/a`, configMaps, `${deployments}/a`, deployments];

  test.each(apiVersions.flatMap((version) => paths.map((path) => [version, path] as const)))(
    'as protobuf of the version %j delete %s',
    async (apiVersion, path) => {
      const { call, send } = await start();
      const kind = apiVersion === '' ? '' : 'DeleteOptions';
      const { status } = await send(path, encodeKind({ apiVersion, kind }, schema), protobuf);
      expect(status).toBe(200);
      expect((await call('GET', path.endsWith('/a') ? path : `${path}/a`)).status).toBe(404);
    },
  );

  test.each(apiVersions)('as JSON of the version %j are read too', async (apiVersion) => {
    const { call } = await start();
    expect((await call('DELETE', `${deployments}/a`, { apiVersion, kind: 'DeleteOptions' })).status).toBe(200);
  });

  test('keep their fields in protobuf', async () => {
    const { call, send } = await start();
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'other' } };
    expect((await send(`${configMaps}/a`, encodeKind(options, schema), protobuf)).status).toBe(409);
    const dry = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };
    expect((await send(`${configMaps}/a`, encodeKind(dry, schema), protobuf)).status).toBe(200);
    expect((await call('GET', `${configMaps}/a`)).status).toBe(200);
  });

  test('that are another kind are refused', async () => {
    const { send } = await start();
    const options = { apiVersion: 'v1', kind: 'CreateOptions' };
    expect((await send(`${configMaps}/a`, encodeKind(options, schema), protobuf)).status).toBe(400);
  });

  test('as CBOR are refused: it is not served', async () => {
    const { send } = await start();
    expect((await send(`${configMaps}/a`, Uint8Array.of(0xa0), { 'content-type': 'application/cbor' })).status).toBe(
      415,
    );
  });
});
