import { describe, expect, test } from 'vitest';
import { startTestServer } from './server.fixture.js';

/** Responses of Kubernetes v1.36 to unusual requests: one row each. */

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const oldWatch = '/api/v1/watch/namespaces/default/configmaps';
const configMap = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data: { a: 'b' },
});
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };

async function startWithA() {
  const started = await startTestServer();
  const { body } = await started.call('POST', configMaps, configMap('a'));
  return { ...started, a: body };
}

const badVersion = (text: string, why = 'invalid syntax') =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`;
const badToken = 'invalid continue token: continue key is not valid';
const token = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
const listOptions = (why: string) => `ListOptions.meta.k8s.io "" is invalid: ${why}`;

describe('WATCH-04 ERR-02 an invalid query', () => {
  test.each([
    ['?limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['?limit=', 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    ['?limit=9223372036854775808', 400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['?timeoutSeconds=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['?resourceVersion=x', 400, `invalid resource version: ${badVersion('x')}`],
    ['?resourceVersion=-1', 400, `invalid resource version: ${badVersion('-1')}`],
    [
      '?resourceVersion=18446744073709551616',
      400,
      `invalid resource version: ${badVersion('18446744073709551616', 'value out of range')}`,
    ],
    ['/a?resourceVersion=x', 500, badVersion('x')],
    ['?watch=1&resourceVersion=x', 500, badVersion('x')],
    ['?continue=!', 400, `${badToken}: illegal base64 data at input byte 0`],
    ['?continue=!&resourceVersion=5', 400, `${badToken}: illegal base64 data at input byte 0`],
    [`?continue=${token({ v: 'x' })}`, 400, `${badToken}: server does not recognize this encoded version x`],
    [
      `?resourceVersion=5&continue=${token({ v: 'meta.k8s.io/v1', rv: 3, start: 'default/a' })}`,
      400,
      'specifying resource version is not allowed when using continue',
    ],
    [
      '?resourceVersionMatch=Exact',
      422,
      listOptions(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    ],
    ['?sendInitialEvents=', 422, listOptions('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list')],
    [
      '?fieldSelector=colour=red',
      400,
      '"colour" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['?fieldSelector=colour', 400, "invalid selector: 'colour'; can't understand 'colour'"],
    ['?labelSelector=!!', 400, "unable to parse requirement: found '!', expected: identifier"],
  ])('%s is answered %i: %s', async (rest, code, message) => {
    const { call } = await startWithA();
    expect((await call('GET', `${configMaps}${rest}`)).body).toMatchObject({ kind: 'Status', code, message });
  });

  test('WATCH-05 SCHEME-18 a field that pods are not selected by is named', async () => {
    const { call } = await startTestServer();
    const { body } = await call('GET', `${pods}?fieldSelector=colour=red`);
    expect(body).toMatchObject({ code: 400, message: 'field label not supported: colour' });
  });

  test('WATCH-02 a name in the path of an old watch selects that object', async () => {
    const { call, watch } = await startWithA();
    const seen = await watch(`${oldWatch}/b`);
    await call('POST', configMaps, configMap('b'));
    await call('POST', configMaps, configMap('c'));
    expect(seen.events.map(({ object }) => object.metadata.name)).toEqual(['b']);
  });

  test('WATCH-03 a name in the path and another in the selector are refused', async () => {
    const { call } = await startWithA();
    const { body } = await call('GET', `${oldWatch}/a?fieldSelector=metadata.name=b`);
    const message =
      "both a name and a field selector provided: fieldSelector metadata.name doesn't match requested name";
    expect(body).toMatchObject({ code: 400, message });
  });
});

describe('WATCH-01 a watch', () => {
  test('WATCH-06 ERR-06 of resources without watch is rejected', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/api/v1/componentstatuses?watch=1')).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'watch is not supported on resources of kind "componentstatuses"',
      details: { kind: 'componentstatuses' },
    });
  });

  test('of one object is selected by name: with its path, the object itself is returned', async () => {
    const { call } = await startWithA();
    expect((await call('GET', `${configMaps}/a?watch=1`)).body).toMatchObject({ kind: 'ConfigMap' });
  });

  test.each([
    ['POST', oldWatch, 405],
    ['GET', '/api/v1/watch/componentstatuses', 404],
    ['GET', `${oldWatch}/a/status`, 404],
    ['GET', '/api/v1/proxy/nodes/a', 404],
    ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a', 404],
  ])('ROUTE-04 %s %s is answered %i', async (method, path, code) => {
    const { call } = await startTestServer();
    expect((await call(method, path, method === 'POST' ? {} : undefined)).body).toMatchObject({ code });
  });
});

const createOptions = (why: string) => `CreateOptions.meta.k8s.io "" is invalid: ${why}`;

describe('WRITE-03 options that make no sense', () => {
  test.each([
    ['dryRun=', 'dryRun: Unsupported value: [""]: supported values: "All"'],
    ['dryRun=Some', 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    [
      'fieldValidation=Maybe',
      'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['fieldManager=a%01', 'fieldManager: Invalid value: "a\\x01": invalid character U+0001 (at position 1)'],
  ])('%s is invalid, and nothing is created', async (query, why) => {
    const { call } = await startTestServer();
    const { body } = await call('POST', `${configMaps}?${query}`, configMap('a'));
    expect(body).toMatchObject({ code: 422, reason: 'Invalid', message: createOptions(why) });
    expect((await call('GET', `${configMaps}/a`)).status).toBe(404);
  });
});

describe('WRITE-04 WRITE-12 a body that is no object of the kind', () => {
  const unrecognized = (why: string) => `the object provided is unrecognized (must be of type ConfigMap): ${why}`;
  const noKind = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  const fields =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

  test.each([
    ['application/json', '[]', unrecognized(`${noKind} array into Go value of type ${fields} (5b5d)`)],
    ['application/json', '"a"', unrecognized(`${noKind} string into Go value of type ${fields} (226122)`)],
    [
      'application/json',
      '{"apiVersion":1}',
      unrecognized(`${noKind} number into Go struct field .apiVersion of type string ({"apiVersion":1})`),
    ],
    [
      'application/vnd.kubernetes.protobuf',
      'xx',
      unrecognized('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (7878)'),
    ],
    [
      'application/yaml',
      'a: [',
      /^the object provided is unrecognized .*: error converting YAML to JSON: yaml: .* \(613a205b\)$/,
    ],
  ])('%s: %s', async (type, sent, message) => {
    const { call } = await startTestServer();
    const { body } = await call('POST', configMaps, sent, { 'content-type': type });
    expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(body.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});

describe('a write', () => {
  test('ETCD-03 of something new may not name a version', async () => {
    const { call } = await startTestServer();
    const versioned = await call('POST', configMaps, configMap('a', { resourceVersion: '5' }));
    expect(versioned.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion should not be set on objects to be created',
      code: 500,
    });
    expect((await call('POST', configMaps, configMap('a', { resourceVersion: 'x' }))).status).toBe(201);
  });

  test('WRITE-05 WRITE-07 must be of the object that the URL names', async () => {
    const { call } = await startWithA();
    const answers = [
      await call('PUT', `${configMaps}/a`, configMap('b')),
      await call('PUT', `${configMaps}/a`, { metadata: {} }),
      await call('PUT', `${configMaps}/a`, configMap('a', { namespace: 'other' })),
    ];
    expect(answers.map(({ body }) => [body.code, body.message])).toEqual([
      [400, 'the name of the object (b) does not match the name on the URL (a)'],
      [400, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    ]);
  });

  test('ETCD-12 WRITE-16 with a uid refers to that object alone, and not to a deleted one', async () => {
    const { call, a } = await startWithA();
    const message = `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${a.metadata.uid}`;
    const conflict = { code: 409, reason: 'Conflict' };
    const uid = 'x';
    const other = await call('PUT', `${configMaps}/a`, configMap('a', { uid }));
    expect(other.body).toMatchObject({ ...conflict, message });
    const missing = await call('PUT', `${configMaps}/b`, configMap('b', { uid }));
    expect(missing.body).toMatchObject({ code: 404, reason: 'NotFound', message: 'configmaps "b" not found' });
    expect((await call('PUT', `${configMaps}/b`, configMap('b'))).status).toBe(404);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = await call('PUT', `${leases}/b`, { metadata: { name: 'b', uid } });
    expect(lease.body).toMatchObject(conflict);
  });
});

describe('PATCH-05 PATCH-07 an invalid patch', () => {
  const patchTypes =
    'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml';
  const unknownFormat = `the body of the request was in an unknown format - accepted media types include: ${patchTypes}`;
  const apply = 'application/apply-patch+yaml';
  const rejected = 'the server rejected our request due to an error in our request';

  test.each([
    ['application/json', '', '{}', 415, unknownFormat],
    ['application/apply-patch+cbor', '', '{}', 415, unknownFormat],
    ['application/merge-patch+json', '', '{', 400, 'error decoding patch: unexpected end of JSON input'],
    ['application/json-patch+json', '', '{', 400, 'error decoding patch: unexpected end of JSON input'],
    ['application/strategic-merge-patch+json', '', '{', 400, 'unexpected end of JSON input'],
    ['application/json-patch+json', '', '[{"op":"remove","path":"/x"}]', 422, rejected],
    [
      'application/merge-patch+json',
      '',
      '{"metadata":{"name":"b"}}',
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'application/merge-patch+json',
      '?force=true',
      '{}',
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ],
    [
      apply,
      '',
      '{}',
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      apply,
      '?fieldManager=me',
      '{}',
      400,
      'Incorrect version specified in apply patch. Specified patch version: , expected: v1',
    ],
    [apply, '?fieldManager=me', 'a: [', 400, /^error decoding YAML: error converting YAML to JSON: yaml: /],
  ])('%s%s %s is answered %i', async (type, query, patch, code, message) => {
    const { call } = await startWithA();
    const { body } = await call('PATCH', `${configMaps}/a${query}`, patch, { 'content-type': type });
    expect(body.code).toBe(code);
    expect(body.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('PATCH-07 an apply with a uid requires an existing object', async () => {
    const { call } = await startTestServer();
    const headers = { 'content-type': apply };
    const { body } = await call('PATCH', `${configMaps}/b?fieldManager=me`, configMap('b', { uid: 'x' }), headers);
    expect(body).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "b": uid mismatch: the provided object specified uid x, and no existing object was found',
    });
  });
});

describe('DEL-02 DEL-03 a deletion', () => {
  const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
  const policies = '"Foreground", "Background", "Orphan", "nil"';

  test.each([
    ['?dryRun=', undefined, 422, /dryRun: Unsupported value: \[""\]/],
    ['?gracePeriodSeconds=x', undefined, 400, /^strconv.ParseInt: parsing "x": invalid syntax$/],
    [
      '?propagationPolicy=Some',
      undefined,
      422,
      new RegExp(`Unsupported value: "Some": supported values: ${policies}$`),
    ],
    ['?propagationPolicy=Orphan&orphanDependents=1', undefined, 422, /cannot be both set$/],
    ['', { ...options, kind: 'Pod' }, 400, /^decoded object cannot be converted to DeleteOptions$/],
    ['', { ...options, preconditions: { uid: 'x' } }, 409, /the UID in the precondition \(x\) does not match/],
    ['', { ...options, preconditions: { resourceVersion: '1' } }, 409, /the ResourceVersion in the precondition \(1\)/],
  ])('with %s %j is refused', async (query, body, code, message) => {
    const { call } = await startWithA();
    const answer = await call('DELETE', `${configMaps}/a${query}`, body);
    expect(answer.body).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await call('GET', `${configMaps}/a`)).status).toBe(200);
  });

  test('may leave out the kind of its options', async () => {
    const { call } = await startWithA();
    expect((await call('DELETE', `${configMaps}/a`, { kind: null, apiVersion: null })).status).toBe(200);
  });

  test('DEL-06 with a grace period below zero leaves a second', async () => {
    const { call } = await startTestServer();
    await call('POST', pods, pod);
    const { status, body } = await call('DELETE', `${pods}/p?gracePeriodSeconds=-1`);
    expect([status, body.metadata.deletionGracePeriodSeconds]).toEqual([200, 1]);
  });

  test('STORE-08 of a page of objects has a continue token', async () => {
    const { call } = await startWithA();
    await call('POST', configMaps, configMap('b'));
    const { body } = await call('DELETE', `${configMaps}?limit=1`);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a']);
    expect(body.metadata).toMatchObject({ continue: expect.any(String), remainingItemCount: 1 });
    expect((await call('GET', `${configMaps}/b`)).status).toBe(200);
  });
});

describe('RES-06 an eviction', () => {
  const eviction = (fields: object = {}) => ({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'p' },
    ...fields,
  });

  test.each([
    ['of the pod', eviction(), 201, undefined],
    ['as old clients request it', eviction({ apiVersion: 'policy/v1beta1' }), 201, undefined],
    ['that is only tried out', eviction({ deleteOptions: { dryRun: ['All'] } }), 201, undefined],
    [
      'of another pod',
      eviction({ metadata: { name: 'q' } }),
      400,
      /^name in URL does not match name in Eviction object$/,
    ],
    [
      'by no known policy',
      eviction({ deleteOptions: { propagationPolicy: 'Some' } }),
      422,
      /Unsupported value: "Some"/,
    ],
    ['of an earlier pod', eviction({ deleteOptions: { preconditions: { uid: 'x' } } }), 409, /UID in precondition: x/],
  ])('%s is answered', async (what, body, code, message) => {
    const { call } = await startTestServer();
    await call('POST', pods, pod);
    const answer = await call('POST', `${pods}/p/eviction`, body);
    expect([answer.status, answer.body.message]).toEqual([code, message && expect.stringMatching(message)]);
    const { deletionTimestamp } = (await call('GET', `${pods}/p`)).body.metadata;
    expect(deletionTimestamp !== undefined).toBe(code === 201 && what !== 'that is only tried out');
  });
});
