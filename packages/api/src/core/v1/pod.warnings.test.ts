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
      name: 'the same in what it requires and prefers',
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                preference: {
                  matchExpressions: [
                    { key: 'constructor', operator: 'Exists' },
                    { key: 'failure-domain.beta.kubernetes.io/zone', operator: 'Exists' },
                  ],
                },
              },
            ],
          },
        },
      },
      warnings: [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      ],
    },
    {
      name: 'names for one address in two places',
      spec: {
        hostAliases: [
          { ip: '10.0.0.1', hostnames: ['a'] },
          { ip: '10.0.0.1', hostnames: ['b'] },
        ],
      },
      warnings: ['spec.hostAliases[1].ip: duplicate ip "10.0.0.1"'],
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
