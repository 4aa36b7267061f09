import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyIndex } from './key-index.js';

test('a key index lists the same as a sorted map, for any changes', () => {
  const step = fc.record({ key: fc.string({ maxLength: 3 }), kind: fc.constantFrom('set', 'delete', 'list') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const index = new KeyIndex<number>();
      const model = new Map<string, number>();
      for (const [value, { key, kind }] of steps.entries()) {
        if (kind === 'set') {
          index.set(key, value);
          model.set(key, value);
        } else if (kind === 'delete') {
          index.delete(key);
          model.delete(key);
        } else {
          const keys = [...model.keys()].sort();
          expect(index.list()).toEqual(keys.map((one) => model.get(one)));
        }
        expect(index.size).toBe(model.size);
      }
    }),
  );
});
