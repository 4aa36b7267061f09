import type { Container, FileKeySelector, PodSpec, Service } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import { containerEnvironment } from './container-environment.js';

const configMaps = { settings: { COLOR: 'blue', 'bad=name': 'x', SIZE: 'big' } };
const secrets = { login: { USER: 'ada', PASSWORD: 'p$(COLOR)' } };

function service(name: string, namespace: string, spec: NonNullable<Service['spec']>): Service {
  return { metadata: { name, namespace }, spec };
}

const kubernetes = service('kubernetes', 'default', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] });
const services = [
  kubernetes,
  service('other', 'default', { clusterIP: '10.96.0.9', ports: [{ port: 1 }] }),
  service('my-db', 'shop', {
    clusterIP: '10.96.0.7',
    ports: [
      { port: 53, protocol: 'UDP' },
      { name: 'web-ui', port: 80 },
    ],
  }),
  service('headless', 'shop', { clusterIP: 'None', ports: [{ port: 5 }] }),
];

const skipped: string[] = [];

function environmentOf(
  container: Partial<Container>,
  { spec, ...objects }: { spec?: Partial<PodSpec> } & Parameters<typeof fakeReferences>[0] = {},
) {
  return containerEnvironment({
    ...place,
    pod: makePod(spec),
    container: { name: 'web', image: 'nginx', ...container },
    references: fakeReferences({ configMaps, secrets, ...objects }),
    allocatable,
    onSkipped: (source, keys) => skipped.push(`${source}: ${keys.join()}`),
  });
}

describe('the environment of a container', () => {
  test('has its own variables, each of which may use those before it', async () => {
    const env = [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A)b $(C) $$(A)' },
      { name: 'C', value: 'c' },
      { name: 'A', value: 'later' },
      { name: 'NOTHING' },
    ];
    expect(Object.fromEntries(await environmentOf({ env }))).toEqual({
      A: 'later',
      B: 'ab $(C) $(A)',
      C: 'c',
      NOTHING: '',
    });
  });

  test('SA-12 takes values from the pod, its resources, config maps and secrets', async () => {
    const env = [
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'COLOR' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'PASSWORD' } } },
      { name: 'NO_KEY', valueFrom: { secretKeyRef: { name: 'login', key: 'x', optional: true } } },
      { name: 'NO_MAP', valueFrom: { configMapKeyRef: { name: 'x', key: 'x', optional: true } } },
    ];
    expect(Object.fromEntries(await environmentOf({ env }))).toEqual({
      NODE: 'node-1',
      IP: '10.0.0.5',
      CPUS: '8',
      COLOR: 'blue',
      PASSWORD: 'p$(COLOR)',
    });
  });

  test('uses whole objects, with a prefix, and leaves out invalid names', async () => {
    skipped.length = 0;
    const envFrom = [
      { configMapRef: { name: 'settings' } },
      { prefix: 'DB_', secretRef: { name: 'login' } },
      { secretRef: { name: 'missing', optional: true } },
    ];
    const env = [{ name: 'SIZE', value: 'small and $(COLOR)' }];
    expect(Object.fromEntries(await environmentOf({ envFrom, env }))).toEqual({
      COLOR: 'blue',
      DB_PASSWORD: 'p$(COLOR)',
      DB_USER: 'ada',
      SIZE: 'small and blue',
    });
    expect(skipped).toEqual(['configMap shop/settings: bad=name']);
  });

  test.each([
    ['a config map', { envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
    ['a secret', { envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
    [
      'the config map of a value',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } }] },
      'configmap "x" not found',
    ],
    [
      'a key of a config map',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'k' } } }] },
      "couldn't find key k in ConfigMap shop/settings",
    ],
    [
      'a key that every object inherits',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'toString' } } }] },
      "couldn't find key toString in ConfigMap shop/settings",
    ],
    [
      'a key of a secret',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'k' } } }] },
      "couldn't find key k in Secret shop/login",
    ],
  ])('cannot be computed without %s', async (_, container, message) => {
    await expect(environmentOf(container)).rejects.toThrow(message);
  });

  test('reports the services of its namespace, and of the API', async () => {
    const variables = await environmentOf(
      {
        env: [
          { name: 'MY_DB_PORT', value: 'own' },
          { name: 'URL', value: 'http://$(MY_DB_SERVICE_HOST)' },
        ],
      },
      { services },
    );
    expect(Object.fromEntries(variables)).toEqual({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_443_TCP_PORT: '443',
      KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
      MY_DB_PORT: 'own',
      MY_DB_SERVICE_HOST: '10.96.0.7',
      MY_DB_SERVICE_PORT: '53',
      MY_DB_SERVICE_PORT_WEB_UI: '80',
      MY_DB_PORT_53_UDP: 'udp://10.96.0.7:53',
      MY_DB_PORT_53_UDP_PROTO: 'udp',
      MY_DB_PORT_53_UDP_PORT: '53',
      MY_DB_PORT_53_UDP_ADDR: '10.96.0.7',
      MY_DB_PORT_80_TCP: 'tcp://10.96.0.7:80',
      MY_DB_PORT_80_TCP_PROTO: 'tcp',
      MY_DB_PORT_80_TCP_PORT: '80',
      MY_DB_PORT_80_TCP_ADDR: '10.96.0.7',
      URL: 'http://10.96.0.7',
    });
  });

  test('has the variables of the API alone, with enableServiceLinks false', async () => {
    const variables = await environmentOf({}, { services, spec: { enableServiceLinks: false } });
    expect([...variables.keys()].every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
    expect(variables.get('KUBERNETES_SERVICE_HOST')).toBe('10.96.0.1');
  });

  describe('takes values from files of volumes', () => {
    const files: Record<string, string> = { 'config/a.env': "A='1'\nLONG='".concat('x'.repeat(32 * 1024 + 1), "'\n") };
    const fromFile = (selector: Partial<FileKeySelector>) =>
      containerEnvironment({
        ...place,
        pod: makePod({ enableServiceLinks: false }),
        container: {
          name: 'web',
          env: [
            { name: 'V', valueFrom: { fileKeyRef: { volumeName: 'config', path: 'a.env', key: 'A', ...selector } } },
          ],
        },
        references: fakeReferences({}),
        allocatable,
        readFile: async (volume, path) => files[`${volume}/${path}`],
        onSkipped: () => {},
      });

    test('by their keys; optional ones may be missing', async () => {
      expect(Object.fromEntries(await fromFile({}))).toEqual({ V: '1' });
      expect(await fromFile({ key: 'B', optional: true })).toEqual(new Map());
      expect(await fromFile({ path: 'b.env', optional: true })).toEqual(new Map());
    });

    test.each([
      [{ key: 'B' }, 'environment variable key "B" not found in file'],
      [{ path: 'b.env' }, 'environment variable key "A" not found in file'],
      [{ key: 'LONG' }, 'environment variable value for key "LONG" exceeds maximum size of 32KB'],
    ])('and not without them: %j', async (selector, problem) => {
      await expect(fromFile(selector)).rejects.toThrow(problem);
    });
  });
});
