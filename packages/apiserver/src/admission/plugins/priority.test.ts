import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { admit, pod, thing } from './admit.fixture.js';
import { priority } from './priority.js';

describe('ADM-13 Priority', () => {
  const classOf = (name: string, value: number, more: object = {}) => thing('PriorityClass', name, { value, ...more });
  const plugin = priority({
    objects: new MemoryObjects([
      classOf('high', 1000, { preemptionPolicy: 'Never' }),
      classOf('usual', 10, { globalDefault: true }),
    ]),
  });

  test.each([
    {
      name: 'a class by name',
      object: pod({ priorityClassName: 'high' }),
      spec: { priority: 1000, preemptionPolicy: 'Never' },
    },
    {
      name: 'the default class',
      object: pod(),
      spec: { priorityClassName: 'usual', priority: 10, preemptionPolicy: 'PreemptLowerPriority' },
    },
    {
      name: 'a number that is right',
      object: pod({ priorityClassName: 'high', priority: 1000 }),
      spec: { priority: 1000 },
    },
  ])('$name', async ({ object, spec }) => {
    expect((await admit(plugin, { object })).object).toMatchObject({ spec });
  });

  test.each([
    {
      name: 'an unknown class',
      write: { object: pod({ priorityClassName: 'none' }) },
      error: 'pods "p" is forbidden: no PriorityClass with name none was found',
    },
    {
      name: 'a number of one’s own',
      write: { object: pod({ priorityClassName: 'high', priority: 5 }) },
      error:
        'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    },
    {
      name: 'a second default',
      write: {
        resource: 'scheduling.k8s.io/priorityclasses',
        namespace: '',
        object: classOf('mine', 1, { globalDefault: true }),
      },
      error:
        'priorityclasses.scheduling.k8s.io "mine" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    },
  ])('refuses $name', async ({ write, error }) => {
    expect((await admit(plugin, write)).error).toBe(error);
  });
});
