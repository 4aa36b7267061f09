import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { portsSchema } from './ports-schema.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of every kind are read without types
type Any = any;

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default/deployments';
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const peer = { user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] } };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
});
afterAll(() => cluster?.stop());

/** Sends a body as it was written. */
async function send(method: string, path: string, text: string, type: string): Promise<Any> {
  const [pathname = '', query = ''] = path.split('?');
  const body = { kind: 'bytes' as const, bytes: new TextEncoder().encode(text) };
  const headers = { accept: 'application/json', 'content-type': type };
  const answer = await cluster.controlPlane.server.exchange({ method, path: pathname, query, headers, peer, body });
  const chunks = answer.body?.kind === 'bytes' ? answer.body.chunks : [];
  return { code: answer.status, ...JSON.parse(chunks.map((chunk) => new TextDecoder().decode(chunk)).join('')) };
}

const apply = (path: string, text: string, manager: string, more = '') =>
  send('PATCH', `${path}?fieldManager=${manager}${more}`, text, 'application/apply-patch+yaml');
const merge = (path: string, value: object) =>
  send('PATCH', path, JSON.stringify(value), 'application/merge-patch+json');
const get = async (path: string): Promise<Any> => (await cluster.client.raw('GET', path)).body;

/** As in upstream's sources: JSON for a reader of YAML, with tabs, and commas behind the last field of a mapping. */
function deployment(name: string, { replicas = '"replicas": 3,', podSpec = '', container = '' } = {}): string {
  return `{
		"apiVersion": "apps/v1",
		"kind": "Deployment",
		"metadata": {
			"name": "${name}",
			"labels": {"app": "nginx"}
		},
		"spec": {
			${replicas}
			"selector": {
				"matchLabels": {
					"app": "nginx"
				}
			},
			"template": {
				"metadata": {
					"labels": {
						"app": "nginx"
					}
				},
				"spec": {
					${podSpec}
					"containers": [{
						"name":  "nginx",
						"image": "registry.example/nginx:1",
						${container}
					}]
				}
			}
		}
	}`;
}

/** Upstream's tests of "ServerSideApply". */
describe('server-side apply', () => {
  test.each([
    [
      'pods',
      '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "test"}, "spec": {"containers": [{"name": "test-container", "image": "test-image"}]}}',
      { 'f:spec': { 'f:containers': { 'k:{"name":"test-container"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
    ],
    [
      'services',
      '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "test"}, "spec": {"ports": [{"port": 8080, "protocol": "UDP"}]}}',
      {
        'f:spec': {
          'f:ports': { 'k:{"port":8080,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} } },
        },
      },
    ],
  ])('should create an applied object if it does not already exist: %s', async (resource, body, fields) => {
    const path = `${core}/${resource}/test`;
    expect((await apply(path, body, 'apply_test')).code).toBe(201);
    const again = await apply(path, body, 'apply_test_2');
    expect(again.code).toBe(200);
    const owned = again.metadata.managedFields.filter(({ manager }: Any) => manager.startsWith('apply_test'));
    expect(owned.map(({ fieldsV1 }: Any) => fieldsV1)).toEqual([fields, fields]);
  });

  test('should work for subresources', async () => {
    const path = `${core}/pods/test-pod`;
    const container = '{"name": "nginx", "image": "registry.example/nginx:1",}';
    const head = '"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "test-pod"}';
    expect((await apply(path, `{${head}, "spec": {"containers": [${container}]}}`, 'apply_test')).code).toBe(201);
    const status = `{${head}, "status": {"conditions": [{"type": "MyStatus", "status": "True"}]}}`;
    const types = async () => ((await get(path)).status?.conditions ?? []).map(({ type }: Any) => type);
    expect((await apply(path, status, 'apply_test2')).code).toBe(200);
    expect(await types()).not.toContain('MyStatus');
    expect((await apply(`${path}/status`, status, 'apply_test2')).code).toBe(200);
    expect(await types()).toContain('MyStatus');
  });

  test('should remove a field if it is owned but removed in the apply request', async () => {
    const path = `${apps}/removed`;
    const ports = '"ports": [{"containerPort": 80, "protocol": "TCP"}]';
    expect((await apply(path, deployment('removed', { container: ports }), 'apply_test')).code).toBe(201);
    expect((await apply(path, deployment('removed'), 'apply_test')).code).toBe(200);
    expect((await get(path)).spec.template.spec.containers[0].ports).toBeUndefined();
  });

  test('should not remove a field if an owner unsets the field but other managers still have ownership of the field', async () => {
    const path = `${apps}/shared`;
    const whole = deployment('shared', { podSpec: '"hostname": "test-hostname",' });
    for (const owner of ['shared_owner_1', 'shared_owner_2'])
      expect((await apply(path, whole, owner)).kind).toBe('Deployment');
    const patched = await apply(path, deployment('shared', { replicas: '' }), 'shared_owner_1');
    expect([patched.spec.replicas, patched.spec.template.spec.hostname]).toEqual([3, 'test-hostname']);
  });

  test('should ignore conflict errors if force apply is used', async () => {
    const path = `${apps}/forced`;
    const body = deployment('forced');
    expect((await apply(path, body, 'apply_test')).code).toBe(201);
    expect((await merge(path, { spec: { replicas: 5 } })).code).toBe(200);
    const refused = await apply(path, body, 'apply_test');
    expect([refused.code, refused.reason, refused.details.causes.length]).toEqual([409, 'Conflict', 1]);
    expect((await apply(path, body, 'apply_test', '&force=true')).spec.replicas).toBe(3);
  });

  test('should give up ownership of a field if forced applied by a controller', async () => {
    const path = `${apps}/given-up`;
    expect((await apply(path, deployment('given-up'), 'test_applier')).code).toBe(201);
    expect((await merge(path, { spec: { replicas: 4 } })).code).toBe(200);
    const patched = await apply(path, deployment('given-up', { replicas: '' }), 'test_applier');
    expect(patched.spec.replicas).toBe(4);
  });

  test('should work for CRDs', async () => {
    const group = 'apply.example.com';
    const spec = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        cronSpec: { type: 'string', pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$' },
        ports: portsSchema,
        atomicList: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
      },
    };
    const versionOf = (name: string) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    });
    const names = { plural: 'noxus', singular: 'noxu', kind: 'WishIHadChosenNoxu', listKind: 'NoxuItemList' };
    const made = await cluster.client.raw('POST', crdsPath, {
      body: {
        metadata: { name: `noxus.${group}` },
        spec: { group, scope: 'Cluster', names, versions: ['v1', 'v1beta1'].map(versionOf) },
      },
    });
    expect(made.status).toBe(201);
    await cluster.settled();

    const at = (version: string, name = 'mytest') => `/apis/${group}/${version}/noxus/${name}`;
    const head = (version: string) => `
apiVersion: ${group}/${version}
kind: ${names.kind}
metadata:
  name: mytest`;
    const finalizers = `
  finalizers:
  - test-finalizer`;
    const body = `
spec:
  cronSpec: "* * * * */5"
  replicas: 1
  ports:
  - name: x
    containerPort: 80
    protocol: TCP`;
    const portOf = (number: number) => `
spec:
  ports:
  - name: "y"
    containerPort: ${number}
    protocol: TCP`;
    const whole = `${head('v1')}${finalizers}${body}`;

    const first = await apply(at('v1'), whole, 'apply_test');
    expect([first.code, first.metadata.finalizers, first.spec.replicas]).toEqual([201, ['test-finalizer'], 1]);
    const beta = await apply(at('v1beta1'), `${head('v1beta1')}${body}`, 'apply_test');
    expect([beta.code, beta.spec.replicas, beta.spec.ports.length]).toEqual([200, 1, 1]);
    const both = ['test-finalizer', 'another-one'];
    expect((await merge(at('v1'), { metadata: { finalizers: both } })).metadata.finalizers).toEqual(both);
    const again = await apply(at('v1'), whole, 'apply_test');
    expect([...again.metadata.finalizers].sort()).toEqual([...both].sort());

    expect((await merge(at('v1'), { spec: { replicas: 5 } })).spec.replicas).toBe(5);
    const refused = await apply(at('v1'), whole, 'apply_test');
    expect([refused.code, refused.details.causes.length]).toEqual([409, 1]);
    expect((await apply(at('v1'), whole, 'apply_test', '&force=true')).spec.replicas).toBe(1);

    const item = await apply(at('v1'), `${head('v1')}${portOf(80)}`, 'apply_test_2');
    expect([item.code, item.details.causes.length]).toEqual([409, 1]);
    expect((await apply(at('v1'), `${head('v1')}${portOf(8080)}`, 'apply_test_2')).spec.ports).toHaveLength(2);
    const missing = `{"apiVersion": "${group}/v1", "kind": "${names.kind}", "metadata": {"name": "should-not-exist"}}`;
    expect((await send('PUT', at('v1', 'should-not-exist'), missing, 'application/json')).code).toBe(404);

    const listOf = (text: string) => `${head('v1').replace('mytest', 'atomic')}\nspec:\n  atomicList:\n  - "${text}"`;
    await apply(at('v1', 'atomic'), listOf('item1'), 'apply_test');
    const replaced = await apply(at('v1', 'atomic'), listOf('item2'), 'apply_test_2', '&force=true');
    expect(replaced.spec.atomicList).toEqual(['item2']);
  });
});

/** Upstream's tests of "CustomResourceValidationRules" and of "Server request timeout". */
describe('rules and timeouts', () => {
  const define = (plural: string, rule: string) => {
    const integers = { x: { type: 'integer' }, y: { type: 'integer' } };
    const spec = { type: 'object', 'x-kubernetes-validations': [{ rule }], properties: integers };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const names = { plural, kind: plural };
    const metadata = { name: `${plural}.rules.example.com` };
    const body = { metadata, spec: { group: 'rules.example.com', scope: 'Namespaced', names, versions } };
    return cluster.client.raw('POST', crdsPath, { body });
  };

  test('a custom resource is held to its rules', async () => {
    expect((await define('sums', 'self.x + self.y > 0')).status).toBe(201);
    await cluster.settled();
    const create = async (name: string, spec: object): Promise<Any> => {
      const body = { apiVersion: 'rules.example.com/v1', kind: 'sums', metadata: { name }, spec };
      const answer = await cluster.client.raw('POST', '/apis/rules.example.com/v1/namespaces/default/sums', { body });
      return { code: answer.status, ...(answer.body as object) };
    };
    expect((await create('good', { x: 1, y: 0 })).code).toBe(201);
    const refused = await create('bad', { x: 0, y: 0 });
    expect([refused.code, refused.message]).toEqual([422, expect.stringContaining('failed rule')]);
  });

  test('a rule about a property that does not exist is refused', async () => {
    const { status, body } = await define('wrongs', 'self.z == 100');
    expect([status, (body as Any).message]).toEqual([422, expect.stringContaining("undefined field 'z'")]);
  });

  test.each([
    ['invalid', 400],
    ['3m', 200],
    ['0s', 200],
  ])('?timeout=%s returns %i', async (timeout, code) => {
    const { status, body } = await cluster.client.raw('GET', `/version?timeout=${timeout}`);
    expect(status).toBe(code);
    if (code === 400) expect(JSON.stringify(body)).toContain('invalid timeout specified in the request URL');
  });
});
