import type { Pod } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod } from './admit.fixture.js';
import { serviceAccount } from './service-account.js';

describe('ADM-11 SA-07 ServiceAccount admission', () => {
  const account = (more: object = {}) =>
    ({ kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' }, ...more }) as KubeObject;
  const plugin = (...objects: KubeObject[]) =>
    serviceAccount({ objects: new MemoryObjects(objects), random: seededRandom(1), clock: new VirtualClock() });

  test('sets the service account `default` of a pod, and mounts its token', async () => {
    const { object } = await admit(plugin(account()), { object: pod() });

    const name = expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/);
    expect(object).toMatchObject({
      spec: {
        serviceAccountName: 'default',
        volumes: [
          {
            name,
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                { configMap: { name: 'kube-root-ca.crt' } },
                {},
              ],
            },
          },
        ],
        containers: [
          { volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
    });
  });

  test.each([
    ['that is made a moment later', 0, undefined],
    ['that is made a second later', 900, undefined],
    [
      'that is not made',
      undefined,
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    ],
  ])('waits for an account `default` %s', async (_name, afterMs, error) => {
    const clock = new VirtualClock();
    const objects = new MemoryObjects();
    const admitted = admit(serviceAccount({ objects, random: seededRandom(1), clock }), { object: pod() });
    if (afterMs !== undefined) clock.schedule(afterMs, () => objects.put(account()));
    for (let i = 0; i < 40; i++) await clock.advance(100);
    expect((await admitted).error).toBe(error);
    expect(clock.pending).toBe(0);
  });

  test('leaves pods of one template alike, and takes no name that a volume has', async () => {
    const one = plugin(account());
    const nameOf = async (object: Pod) => ((await admit(one, { object })).object as Pod).spec?.volumes?.at(-1)?.name;
    const usual = await nameOf(pod());
    expect(await nameOf(pod())).toBe(usual);
    const taken = pod();
    taken.spec = { containers: [{ name: 'c' }], volumes: [{ name: usual ?? '', emptyDir: {} }] };
    expect(await nameOf(taken)).not.toBe(usual);
  });

  test.each([
    { name: 'the account says no', account: { automountServiceAccountToken: false }, spec: {}, mounts: false },
    { name: 'the pod says no', account: {}, spec: { automountServiceAccountToken: false }, mounts: false },
    {
      name: 'the pod has the last word',
      account: { automountServiceAccountToken: false },
      spec: { automountServiceAccountToken: true },
      mounts: true,
    },
    {
      name: 'the container has something there already',
      account: {},
      spec: {
        containers: [
          { name: 'c', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
      mounts: false,
    },
  ])('a token volume: $name', async ({ account: more, spec, mounts }) => {
    const { object } = await admit(plugin(account(more)), { object: pod(spec) });

    expect((object as Pod).spec?.volumes !== undefined).toBe(mounts);
  });

  test('adds the imagePullSecrets of the account, unless the pod has its own', async () => {
    const of = plugin(account({ imagePullSecrets: [{ name: 'a' }] }));
    const own = pod({ imagePullSecrets: [{ name: 'b' }] });

    expect([(await admit(of, { object: pod() })).object, (await admit(of, { object: own })).object]).toMatchObject([
      { spec: { imagePullSecrets: [{ name: 'a' }] } },
      { spec: { imagePullSecrets: [{ name: 'b' }] } },
    ]);
  });

  const strict = account({
    metadata: {
      name: 'default',
      namespace: 'default',
      annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    },
    secrets: [{ name: 'ok' }],
  });
  test.each([
    ['true', true],
    ['1', true],
    ['T', true],
    ['yes', false],
    ['', false],
  ])('limits the secrets of an account with the annotation %j: %s', async (value, limits) => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': value };
    const limited = account({ metadata: { name: 'default', namespace: 'default', annotations } });
    const { error } = await admit(plugin(limited), {
      object: pod({ volumes: [{ name: 'v', secret: { secretName: 'no' } }] }),
    });
    expect(error !== undefined).toBe(limits);
  });

  const secretEnv = { name: 'X', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } };
  const cases: { name: string; objects: KubeObject[]; object: Pod; error: string }[] = [
    {
      name: 'an account that is not there',
      objects: [],
      object: pod({ serviceAccountName: 'bot' }),
      error: 'error looking up service account default/bot: serviceaccount "bot" not found',
    },
    {
      name: 'a mirror pod with an account',
      objects: [],
      object: pod({ serviceAccountName: 'x' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      error: 'a mirror pod may not reference service accounts',
    },
    {
      name: 'a mirror pod with a secret',
      objects: [],
      object: pod(
        { volumes: [{ name: 'v', secret: { secretName: 's' } }] },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      error: 'a mirror pod may not reference secrets',
    },
    {
      name: 'a mirror pod with a secret in its environment',
      objects: [],
      object: pod(
        {
          containers: [
            { name: 'c', image: 'i', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
          ],
        },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
      error: 'a mirror pod may not reference secrets',
    },
    {
      name: 'a secret that the account does not list',
      objects: [strict],
      object: pod({ volumes: [{ name: 'v', secret: { secretName: 'no' } }] }),
      error:
        'volume with secret.secretName="no" is not allowed because service account default does not reference that secret',
    },
    {
      name: 'the same in the environment',
      objects: [strict],
      object: pod({ containers: [{ name: 'c', env: [secretEnv] }] }),
      error:
        'container c with envVar X referencing secret.secretName="no" is not allowed because service account default does not reference that secret',
    },
    {
      name: 'all of a secret in the environment',
      objects: [strict],
      object: pod({ containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'no' } }] }] }),
      error:
        'container c with envFrom referencing secret.secretName="no" is not allowed because service account default does not reference that secret',
    },
    {
      name: 'the same to pull images',
      objects: [strict],
      object: pod({ imagePullSecrets: [{ name: 'no' }] }),
      error:
        'imagePullSecret="no" is not allowed because service account default does not reference that imagePullSecret',
    },
  ];

  test('ADM-11 refuses a secret in a container that is added later', async () => {
    const added = { name: 'debug', env: [secretEnv] };
    const { error } = await admit(plugin(strict), {
      operation: 'UPDATE',
      subresource: 'ephemeralcontainers',
      object: pod({ serviceAccountName: 'default', ephemeralContainers: [added] }),
    });
    expect(error).toContain('ephemeral container debug with envVar X referencing secret.secretName="no"');
  });

  test('ADM-11 uses generateName for a pod without a name', async () => {
    const object = pod({ serviceAccountName: 'bot' }, { name: '', generateName: 'web-' });
    const { error } = await admit(plugin(), { object, name: '' });
    expect(error).toMatch(/^pods "web-" is forbidden: error looking up service account /);
  });

  test.each(cases)('ADM-11 refuses $name', async ({ objects, object, error }) => {
    expect((await admit(plugin(...objects), { object })).error).toBe(`pods "p" is forbidden: ${error}`);
  });
});
