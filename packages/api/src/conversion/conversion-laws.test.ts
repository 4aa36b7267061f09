import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInConversions } from './conversions.js';

const conversions = builtInConversions();

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const quantity = fc.constantFrom('1', '100m', '2Gi', '30');
const count = fc.integer({ min: 1, max: 1000 });
const selector = fc.record({ matchLabels: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }) });
const metric = fc.record({ name: word, selector }, { requiredKeys: ['name'] });

const utilization = count.map((averageUtilization) => ({ type: 'Utilization', averageUtilization }));
const averageValue = quantity.map((amount) => ({ type: 'AverageValue', averageValue: amount }));
const value = quantity.map((amount) => ({ type: 'Value', value: amount }));
const describedObject = fc.record({ kind: word, name: word }, { requiredKeys: ['kind', 'name'] });

/** The metrics that autoscaling/v1 keeps in an annotation, and those that it has a field for. */
const metrics = fc.oneof(
  fc.record({ name: word, target: fc.oneof(utilization, averageValue) }).map(of('Resource')),
  fc.record({ name: word, container: word, target: fc.oneof(utilization, averageValue) }).map(of('ContainerResource')),
  fc.record({ metric, target: averageValue }).map(of('Pods')),
  fc.record({ describedObject, metric, target: fc.oneof(value, averageValue) }).map(of('Object')),
  fc.record({ metric, target: fc.oneof(value, averageValue) }).map(of('External')),
);

function of(type: string): (source: object) => object {
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  return (source) => ({ type, [field]: source });
}

/** The metric of autoscaling/v1's field is first, so that the order is kept. */
const cpu = utilization.map((target) => ({ type: 'Resource', resource: { name: 'cpu', target } }));
const listOfMetrics = fc
  .tuple(fc.option(cpu), fc.array(metrics.filter(isNotCpu), { maxLength: 4 }))
  .map(([first, rest]) => (first ? [first, ...rest] : rest))
  .filter((list) => list.length > 0);

function isNotCpu(one: object): boolean {
  return (one as { resource?: { name: string } }).resource?.name !== 'cpu';
}

describe('a round trip returns an equal object', () => {
  test('an autoscaler of autoscaling/v2, through autoscaling/v1', () => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    fc.assert(
      fc.property(listOfMetrics, count, (list, maxReplicas) => {
        const autoscaler = {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'web' },
          spec: { scaleTargetRef, maxReplicas, metrics: list },
        };
        const back = conversions.convert(conversions.convert(autoscaler, 'autoscaling/v1'), 'autoscaling/v2');
        expect(back).toEqual(autoscaler);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  test('an event of either group', () => {
    const both = { reason: word, type: word, action: word, series: fc.record({ count }) };
    const event = fc.record(
      { ...both, involvedObject: describedObject, message: fc.string(), source: fc.record({ component: word }), count },
      { requiredKeys: ['involvedObject'] },
    );
    fc.assert(
      fc.property(event, (fields) => {
        const core = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, ...fields };
        const other = conversions.convert(core, 'events.k8s.io/v1');
        expect(conversions.convert(other, 'v1')).toEqual(core);
        expect(conversions.convert(conversions.convert(other, 'v1'), 'events.k8s.io/v1')).toEqual(other);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
