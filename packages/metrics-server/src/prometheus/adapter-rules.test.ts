import { describe, expect, test } from 'vitest';
import { parseAdapterRules } from './adapter-rules.js';
import { metricName } from './metric-catalog.js';

const rule = { seriesQuery: 'x', metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)' };

describe('the rules of an adapter', () => {
  test.each([
    [undefined, 'must have rules or externalRules'],
    [{ rules: [] }, 'must have rules or externalRules'],
    [{ rules: {} }, 'rules: must be a list'],
    [{ rules: [{ metricsQuery: 'x' }] }, 'rules[0].seriesQuery: is required'],
    [{ externalRules: [{ seriesQuery: 'x' }] }, 'externalRules[0].metricsQuery: is required'],
    [{ rules: [{ ...rule, metricsQuery: '<<.Other>>' }] }, 'rules[0].metricsQuery: <<.Other>> is not supported'],
    [{ rules: [{ ...rule, name: { matches: '(' } }] }, 'rules[0].name.matches: Invalid regular expression'],
    [{ rules: [{ ...rule, name: { matches: '(a)(b)' } }] }, 'rules[0].name.as: is required'],
    [{ rules: [{ ...rule, resources: { template: 'x' } }] }, 'rules[0].resources.template: must contain'],
    [{ rules: [{ ...rule, resources: { overrides: { pod: {} } } }] }, 'overrides.pod.resource: is required'],
  ])('%j is refused', (config, message) => {
    expect(() => parseAdapterRules(config)).toThrow(message);
  });

  test.each([
    [undefined, 'http_requests_total', 'http_requests_total'],
    [{ matches: '^(.*)_total$' }, 'http_requests_total', 'http_requests'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Go writes groups so
    [{ matches: '^(.*)_total$', as: '${1}_per_second' }, 'http_requests_total', 'http_requests_per_second'],
    [{ matches: '^(?P<what>.*)_total$', as: '$what' }, 'http_requests_total', 'http_requests'],
    [{ matches: '^other$' }, 'http_requests_total', undefined],
  ])('name %j of %s', (name, series, expected) => {
    const [read] = parseAdapterRules({ rules: [{ ...rule, ...(name && { name }) }] }).custom;
    expect(read && metricName(read, series)).toBe(expected);
  });
});
