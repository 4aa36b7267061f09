import { expect, test } from 'vitest';
import { evaluated } from '../evaluate.fixture.js';

test.each([
  ['{"a": null}["a"] == null', true],
  ['{"a": null}.a == null', true],
  ['[null][0] == null', true],
  ['[1, 2][dyn(1.0)]', 2],
  ['[1, 2][dyn(1u)]', 2],
  ['[1, 2][dyn(1.5)]', 'unsupported index value 1.5 in list'],
  ['[1, 2][dyn("a")]', "unsupported index type 'string' in list"],
  ['[1, 2][2]', 'index out of bounds: 2'],
  ['dyn([1]).a', "unsupported index type 'string' in list"],
  ['dyn(1).a', 'no such key: a'],
  ['dyn(1)[0]', 'no such key: 0'],
  ['has(dyn(1).a)', false],
  ['dyn(1).?a.hasValue()', false],
  ['dyn([1])[?"a"].hasValue()', false],
  ['dyn([1])[?0].value()', 1],
  ['optional.of([1])[0].value()', 1],
])('%s', (expression, value) => {
  expect(evaluated(expression)).toBe(value);
});
