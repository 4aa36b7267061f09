import type { Pod } from '@coracle/api';
import { parseLabelSelector } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { AutoscalerSelectors } from './autoscaler-selectors.js';

const pod = (labels: Record<string, string>): Pod => ({ metadata: { name: 'p', namespace: 'default', labels } });

test('finds the autoscalers that select a pod, by any kind of selector, in their namespace alone', () => {
  const selectors = new AutoscalerSelectors();
  selectors.set('default/a', parseLabelSelector('app=web'));
  selectors.set('default/b', parseLabelSelector('app in (web,db)'));
  selectors.set('default/c', parseLabelSelector('tier=front,app=web'));
  selectors.set('other/d', parseLabelSelector('app=web'));
  const of = (labels: Record<string, string>) => selectors.selecting('default', [pod(labels)]);
  expect(of({ app: 'web' })).toEqual(['default/a', 'default/b']);
  expect(of({ app: 'web', tier: 'front' })).toEqual(['default/a', 'default/b', 'default/c']);
  expect(of({ app: 'db' })).toEqual(['default/b']);
  expect(selectors.selecting('default', [pod({ app: 'db' }), pod({ app: 'web' })])).toHaveLength(2);
  selectors.set('default/a', parseLabelSelector('app=api'));
  selectors.forget('default/b');
  expect([of({ app: 'web' }), of({ app: 'api' })]).toEqual([[], ['default/a']]);
});
