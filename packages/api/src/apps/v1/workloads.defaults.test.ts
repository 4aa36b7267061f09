import { describe, expect, it } from 'vitest';
import type { DaemonSet, Deployment, StatefulSet } from '../../generated/types/apps-v1.js';
import type { KindRules } from '../../kind-rules.js';
import { rulesOf } from '../../rules.js';

const rulesFor = (kind: string): KindRules<unknown> => rulesOf({ group: 'apps', version: 'v1', kind });

const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } };

function defaulted<T>(kind: string, object: T): T {
  rulesFor(kind).setDefaults?.(object);
  return object;
}

describe('defaults of workloads', () => {
  it('a deployment rolls a quarter at a time', () => {
    const { spec } = defaulted<Deployment>('Deployment', { metadata: {}, spec: { selector, template } });

    expect(spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: { spec: { restartPolicy: 'Always', schedulerName: 'default-scheduler' } },
    });
  });

  it('a deployment with the strategy Recreate has no rolling settings', () => {
    const spec = { selector, template, strategy: { type: 'Recreate' } };

    expect(defaulted<Deployment>('Deployment', { metadata: {}, spec }).spec?.strategy).toEqual({ type: 'Recreate' });
  });

  it('a daemon set replaces one pod at a time and counts its templates', () => {
    const daemonSet = defaulted<DaemonSet>('DaemonSet', { metadata: {}, spec: { selector, template } });

    expect(daemonSet).toMatchObject({
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '0' } },
      spec: {
        revisionHistoryLimit: 10,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      },
    });
  });

  it('a stateful set retains its claims, which are complete objects', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
    const { spec } = defaulted<StatefulSet>('StatefulSet', {
      metadata: {},
      spec: { selector, template, volumeClaimTemplates },
    });

    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });
});
