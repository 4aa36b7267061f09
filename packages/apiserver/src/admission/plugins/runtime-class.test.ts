import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod, thing } from './admit.fixture.js';
import { runtimeClass } from './runtime-class.js';

describe('ADM-09 RuntimeClass', () => {
  const plugin = runtimeClass({
    objects: new MemoryObjects([
      thing('RuntimeClass', 'kata', {
        handler: 'kata',
        overhead: { podFixed: { cpu: '100m' } },
        scheduling: { nodeSelector: { kata: 'yes' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
      }),
    ]),
  });

  test('adds overhead, selector and tolerations', async () => {
    const { object } = await admit(plugin, { object: pod({ runtimeClassName: 'kata', nodeSelector: { a: 'b' } }) });

    expect(object).toMatchObject({
      spec: {
        overhead: { cpu: '100m' },
        nodeSelector: { a: 'b', kata: 'yes' },
        tolerations: [{ key: 'kata', operator: 'Exists' }],
      },
    });
  });

  test.each([
    {
      name: 'an unknown class',
      spec: { runtimeClassName: 'none' },
      error: 'pod rejected: RuntimeClass "none" not found',
    },
    {
      name: 'another overhead',
      spec: { runtimeClassName: 'kata', overhead: { cpu: '1' } },
      error: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      name: 'overhead without a class',
      spec: { overhead: { cpu: '1' } },
      error: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      name: 'a selector that contradicts',
      spec: { runtimeClassName: 'kata', nodeSelector: { kata: 'no' } },
      error: 'conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no',
    },
  ])('refuses $name', async ({ spec, error }) => {
    expect((await admit(plugin, { object: pod(spec) })).error).toBe(`pods "p" is forbidden: ${error}`);
  });
});
