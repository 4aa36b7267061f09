import { FieldPath } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../generated/types/core-v1.js';
import { podTemplateWarnings, podWarnings } from './pod.warnings.js';

describe('warnings on a pod', () => {
  it.each<{ name: string; spec: Partial<PodSpec>; warnings: string[] }>([
    { name: 'a plain pod has none', spec: {}, warnings: [] },
    {
      name: 'a second definition of a variable',
      spec: {
        containers: [
          {
            name: 'c',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      },
      warnings: ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    },
    {
      name: 'parts of a byte',
      spec: { containers: [{ name: 'c', resources: { limits: { memory: '100m' } } }] },
      warnings: [
        'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
      ],
    },
    {
      name: 'labels that nodes will not have for long',
      spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
      warnings: ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    },
    {
      name: 'a projection of nothing',
      spec: { volumes: [{ name: 'p', projected: { sources: [{}] } }] },
      warnings: ['volume "p" (Projected) has no sources provided'],
    },
    {
      name: 'the same port twice',
      spec: {
        containers: [
          { name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] },
          { name: 'b', ports: [{ containerPort: 80, protocol: 'TCP' }] },
        ],
      },
      warnings: ['spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]'],
    },
  ])('$name', ({ spec, warnings }) => {
    expect(podWarnings({ metadata: { name: 'p' }, spec: { containers: [], ...spec } })).toEqual(warnings);
  });

  it('are not repeated for a template that did not change', () => {
    const template = { spec: { containers: [], imagePullSecrets: [{ name: '' }] } };
    const path = FieldPath.of('spec', 'template');

    expect([podTemplateWarnings(path, template), podTemplateWarnings(path, template, template)]).toEqual([
      ['spec.template.spec.imagePullSecrets[0].name: invalid empty name ""'],
      [],
    ]);
  });
});
