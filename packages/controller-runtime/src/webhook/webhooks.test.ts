import { type ApiRequest, applyJsonPatch, type Exchange, invalidField, type KubeObject } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createManager } from '../manager.js';
import { defineResource } from '../schema/define-resource.js';
import { s } from '../schema/schema-builders.js';
import { type AdmissionAnswer, denied } from './admission-review.js';
import { admissionWebhook } from './admission-webhook.js';
import { conversionWebhook } from './conversion-webhook.js';
import { createJsonPatch } from './create-json-patch.js';
import { newWebhook } from './webhook-builder.js';
import { mutatingWebhookManifest, validatingWebhookManifest } from './webhook-manifests.js';
import { WebhookServer } from './webhook-server.js';

const Boat = defineResource({
  group: 'example.org',
  version: 'v1',
  kind: 'Boat',
  spec: s.object({ oars: s.integer(), crew: s.string().optional() }),
});
const boat = (spec: object) => ({ apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'b' }, spec });

const encoder = new TextEncoder();

async function post(exchange: Exchange, path: string, body: unknown, contentType = 'application/json') {
  const bytes = encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
  const request: ApiRequest = {
    method: 'POST',
    path,
    query: '',
    headers: { 'content-type': contentType },
    body: { kind: 'bytes', bytes },
  };
  const { status, body: answer } = await exchange(request);
  if (!('chunks' in answer)) throw new Error('a review is answered in one piece');
  const text = new TextDecoder().decode(answer.chunks[0]);
  return { status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const review = (request: object, version = 'v1') => ({
  apiVersion: `admission.k8s.io/${version}`,
  kind: 'AdmissionReview',
  request: { uid: 'u1', kind: { group: 'example.org', version: 'v1', kind: 'Boat' }, ...request },
});

const patchOf = (response: { patch?: string }) => response.patch && JSON.parse(atob(response.patch));

describe('CR-8 an admission webhook', () => {
  const answering = (answer: AdmissionAnswer) => admissionWebhook(() => answer);

  test.each(['v1', 'v1beta1'])('responds to a review of %s in the same kind, with its uid', async (version) => {
    const { status, body } = await post(
      answering({ allowed: true, warnings: ['w'] }),
      '/',
      review({ operation: 'CREATE' }, version),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      apiVersion: `admission.k8s.io/${version}`,
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true, warnings: ['w'] },
    });
  });

  test('refuses with a reason', async () => {
    const { body } = await post(answering(denied('not today')), '/', review({ operation: 'CREATE' }));
    expect(body.response).toEqual({
      uid: 'u1',
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'not today' },
    });
  });

  test('that throws refuses with a 500', async () => {
    const webhook = admissionWebhook(() => {
      throw new Error('broken');
    });
    const { status, body } = await post(webhook, '/', review({ operation: 'CREATE' }));
    expect([status, body.response.allowed, body.response.status]).toEqual([
      200,
      false,
      { code: 500, message: 'broken' },
    ]);
  });

  test.each<[string, unknown, string | undefined, RegExp]>([
    ['another kind of body', '<xml/>', 'text/xml', /expected application\/json/],
    ['something else than JSON', '{', undefined, /./],
    ['no review', { a: 1 }, undefined, /no apiVersion or kind/],
    [
      'a review without a request',
      { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
      undefined,
      /no request/,
    ],
    [
      'another review',
      { apiVersion: 'x/v1', kind: 'Review', request: { uid: 'u' } },
      undefined,
      /expected AdmissionReview/,
    ],
  ])('rejects %s', async (_, body, type, message) => {
    const answer = await post(answering({ allowed: true }), '/', body, type);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(message);
  });
});

describe('the webhooks of a resource', () => {
  const clock = new VirtualClock();
  const client = createClient({ transport: { exchange: () => Promise.reject(new Error('nobody is there')) } });
  const manager = createManager({ client, clock, random: seededRandom(1) });
  newWebhook(manager, Boat)
    .withDefaulter((object) => ({ ...object, spec: { crew: 'two', ...object.spec } }))
    .withDefaulter((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { crew: object.spec.crew ?? '' } },
    }))
    .withValidator({
      validateCreate: ({ spec }) => ({
        errors: spec.oars % 2 === 0 ? [] : [invalidField('spec.oars', spec.oars, 'oars come in pairs')],
        warnings: spec.oars > 6 ? ['that is a long boat'] : [],
      }),
      validateUpdate: ({ spec }, previous) =>
        spec.oars < previous.spec.oars
          ? { errors: [invalidField('spec.oars', spec.oars, 'boats do not shrink')] }
          : undefined,
      validateDelete: ({ metadata }) =>
        metadata.labels?.['keep']
          ? { errors: [invalidField('metadata.labels', 'keep', 'this one is kept')] }
          : undefined,
    })
    .complete();
  const { exchange } = manager.webhooks;
  const mutate = async (request: object) =>
    (await post(exchange, '/mutate-example-org-v1-boat', review(request))).body.response;
  const validate = async (request: object) =>
    (await post(exchange, '/validate-example-org-v1-boat', review(request))).body.response;

  test('set defaults, one after the other, and respond with a patch', async () => {
    const object = boat({ oars: 2 });
    const response = await mutate({ operation: 'CREATE', object });
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(applyJsonPatch(object as KubeObject, patchOf(response))).toEqual({
      ...boat({ oars: 2, crew: 'two' }),
      metadata: { name: 'b', labels: { crew: 'two' } },
    });
  });

  test('respond without a patch where no defaults are missing, or on delete', async () => {
    const complete = { ...boat({ oars: 2, crew: 'one' }), metadata: { name: 'b', labels: { crew: 'one' } } };
    expect(await mutate({ operation: 'UPDATE', object: complete })).toEqual({ uid: 'u1', allowed: true });
    expect(await mutate({ operation: 'DELETE', object: null, oldObject: boat({ oars: 2 }) })).toEqual({
      uid: 'u1',
      allowed: true,
    });
  });

  test.each<[string, object, string | undefined]>([
    ['a good boat', { operation: 'CREATE', object: boat({ oars: 2 }) }, undefined],
    [
      'a bad boat',
      { operation: 'CREATE', object: boat({ oars: 3 }) },
      'Boat.example.org "b" is invalid: spec.oars: Invalid value: 3: oars come in pairs',
    ],
    ['a boat that grows', { operation: 'UPDATE', object: boat({ oars: 4 }), oldObject: boat({ oars: 2 }) }, undefined],
    [
      'a boat that shrinks',
      { operation: 'UPDATE', object: boat({ oars: 2 }), oldObject: boat({ oars: 4 }) },
      'Boat.example.org "b" is invalid: spec.oars: Invalid value: 2: boats do not shrink',
    ],
    ['a boat that goes', { operation: 'DELETE', oldObject: boat({ oars: 2 }) }, undefined],
    [
      'a boat that must stay',
      {
        operation: 'DELETE',
        name: 'b',
        oldObject: { ...boat({ oars: 2 }), metadata: { name: 'b', labels: { keep: 'yes' } } },
      },
      'Boat.example.org "b" is invalid: metadata.labels: Invalid value: "keep": this one is kept',
    ],
  ])('validate %s', async (_, request, message) => {
    const response = await validate(request);
    expect([response.allowed, response.status?.message]).toEqual([message === undefined, message]);
  });

  test('allow a long boat with a warning', async () => {
    expect(await validate({ operation: 'CREATE', object: boat({ oars: 8 }) })).toMatchObject({
      allowed: true,
      warnings: ['that is a long boat'],
    });
  });

  test('are registered by manifests', () => {
    const at = { service: { namespace: 'boats', name: 'webhooks' } };
    const [mutating] = mutatingWebhookManifest(Boat, { at, caBundle: 'PEM' }).webhooks ?? [];
    expect(mutating).toMatchObject({
      clientConfig: { service: { path: '/mutate-example-org-v1-boat' }, caBundle: btoa('PEM') },
      rules: [{ apiGroups: ['example.org'], resources: ['boats'], operations: ['CREATE', 'UPDATE'] }],
    });
    const [validating] = validatingWebhookManifest(Boat, { at: { url: 'https://x:1/' }, caBundle: '' }).webhooks ?? [];
    expect(validating?.clientConfig.url).toBe('https://x:1/validate-example-org-v1-boat');
  });
});

test('a webhook server has one handler a path', async () => {
  const server = new WebhookServer();
  const handler: Exchange = async () => ({ status: 204, headers: {}, body: { kind: 'empty' } });
  server.register('/a', handler);
  expect(() => server.register('/a', handler)).toThrow("can't register duplicate path: /a");
  expect((await post(server.exchange, '/b', {})).status).toBe(404);
});

describe('a conversion webhook', () => {
  type Old = KubeObject & { spec: { pairs: number } };
  type New = KubeObject & { spec: { oars: number } };
  const webhook = conversionWebhook([
    {
      group: 'example.org',
      kind: 'Boat',
      hub: 'v1',
      versions: {
        v1beta1: {
          toHub: (object) => ({ ...object, spec: { oars: (object as Old).spec.pairs * 2 } }) as New,
          fromHub: (object) => ({ ...object, spec: { pairs: (object as New).spec.oars / 2 } }) as Old,
        },
        v0: { toHub: (object) => ({ ...object, metadata: { name: 'other' } }), fromHub: (object) => object },
      },
    },
  ]);
  const ask = async (desiredAPIVersion: string, ...objects: object[]) => {
    const request = { uid: 'u2', desiredAPIVersion, objects };
    const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
    return (await post(webhook, '/convert', body)).body.response;
  };

  test('turns versions into each other through the hub', async () => {
    const old = { ...boat({ pairs: 2 }), apiVersion: 'example.org/v1beta1' };
    expect(await ask('example.org/v1', old)).toEqual({
      uid: 'u2',
      result: { status: 'Success' },
      convertedObjects: [boat({ oars: 4 })],
    });
    expect((await ask('example.org/v1beta1', boat({ oars: 4 }))).convertedObjects).toEqual([old]);
  });

  test.each([
    ['another group', 'example.com/v1', boat({}), /cannot convert/],
    ['a version that is unknown', 'example.org/v9', boat({}), /Boat has no version v9/],
    [
      'metadata that changes',
      'example.org/v1',
      { ...boat({}), apiVersion: 'example.org/v0' },
      /must not change metadata/,
    ],
  ])('fails as a whole for %s', async (_, desired, object, message) => {
    const { result, convertedObjects } = await ask(desired, boat({ oars: 2 }), object);
    expect(convertedObjects).toEqual([]);
    expect(result.message).toMatch(message);
  });
});

test('a JSON patch turns any value into any other', () => {
  const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(value, value, (before, after) => {
      const [from, to] = [JSON.parse(JSON.stringify(before)), JSON.parse(JSON.stringify(after))];
      expect(applyJsonPatch(structuredClone(from), createJsonPatch(from, to))).toEqual(to);
    }),
    { numRuns: 200, seed: 1 },
  );
});
