import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod, type Write } from './admit.fixture.js';
import { podSecurity } from './pod-security.js';

describe('ADM-09 PodSecurity', () => {
  const namespace = (labels: Record<string, string>) =>
    podSecurity({
      objects: new MemoryObjects([
        {
          kind: 'Namespace',
          metadata: {
            name: 'default',
            labels: Object.fromEntries(
              Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
            ),
          },
        },
      ]),
    });
  const bad = pod({ hostNetwork: true });
  const fault = 'host namespaces (hostNetwork=true)';

  test.each([
    { name: 'a namespace without labels takes everything', labels: {}, error: undefined, warnings: [] },
    {
      name: 'a level is enforced',
      labels: { enforce: 'baseline' },
      error: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${fault}`,
      warnings: [],
    },
    {
      name: 'a version is named',
      labels: { enforce: 'baseline', 'enforce-version': 'v1.36' },
      error: `pods "p" is forbidden: violates PodSecurity "baseline:v1.36": ${fault}`,
      warnings: [],
    },
    {
      name: 'a level is warned about',
      labels: { warn: 'baseline' },
      error: undefined,
      warnings: [`would violate PodSecurity "baseline:latest": ${fault}`],
    },
  ])('$name', async ({ labels, error, warnings }) => {
    const result = await admit(namespace(labels as Record<string, string>), { object: bad });

    expect({ error: result.error, warnings: result.warnings }).toEqual({ error, warnings });
  });

  test('templates are warned about, never refused', async () => {
    const object = { kind: 'Deployment', metadata: { name: 'd' }, spec: { template: { spec: bad.spec } } };
    const result = await admit(namespace({ enforce: 'baseline', warn: 'baseline' }), {
      resource: 'apps/deployments',
      object,
    });

    expect({ error: result.error, count: result.warnings.length }).toEqual({ error: undefined, count: 1 });
  });

  test('an existing pod is evaluated again only when its containers change', async () => {
    const plugin = namespace({ enforce: 'baseline' });
    const update = (object: Pod) => admit(plugin, { object, oldObject: bad, operation: 'UPDATE' });

    expect((await update({ ...bad, metadata: { ...bad.metadata, labels: { a: 'b' } } })).error).toBeUndefined();
    expect((await update(pod({ hostNetwork: true, containers: [{ name: 'c', image: 'new' }] }))).error).toContain(
      fault,
    );
  });
});

describe('ADM-03 PodSecurity with a configuration', () => {
  const objects = new MemoryObjects([{ kind: 'Namespace', metadata: { name: 'default' } }]);
  const config = {
    defaults: { enforce: 'baseline' },
    exemptions: { usernames: ['root'], namespaces: ['system'], runtimeClasses: ['gvisor'] },
  };
  const refusal = async (write: Write) => (await admit(podSecurity({ objects }, config), write)).error;

  test('applies to a namespace without labels', async () => {
    expect(await refusal({ object: pod({ hostNetwork: true }) })).toContain('violates PodSecurity "baseline:latest"');
  });

  test.each([
    { name: 'a user', write: { object: pod({ hostNetwork: true }), user: { name: 'root', groups: [] } } },
    { name: 'a runtime class', write: { object: pod({ hostNetwork: true, runtimeClassName: 'gvisor' }) } },
    { name: 'a namespace', write: { object: pod({ hostNetwork: true }), namespace: 'system' } },
  ])('exempts $name that the configuration names', async ({ write }) => {
    expect(await refusal(write)).toBeUndefined();
  });
});

describe('ADM-03 a configuration of PodSecurity', () => {
  const withConfig = (config: Parameters<typeof podSecurity>[1]) =>
    podSecurity({ objects: new MemoryObjects([]) }, config);

  test.each([
    [{ defaults: { enforce: 'base' } }, 'defaults.enforce: Invalid value: "base": must be one of privileged'],
    [{ defaults: { 'warn-version': '9' } }, 'defaults.warn-version: Invalid value: "9": must be "latest" or "v1.x"'],
    [{ exemptions: { namespaces: ['a', 'a'] } }, 'exemptions.namespaces[1]: Duplicate value: "a"'],
    [{ exemptions: { runtimeClasses: ['A_b'] } }, 'exemptions.runtimeClasses[0]: Invalid value: "A_b"'],
    [{ exemptions: { usernames: [''] } }, 'exemptions.usernames[0]: Invalid value: "": username must not be empty'],
  ])('%j is rejected', (config, words) => {
    expect(() => withConfig(config)).toThrow(words);
  });

  test('warns that labels on an exempt namespace have no effect', async () => {
    const labels = {
      'pod-security.kubernetes.io/enforce': 'baseline',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    const labelled = { kind: 'Namespace', metadata: { name: 'free', labels } };
    const { warnings } = await admit(withConfig({ exemptions: { namespaces: ['free'] } }), {
      resource: 'namespaces',
      object: labelled,
      namespace: '',
    });
    expect(warnings).toEqual([
      'namespace "free" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
    ]);
  });
});
