import type { Pod, StatefulSet } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { makePod } from './identity.js';
import { planStatefulSet } from './plan-statefulset.js';

const now = 1_000_000;

interface Case {
  /** By ordinal: `old`, `new`, with `!` for unhealthy, `~` terminating, `x` terminated; `-` for none. */
  readonly pods: string;
  readonly replicas?: number;
  readonly policy?: string;
  readonly strategy?: NonNullable<StatefulSet['spec']>['updateStrategy'];
  readonly start?: number;
}

function plan({ pods, replicas = 3, policy = 'OrderedReady', strategy, start = 0 }: Case) {
  const set: StatefulSet = {
    metadata: { name: 's', namespace: 'd', uid: 'u' },
    spec: {
      replicas,
      podManagementPolicy: policy,
      selector: {},
      template: {},
      ordinals: { start },
      updateStrategy: strategy ?? { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    },
  };
  const make = (text: string, index: number): Pod[] => {
    if (text === '-') return [];
    const pod = makePod(set, { ordinal: start + index, template: {}, revision: text.slice(0, 3) });
    const works = !/[!x]/.test(text);
    const conditions = [{ type: 'Ready', status: works ? 'True' : 'False', lastTransitionTime: formatTime(0) }];
    const metadata = text.includes('~') ? { ...pod.metadata, deletionTimestamp: formatTime(now) } : pod.metadata;
    return [{ ...pod, metadata, status: { phase: text.includes('x') ? 'Failed' : 'Running', conditions } }];
  };
  const view = { set, pods: pods.split(' ').flatMap(make), currentRevision: 'old', updateRevision: 'new', now };
  const { create, delete: gone } = planStatefulSet(view);
  return [
    ...create.map(({ ordinal, revision }) => `+${ordinal} ${revision}`),
    ...gone.map(({ metadata }) => `-${metadata.name?.slice(2)}`),
  ];
}

function parallel(
  pods: string,
  rollingUpdate: { readonly partition?: number; readonly maxUnavailable?: number | string },
): Case {
  return { pods, policy: 'Parallel', strategy: { type: 'RollingUpdate', rollingUpdate } };
}

describe('planStatefulSet', () => {
  test.each<[string, Case, string[]]>([
    ['begins with the first', { pods: '- - -' }, ['+0 new']],
    ['goes on when the one before works', { pods: 'new - -' }, ['+1 new']],
    ['waits for the one before', { pods: 'new! - -' }, []],
    ['makes all at once in parallel', { pods: 'new! - -', policy: 'Parallel' }, ['+1 new', '+2 new']],
    ['starts at spec.ordinals.start', { pods: '- - -', start: 4 }, ['+4 new']],
    ['fills a gap first', { pods: 'new - new' }, ['+1 new']],
    ['deletes one that has ended', { pods: 'new newx new' }, ['-1']],
    ['waits for one being deleted', { pods: 'new new~ -' }, []],
    ['shrinks from the end', { pods: 'new new new', replicas: 1 }, ['-2']],
    ['shrinks at once in parallel', { pods: 'new new new', replicas: 1, policy: 'Parallel' }, ['-2', '-1']],
    ['waits with shrinking for one being deleted', { pods: 'new new new~', replicas: 1 }, []],
    ['waits with shrinking for one below that does not work', { pods: 'new! new new', replicas: 2 }, []],
    ['updates from the end', { pods: 'old old old' }, ['-2']],
    ['waits for the one that was updated', { pods: 'old old new!' }, []],
    ['updates the next', { pods: 'old old new' }, ['-1']],
    [
      'leaves those below the partition',
      { pods: 'old old new', strategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      [],
    ],
    [
      'makes one below the partition as it was',
      { pods: '- old new', strategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      ['+0 old'],
    ],
    ['mends pods that never worked, in parallel', { pods: 'old! old! old!', policy: 'Parallel' }, ['-2']],
    ['waits for the one that was mended', { pods: 'old! old! new!', policy: 'Parallel' }, []],
    ['goes on to the next after it', { pods: 'old! old! new', policy: 'Parallel' }, ['-1']],
    ['is not held up by one below the partition', parallel('old! old old', { partition: 1 }), ['-2']],
    ['replaces all broken old pods at once', parallel('old! old! old!', { maxUnavailable: 2 }), ['-2', '-1', '-0']],
    ['replaces broken old pods before others', parallel('old! old old', { maxUnavailable: 2 }), ['-0', '-2']],
    [
      'leaves broken pods below the partition',
      parallel('old! old! old', { maxUnavailable: 3, partition: 1 }),
      ['-1', '-2'],
    ],
    ['counts broken new pods as missing', parallel('old old! new!', { maxUnavailable: 2 }), ['-1']],
    [
      'updates as many at once as may be missing',
      { pods: 'old old old', strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } },
      ['-2', '-1'],
    ],
    ['rounds percentages down', parallel('old old old', { maxUnavailable: '50%' }), ['-2']],
    ['but not to nothing', parallel('old old old', { maxUnavailable: '10%' }), ['-2']],
    ['updates nothing with OnDelete', { pods: 'old old old', strategy: { type: 'OnDelete' } }, []],
  ])('%s', (_name, facts, expected) => {
    expect(plan(facts)).toEqual(expected);
  });
});
