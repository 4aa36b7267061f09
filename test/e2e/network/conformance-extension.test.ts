import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownCertificates, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeRealNodes, NetworkNode } from './network-node.js';
import { create, toolPod } from './tool-pods.js';

const script = '/scripts/extension-servers.mjs';
const nodejs = '/opt/nodejs/node';
const namespace = 'default';

/** The steps of upstream's tests of webhooks, conversion, aggregation and proxies, with servers in pods of a real node. */
describe.skipIf(!canMakeRealNodes)('servers in pods that the API server asks', { timeout: 240_000 }, () => {
  let node: NetworkNode;
  let caBundle = '';
  const folder = mkdtempSync(join(tmpdir(), 'coracle-extension-'));
  const service = (name: string, ports: object[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports },
  });
  /** A pod that runs one of the servers with the certificate of the secret. */
  function serverPod(name: string, args: string[], container: object): object {
    const pod = toolPod(name, { labels: { app: name } }) as { spec: { volumes: object[]; containers: object[] } };
    const [usual] = pod.spec.containers as { volumeMounts: object[]; env: object[] }[];
    const { env = [], ...rest } = container as { env?: object[] };
    const volumeMounts = [...(usual?.volumeMounts ?? []), { name: 'tls', mountPath: '/certificates', readOnly: true }];
    const one = { ...usual, command: [nodejs, script, ...args], volumeMounts, env: [...(usual?.env ?? []), ...env] };
    const volumes = [...pod.spec.volumes, { name: 'tls', secret: { secretName: 'certificates' } }];
    return { ...pod, spec: { ...pod.spec, volumes, containers: [{ ...one, ...rest }] } };
  }
  const readyz = { httpGet: { scheme: 'HTTPS', port: 8444, path: '/readyz' }, periodSeconds: 1, failureThreshold: 30 };
  const raw = (path: string) => node.kubectl('get', '--raw', path);

  beforeAll(async () => {
    node = await NetworkNode.make();
    const dnsNames = ['e2e-test-webhook', 'sample-api'].map((name) => `${name}.${namespace}.svc`);
    const certificates = ownCertificates({ folder, clock: systemClock, dnsNames });
    const { certificate, key } = await certificates.current();
    caBundle = btoa(await certificates.authority());
    const data = { 'tls.crt': btoa(certificate), 'tls.key': btoa(key) };
    const env = { SERVE_PORT_80: '<a href="/rewriteme">test</a>', SERVE_PORT_160: 'foo', SERVE_PORT_162: 'bar' };
    const tlsEnv = { SERVE_TLS_PORT_443: '<a href="/tlsrewriteme">test</a>', SERVE_TLS_PORT_460: 'tls baz' };
    await create(
      node,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'certificates' }, data },
      serverPod('e2e-test-webhook', ['webhook'], { readinessProbe: readyz }),
      service('e2e-test-webhook', [{ port: 8443, targetPort: 8444 }]),
      serverPod('sample-api', ['apiserver'], {}),
      service('sample-api', [{ port: 7443, targetPort: 8444 }]),
      serverPod('porter', ['porter'], {
        env: Object.entries({ ...env, ...tlsEnv }).map(([name, value]) => ({ name, value })),
        ports: [{ containerPort: 80 }, { name: 'dest1', containerPort: 160 }, { name: 'tlsdest1', containerPort: 460 }],
        readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 1, periodSeconds: 1 },
      }),
      service('porter', [
        { name: 'portname1', port: 80, targetPort: 'dest1' },
        { name: 'portname2', port: 81, targetPort: 162 },
        { name: 'tlsportname1', port: 443, targetPort: 'tlsdest1' },
      ]),
      serverPod('verbs', ['porter', '--json-response'], { env: [{ name: 'SERVE_PORT_80', value: 'foo' }] }),
      service('verbs', [{ port: 80, targetPort: 80 }]),
    );
  }, 300_000);
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('should proxy through a service and a pod', async () => {
    const pod = (name: string) => `/api/v1/namespaces/${namespace}/pods/${name}/proxy`;
    const link = (path: string, target: string) => `<a href="${path}/${target}">test</a>`;
    const expected: Record<string, string> = {
      [pod('porter')]: link(pod('porter'), 'rewriteme'),
      [pod('porter:80')]: link(pod('porter:80'), 'rewriteme'),
      [pod('http:porter:160')]: 'foo',
      [pod('porter:162')]: 'bar',
      [pod('https:porter:443')]: link(pod('https:porter:443'), 'tlsrewriteme'),
      [pod('https:porter:460')]: 'tls baz',
    };
    const names = { portname1: 'foo', 'http:portname1': 'foo', portname2: 'bar', 'https:tlsportname1': 'tls baz' };
    for (const [name, text] of Object.entries(names)) {
      const [port = '', scheme] = name.split(':').reverse();
      expected[`/api/v1/namespaces/${namespace}/services/${scheme ? `${scheme}:` : ''}porter:${port}/proxy`] = text;
    }
    for (const [path, text] of Object.entries(expected)) expect([path, await raw(`${path}/`)]).toEqual([path, text]);
  });

  test('valid responses are returned for both pod and service Proxy and ProxyWithPath', async () => {
    const curl = (verb: string, path: string) =>
      node.run('sh', '-c', `${client} ${verb === 'HEAD' ? '-I' : `-X ${verb}`} -w '%{http_code}' "$SERVER${path}"`);
    const config = JSON.parse(await node.kubectl('config', 'view', '--raw', '-o', 'json'));
    const { server } = config.clusters[0].cluster;
    const file = join(folder, 'client');
    const user = config.users[0].user;
    await node.run('sh', '-c', `echo ${user['client-certificate-data']} | base64 -d > ${file}.crt`);
    await node.run('sh', '-c', `echo ${user['client-key-data']} | base64 -d > ${file}.key`);
    const client = `SERVER=${server}; curl -sk --cert ${file}.crt --key ${file}.key`;
    for (const target of ['pods/verbs', 'services/verbs']) {
      const path = `/api/v1/namespaces/${namespace}/${target}/proxy`;
      for (const verb of ['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
        expect(await curl(verb, `${path}/some/path/with/${verb}`)).toBe(`{"Method":"${verb}","Body":"foo"}200`);
      expect(await curl('HEAD', `${path}/some/path/with/HEAD`)).toMatch(/200$/);
      for (const verb of ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
        expect(await curl(verb, `${path}?method=${verb}`)).toBe(`{"Method":"${verb}","Body":"foo"}200`);
      for (const verb of ['GET', 'HEAD']) expect(await curl(verb, `${path}?method=${verb}`)).toMatch(/301$/);
    }
  });

  test('a webhook in a pod denies and mutates', async () => {
    const webhook = (kind: string, path: string) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: `e2e-${kind.toLowerCase()}` },
      webhooks: [
        {
          name: `${kind.toLowerCase()}.k8s.io`,
          clientConfig: { service: { namespace, name: 'e2e-test-webhook', path, port: 8443 }, caBundle },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { webhook: kind } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1', 'v1beta1'],
        },
      ],
    });
    await create(node, webhook('Validating', '/always-deny'), webhook('Mutating', '/mutating-configmaps'));
    const configMap = (name: string, label: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { webhook: label } },
      data: { 'mutation-start': 'yes' },
    });
    await node.until(/this webhook denies all requests/, () => node.apply(configMap('denied', 'Validating')));
    await node.apply(configMap('mutated', 'Mutating'));
    const data = await node.kubectl('get', 'cm', 'mutated', '-o', 'jsonpath={.data}');
    expect(JSON.parse(data)).toEqual({ 'mutation-start': 'yes', 'mutation-stage-1': 'yes' });
  });

  test('a conversion webhook in a pod converts objects and lists of several versions', async () => {
    const version = (name: string, storage: boolean, ...fields: string[]) => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
        },
      },
    });
    const definition = (stored: string) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'addresses.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        scope: 'Namespaced',
        names: { plural: 'addresses', singular: 'address', kind: 'Address', listKind: 'AddressList' },
        versions: [version('v1', stored === 'v1', 'hostPort'), version('v2', stored === 'v2', 'host', 'port')],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: {
              service: { namespace, name: 'e2e-test-webhook', path: '/crdconvert', port: 8443 },
              caBundle,
            },
            conversionReviewVersions: ['v1', 'v1beta1'],
          },
        },
      },
    });
    const address = (name: string) => ({
      apiVersion: 'stable.example.com/v1',
      kind: 'Address',
      metadata: { name },
      hostPort: 'localhost:8080',
    });
    await create(node, definition('v1'));
    await node.until(/created/, () => node.apply(address('one')));
    await node.until(/configured/, () => node.apply(definition('v2')));
    await node.until(/created/, () => node.apply(address('two')));
    const list = async (of: string) =>
      JSON.parse(await raw(`/apis/stable.example.com/${of}/namespaces/${namespace}/addresses`)).items.map(
        ({ metadata: _, kind: _kind, ...rest }: Record<string, unknown>) => rest,
      );
    const [v1, v2] = ['v1', 'v2'].map((name) => `stable.example.com/${name}`);
    expect(await list('v1')).toEqual(Array(2).fill({ apiVersion: v1, hostPort: 'localhost:8080' }));
    expect(await list('v2')).toEqual(Array(2).fill({ apiVersion: v2, host: 'localhost', port: '8080' }));
  });

  test('an aggregated API server in a pod', async () => {
    const spec = {
      service: { namespace, name: 'sample-api', port: 7443 },
      group: 'wardle.example.com',
      version: 'v1alpha1',
      caBundle,
      groupPriorityMinimum: 2000,
      versionPriority: 200,
    };
    const metadata = { name: 'v1alpha1.wardle.example.com' };
    await create(node, { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec });
    const flunders = `/apis/wardle.example.com/v1alpha1/namespaces/${namespace}/flunders`;
    await node.until(/"items":\[\]/, () => raw(flunders));
    const flunder = { apiVersion: 'wardle.example.com/v1alpha1', kind: 'Flunder', metadata: { name: 'rest' } };
    expect(await node.kubectl('create', '--raw', flunders, '-f', '-', JSON.stringify(flunder))).toContain('"rest"');
    expect(await node.kubectl('get', 'flunders', '-o', 'name')).toBe('flunder.wardle.example.com/rest');
    expect(await node.kubectl('delete', 'flunder', 'rest', '--wait=false')).toContain('deleted');
    expect(JSON.parse(await raw(flunders)).items).toEqual([]);
    await node.kubectl('delete', 'pod', 'sample-api', '--now');
    await node.until(/False/, () => node.kubectl('get', 'apiservice', metadata.name));
    await node.kubectl('delete', 'apiservice', metadata.name);
    await node.until(/NotFound|not find/, () => raw(flunders));
  });
});
