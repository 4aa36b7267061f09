import { parseLabelSelector } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { namesMatcher, renderQuery, selectorMatcher } from './query-template.js';

const template = 'sum(rate(<<.Series>>{<<.LabelMatchers>>,job="x"}[2m])) by (<<.GroupBy>>)';

test('a query gets its series, conditions and groups', () => {
  const matchers = [namesMatcher('namespace', ['default']), namesMatcher('pod', ['a.b', 'c'])];
  expect(renderQuery(template, { series: 'requests_total', matchers, groupBy: ['pod'] })).toBe(
    'sum(rate(requests_total{namespace="default",pod=~"a\\\\.b|c",job="x"}[2m])) by (pod)',
  );
});

test('a query may name the values of one label', () => {
  const matchers = [namesMatcher('pod', ['a', 'b'])];
  expect(renderQuery('x{p=~"<<index .LabelValuesByName "pod">>"}', { series: '', matchers, groupBy: [] })).toBe(
    'x{p=~"a|b"}',
  );
});

test.each([
  ['a=b', 'a="b"'],
  ['a!=b', 'a!="b"'],
  ['a in (b,c)', 'a=~"b|c"'],
  ['a notin (b,c)', 'a!~"b|c"'],
  ['a', 'a!=""'],
  ['!a', 'a=""'],
])('selector %s', (selector, expected) => {
  const matchers = parseLabelSelector(selector).requirements.map(selectorMatcher);
  expect(renderQuery('<<.LabelMatchers>>', { series: '', matchers, groupBy: [] })).toBe(expected);
});

test('numbers cannot be compared', () => {
  const matcher = () => parseLabelSelector('a>1').requirements.map(selectorMatcher);
  expect(matcher).toThrow('metrics cannot be selected by the operator "gt"');
});
