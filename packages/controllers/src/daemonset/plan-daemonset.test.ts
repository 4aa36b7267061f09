import type { DaemonSet, Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { DaemonNode, DaemonView } from './daemon-nodes.js';
import { planDaemonUpdate } from './plan-daemon-update.js';
import { planDaemonSet } from './plan-daemonset.js';

const now = 1_000_000;

/** `old`, `new`, with `!` for unavailable and `~` for terminating pods. */
function pod(text: string, name: string): Pod {
  const works = !text.includes('!');
  const conditions = [{ type: 'Ready', status: works ? 'True' : 'False', lastTransitionTime: formatTime(0) }];
  return {
    metadata: {
      name,
      labels: { 'controller-revision-hash': text.startsWith('new') ? 'now' : 'before' },
      ...(text.includes('~') && { deletionTimestamp: formatTime(now) }),
    },
    status: { phase: text.includes('x') ? 'Failed' : 'Running', conditions },
  };
}

function view(nodes: readonly string[], rollingUpdate: object = {}, type = 'RollingUpdate'): DaemonView {
  const daemonSet = { metadata: {}, spec: { selector: {}, template: {}, updateStrategy: { type, rollingUpdate } } };
  const parse = (text: string, index: number): DaemonNode => {
    const [where, ...pods] = text.split(' ');
    const fit = { shouldRun: where === 'here', mayStay: where !== 'never' };
    return { name: `n${index}`, fit, pods: pods.map((one, at) => pod(one, `${index}.${at}`)) };
  };
  return { daemonSet: daemonSet as DaemonSet, nodes: nodes.map(parse), stranded: [], hash: 'now', now };
}
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe('planDaemonSet', () => {
  test.each([
    ['a node that lacks a pod gets one', ['here'], ['n0'], []],
    ['a node that has one gets none', ['here new'], [], []],
    ['a node that should have none gets none', ['elsewhere'], [], []],
    ['a pod that may stay stays', ['elsewhere new'], [], []],
    ['a pod that may not stay goes', ['never new'], [], ['0.0']],
    ['of two the second goes', ['here new new'], [], ['0.1']],
    ['one being deleted is waited for', ['here new~'], [], []],
  ])('%s', (_name, nodes, create, gone) => {
    const plan = planDaemonSet(view(nodes));
    expect([plan.create, names(plan.delete)]).toEqual([create, gone]);
  });

  test('failed pods are listed apart from the others', () => {
    expect(planDaemonSet(view(['here newx'])).failed.map(({ node }) => node)).toEqual(['n0']);
  });

  test('an old pod stays beside a new one until the new one is available', () => {
    const surge = { maxSurge: 1, maxUnavailable: 0 };
    expect(names(planDaemonSet(view(['here old new!'], surge)).delete)).toEqual([]);
    expect(names(planDaemonSet(view(['here old new'], surge)).delete)).toEqual(['0.0']);
    expect(names(planDaemonSet(view(['here old! new!'], surge)).delete)).toEqual(['0.0']);
  });
});

describe('planDaemonUpdate', () => {
  test.each([
    ['one at a time', ['here old', 'here old', 'here old'], {}, ['0.0']],
    ['nothing while a new one does not work', ['here new!', 'here old', 'here old'], {}, []],
    ['an old one that does not work at once', ['here new!', 'here old!', 'here old'], {}, ['1.0']],
    [
      'a share of the nodes, rounded up',
      ['here old', 'here old', 'here old'],
      { maxUnavailable: '50%' },
      ['0.0', '1.0'],
    ],
    ['nothing when all are new', ['here new', 'here new'], {}, []],
    ['nothing while a node has none', ['here', 'here old'], {}, []],
  ])('replaces %s', (_name, nodes, rollingUpdate, gone) => {
    expect(names(planDaemonUpdate(view(nodes, rollingUpdate)).delete)).toEqual(gone);
  });

  test.each([
    ['as many as may surge', ['here old', 'here old', 'here old'], { maxSurge: 1 }, ['n0'], []],
    ['none while one is coming up', ['here old new!', 'here old'], { maxSurge: 1 }, [], []],
    ['one at once for an old one that does not work', ['here old new!', 'here old!'], { maxSurge: 1 }, ['n1'], []],
    ['the next when the last works', ['here old new', 'here old'], { maxSurge: 1 }, ['n1'], ['0.0']],
  ])('surges with %s', (_name, nodes, bounds, create, gone) => {
    const plan = planDaemonUpdate(view(nodes, { maxUnavailable: 0, ...bounds }));
    expect([plan.create, names(plan.delete)]).toEqual([create, gone]);
  });

  test('does nothing with OnDelete', () => {
    expect(planDaemonUpdate(view(['here old'], {}, 'OnDelete'))).toEqual({ create: [], delete: [] });
  });
});
