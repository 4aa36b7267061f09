import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { KindRules } from '../../kind-rules.js';
import { rulesOf } from '../../rules.js';

const rulesFor = (kind: string): KindRules<unknown> => rulesOf({ group: 'apps', version: 'v1', kind });

const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } };

function make(kind: string, spec: object): object {
  const object = structuredClone({ metadata: { name: 'x' }, spec: { selector, template, ...spec } });
  rulesFor(kind).setDefaults?.(object);
  return object;
}

const mismatch = '`selector` does not match template `labels`';

describe('validation of workloads', () => {
  it.each<{ kind: string; name: string; spec: object; errors: string[] }>([
    { kind: 'Deployment', name: 'is right', spec: {}, errors: [] },
    {
      kind: 'Deployment',
      name: 'selects its own pods',
      spec: { selector: { matchLabels: { app: 'other' } } },
      errors: [`spec.template.metadata.labels: Invalid value: {"app":"web"}: ${mismatch}`],
    },
    {
      kind: 'Deployment',
      name: 'has a selector that can be used',
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } },
      errors: [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Is"}]}: invalid label selector',
      ],
    },
    {
      kind: 'Deployment',
      name: 'can replace pods at all',
      spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      errors: ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    },
    {
      kind: 'Deployment',
      name: 'shows a strategy that there is not',
      spec: { strategy: { type: 'x' } },
      errors: [
        'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    },
    {
      kind: 'Deployment',
      name: 'waits longer than a pod needs',
      spec: { minReadySeconds: 600 },
      errors: ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    },
    {
      kind: 'ReplicaSet',
      name: 'has a selector that is called a deployment’s',
      spec: { selector: {} },
      errors: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    },
    {
      kind: 'ReplicaSet',
      name: 'keeps its pods running',
      spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 1 } } },
      errors: [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    },
    {
      kind: 'DaemonSet',
      name: 'surges or goes down, not both',
      spec: { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
      errors: [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
      ],
    },
    {
      kind: 'StatefulSet',
      name: 'has claims that can be made',
      spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }] },
      errors: ['spec.volumeClaimTemplates[0].spec.resources[storage]: Required value'],
    },
    {
      kind: 'StatefulSet',
      name: 'is found by a service',
      spec: { serviceName: 'a.b' },
      errors: ['spec.serviceName: Invalid value: "a.b": must not contain dots'],
    },
    {
      kind: 'StatefulSet',
      name: 'mounts its claims',
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
        template: {
          ...template,
          spec: { containers: [{ name: 'c', image: 'a', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
        },
      },
      errors: [],
    },
  ])('a $kind $name', ({ kind, spec, errors }) => {
    expect(rulesFor(kind).validate?.(make(kind, spec)).map(formatFieldError)).toEqual(errors);
  });

  it.each(['Deployment', 'ReplicaSet', 'DaemonSet'])('a %s keeps its selector', (kind) => {
    const both = { app: 'web', tier: 'front' };
    const after = make(kind, {
      selector: { matchLabels: both },
      template: { ...template, metadata: { labels: both } },
    });

    expect(rulesFor(kind).validateUpdate?.(after, make(kind, {})).map(formatFieldError)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"front"}}: field is immutable',
    ]);
  });

  it('a stateful set changes in a few fields only', () => {
    const { validateUpdate } = rulesFor('StatefulSet');
    const before = make('StatefulSet', { serviceName: 'a' });

    expect({
      replicas: validateUpdate?.(make('StatefulSet', { serviceName: 'a', replicas: 3 }), before).length,
      serviceName: validateUpdate?.(make('StatefulSet', { serviceName: 'B!' }), before).map(({ field }) => field),
    }).toEqual({ replicas: 0, serviceName: ['spec'] });
  });

  it.each<{ name: string; revision: object; errors: string[] }>([
    { name: 'has data', revision: { revision: 1 }, errors: ['data: Required value: data is mandatory'] },
    {
      name: 'has data that is an object',
      revision: { revision: -1, data: 'x' },
      errors: [
        'data: Required value: data must be a valid JSON object',
        'revision: Invalid value: -1: must be greater than or equal to 0',
      ],
    },
  ])('a controller revision $name', ({ revision, errors }) => {
    const object = { metadata: { name: 'x' }, ...revision };

    expect(rulesFor('ControllerRevision').validate?.(object).map(formatFieldError)).toEqual(errors);
  });
});
