import type { Affinity, PodAffinityTerm } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { fittingNodes, makeNodeInfo, makePodInfo, type PodParts } from '../builders.fixture.js';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import { CycleState } from '../framework/cycle-state.js';
import { interPodAffinity } from './inter-pod-affinity.js';

const namespaceLabels: Record<string, Record<string, string>> = { default: { team: 'a' }, other: { team: 'b' } };
const plugin = interPodAffinity({ labelsOf: (name) => namespaceLabels[name] ?? {}, version: () => 0 });

const web: PodAffinityTerm = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' };
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const away = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const preferring = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});
const avoiding = (weight: number, podAffinityTerm: PodAffinityTerm): Affinity => ({
  podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
});

/** Two nodes in zone 1, one in zone 2, one without a zone. The existing pods are on the first. */
function cluster(...pods: PodInfo[]): NodeInfo[] {
  return [
    makeNodeInfo('a', { labels: { zone: '1' }, pods }),
    makeNodeInfo('b', { labels: { zone: '1' } }),
    makeNodeInfo('c', { labels: { zone: '2' } }),
    makeNodeInfo('d'),
  ];
}

describe('InterPodAffinity filter', () => {
  const cases: { name: string; on?: PodParts; pod: PodParts; fits: string }[] = [
    { name: 'a pod that requests nothing is not looked at', on: { labels: { app: 'web' } }, pod: {}, fits: 'skip' },
    {
      name: 'near: the topology of a match',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: near(web) } },
      fits: 'a,b',
    },
    { name: 'near: nothing matches', on: { labels: { app: 'db' } }, pod: { spec: { affinity: near(web) } }, fits: '' },
    {
      name: 'near: the first of a group may go anywhere that has the label',
      on: { labels: { app: 'db' } },
      pod: { labels: { app: 'web' }, spec: { affinity: near(web) } },
      fits: 'a,b,c',
    },
    {
      name: 'near: the second of a group joins the first',
      on: { labels: { app: 'web' } },
      pod: { labels: { app: 'web' }, spec: { affinity: near(web) } },
      fits: 'a,b',
    },
    {
      name: 'near: only a pod that matches all terms counts',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: near(web, { ...web, labelSelector: { matchLabels: { tier: 'front' } } }) } },
      fits: '',
    },
    {
      name: 'away: not the topology of a match',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: away(web) } },
      fits: 'c,d',
    },
    {
      name: 'away: nothing matches',
      on: { labels: { app: 'db' } },
      pod: { spec: { affinity: away(web) } },
      fits: 'a,b,c,d',
    },
    {
      name: 'away: the wish of a pod that is there counts as well',
      on: { spec: { affinity: away(web) } },
      pod: { labels: { app: 'web' } },
      fits: 'c,d',
    },
    {
      name: 'another namespace does not count',
      on: { namespace: 'other', labels: { app: 'web' } },
      pod: { spec: { affinity: near(web) } },
      fits: '',
    },
    {
      name: 'unless it is named',
      on: { namespace: 'other', labels: { app: 'web' } },
      pod: { spec: { affinity: near({ ...web, namespaces: ['other'] }) } },
      fits: 'a,b',
    },
    {
      name: 'or selected by its labels',
      on: { namespace: 'other', labels: { app: 'web' } },
      pod: { spec: { affinity: near({ ...web, namespaceSelector: { matchLabels: { team: 'b' } } }) } },
      fits: 'a,b',
    },
    {
      name: 'an empty namespace selector means all namespaces',
      on: { namespace: 'other', labels: { app: 'web' } },
      pod: { spec: { affinity: away({ ...web, namespaceSelector: {} }) } },
      fits: 'c,d',
    },
    {
      name: 'named namespaces leave out the pod’s own',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: near({ ...web, namespaces: ['other'] }) } },
      fits: '',
    },
    {
      name: 'a term without a selector matches no pod',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: near({ topologyKey: 'zone' }) } },
      fits: '',
    },
  ];

  test.each(cases)('$name', ({ on, pod, fits }) => {
    expect(fittingNodes(plugin, makePodInfo('p', pod), cluster(...(on ? [makePodInfo('other', on)] : [])))).toBe(fits);
  });

  const wordings = [
    {
      on: {},
      pod: { spec: { affinity: near(web) } },
      verdict: ['unschedulable-and-unresolvable', "node(s) didn't match pod affinity rules"],
    },
    {
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: away(web) } },
      verdict: ['unschedulable', "node(s) didn't match pod anti-affinity rules"],
    },
    {
      on: { spec: { affinity: away(web) } },
      pod: { labels: { app: 'web' } },
      verdict: ['unschedulable', "node(s) didn't satisfy existing pods anti-affinity rules"],
    },
  ];

  test.each(wordings)('says: $verdict', ({ on, pod, verdict }) => {
    const nodes = cluster(makePodInfo('other', on));
    const state = new CycleState(nodes);
    const info = makePodInfo('p', pod);
    plugin.preFilter(state, info, nodes);

    const { kind, reasons } = plugin.filter(state, info, nodes[0] as NodeInfo) as { kind: string; reasons: string[] };
    expect([kind, ...reasons]).toEqual(verdict);
  });

  test('follows removed and added pods, on a copy of the state', () => {
    const other = makePodInfo('other', { labels: { app: 'web' } });
    const nodes = cluster(other);
    const node = nodes[0] as NodeInfo;
    const pod = makePodInfo('p', { spec: { affinity: away(web) } });
    const state = new CycleState(nodes);
    plugin.preFilter(state, pod, nodes);
    const copy = state.clone();

    plugin.removePod?.(copy, pod, { other, node });
    expect([plugin.filter(copy, pod, node).kind, plugin.filter(state, pod, node).kind]).toEqual([
      'fits',
      'unschedulable',
    ]);
    plugin.addPod?.(copy, pod, { other, node });
    expect(plugin.filter(copy, pod, node).kind).toBe('unschedulable');
  });
});

describe('InterPodAffinity score', () => {
  const cases: { name: string; on: PodParts; pod: PodParts; scores: unknown }[] = [
    { name: 'nothing preferred, nothing ranked', on: { labels: { app: 'web' } }, pod: {}, scores: 'skip' },
    {
      name: 'prefers to be near',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: preferring(10, web) } },
      scores: [100, 100, 0, 0],
    },
    {
      name: 'prefers to be away',
      on: { labels: { app: 'web' } },
      pod: { spec: { affinity: avoiding(10, web) } },
      scores: [0, 0, 100, 100],
    },
    {
      name: 'what the other prefers counts too',
      on: { spec: { affinity: preferring(1, web) } },
      pod: { labels: { app: 'web' } },
      scores: [100, 100, 0, 0],
    },
    {
      name: 'what the other requires draws as well',
      on: { spec: { affinity: near(web) } },
      pod: { labels: { app: 'web' } },
      scores: [100, 100, 0, 0],
    },
    {
      name: 'what the other avoids',
      on: { spec: { affinity: avoiding(1, web) } },
      pod: { labels: { app: 'web' } },
      scores: [0, 0, 100, 100],
    },
  ];

  test.each(cases)('$name', ({ on, pod, scores }) => expect(scoresBy(plugin, on, pod)).toEqual(scores));

  test('scores are truncated after the division, whose result may be inexact', () => {
    const [like, love] = [preferring(29, web), preferring(71, web)];
    const [first, , third] = cluster();
    first?.addPod(makePodInfo('one', { spec: { affinity: like } }));
    third?.addPod(makePodInfo('two', { spec: { affinity: like } }));
    third?.addPod(makePodInfo('three', { spec: { affinity: love } }));
    const nodes = [first, third, makeNodeInfo('d')] as NodeInfo[];
    const state = new CycleState(nodes);
    const pod = makePodInfo('p', { labels: { app: 'web' } });
    plugin.preScore(state, pod, nodes);
    const all = nodes.map((node) => plugin.score(state, pod, node));
    plugin.normalize?.(all, { state, pod, nodes });

    expect(all).toEqual([28, 100, 0]);
  });

  test('ignorePreferredTermsOfExistingPods: unless the pod has preferences of its own, scoring is skipped', () => {
    const ignoring = interPodAffinity(
      { labelsOf: () => ({}), version: () => 0 },
      { ignorePreferredTermsOfExistingPods: true },
    );
    const labels = { app: 'web' };
    const preferringPod = { spec: { affinity: preferring(1, web) } };
    expect(scoresBy(ignoring, preferringPod, { labels })).toBe('skip');
    expect(scoresBy(ignoring, { spec: { affinity: near(web) } }, { labels })).toBe('skip');
    const none = { labelSelector: { matchLabels: { app: 'none' } }, topologyKey: 'zone' };
    expect(scoresBy(ignoring, preferringPod, { labels, spec: { affinity: preferring(1, none) } })).toEqual([
      100, 100, 0, 0,
    ]);
  });

  function scoresBy(by: typeof plugin, on: PodParts, pod: PodParts): number[] | 'skip' {
    const nodes = cluster(makePodInfo('other', on));
    const info = makePodInfo('p', pod);
    const state = new CycleState(nodes);
    if (by.preScore(state, info, nodes) === 'skip') return 'skip';
    const all = nodes.map((node) => by.score(state, info, node));
    by.normalize?.(all, { state, pod: info, nodes });
    return all;
  }
});
