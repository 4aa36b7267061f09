import { type FieldError, formatFieldError, type KubeObject } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { expect, test } from 'vitest';
import type { StrategyContext } from '../strategy.js';
import { flowSchemas, priorityLevels } from './flow-control-objects.js';
import { flowSchemaStrategy, priorityLevelStrategy } from './mandatory-spec.js';

/** The field errors of the object itself. */
const context = {} as StrategyContext;

function named(objects: typeof priorityLevels, name: string, change: object): KubeObject {
  const found = objects.find(({ object }) => object.metadata.name === name)?.object as KubeObject & { spec: object };
  return deepCopy({ ...found, spec: { ...found.spec, ...change } });
}

/** Without the value, which is printed as a whole. */
function endings(errors: readonly FieldError[]): string[] {
  return errors.map((error) => formatFieldError(error).replace(/^spec: .*: (?=spec of)/, ''));
}

test.each<[string, object, string[]]>([
  ['exempt', {}, []],
  ['exempt', { exempt: { nominalConcurrencyShares: 7 } }, []],
  ['exempt', { limited: {} }, ["spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"]],
  ['catch-all', {}, []],
  ['catch-all', { type: 'Exempt' }, ["spec of 'catch-all' must equal the fixed value"]],
  ['system', { type: 'Exempt' }, []],
])('the level %s with %j is as it must be', (name, change, want) => {
  const errors = priorityLevelStrategy.validateCreate?.(named(priorityLevels, name, change), context) ?? [];
  expect(endings(errors)).toEqual(want);
});

test('the catch-all is unchanged', () => {
  const schema = named(flowSchemas, 'catch-all', { matchingPrecedence: 5 });
  expect(endings(flowSchemaStrategy.validateUpdate?.(schema, schema, context) ?? [])).toEqual([
    "spec of 'catch-all' must equal the fixed value",
  ]);
});
