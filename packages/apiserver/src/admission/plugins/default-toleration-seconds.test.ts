import type { Pod } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { admit, pod } from './admit.fixture.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';

describe('ADM-12 DefaultTolerationSeconds', () => {
  const keysOf = async (tolerations: object[]) =>
    (
      (await admit(defaultTolerationSeconds(), { object: pod({ tolerations } as never) })).object as Pod
    ).spec?.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]);
  const [notReady, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

  test.each([
    {
      name: 'five minutes for both',
      tolerations: [],
      keys: [
        [notReady, 300],
        [unreachable, 300],
      ],
    },
    {
      name: 'not where something is said',
      tolerations: [{ key: notReady, operator: 'Exists', tolerationSeconds: 5 }],
      keys: [
        [notReady, 5],
        [unreachable, 300],
      ],
    },
    {
      name: 'not where everything is tolerated',
      tolerations: [{ operator: 'Exists' }],
      keys: [[undefined, undefined]],
    },
    {
      name: 'another effect says nothing',
      tolerations: [{ key: notReady, effect: 'NoSchedule' }],
      keys: [
        [notReady, undefined],
        [notReady, 300],
        [unreachable, 300],
      ],
    },
  ])('$name', async ({ tolerations, keys }) => {
    expect(await keysOf(tolerations)).toEqual(keys);
  });
});

test('ADM-12 the seconds can be set', async () => {
  const plugin = defaultTolerationSeconds({ 'node.kubernetes.io/unreachable': 5 });
  const { object } = await admit(plugin, { object: pod() });
  expect((object as Pod).spec?.tolerations?.map(({ tolerationSeconds }) => tolerationSeconds)).toEqual([300, 5]);
});
