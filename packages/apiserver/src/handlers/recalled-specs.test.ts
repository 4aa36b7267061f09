import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecalledSpecs } from './recalled-specs.js';

const spec = '{"a":[1,{"b":"}"}],"c":"\\u0073"}';
const text = (head: string, ofSpec = spec) => `{${head},"spec":${ofSpec}}`;

/** Knows what `spec` came to. */
function knowing(first = text('"kind":"Pod"')): RecalledSpecs {
  const specs = new RecalledSpecs();
  specs.isRepeated(first);
  specs.keep(first, JSON.parse(spec));
  return specs;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

describe('a spec that is recalled', () => {
  /** Pieces of which texts are made that nearly are, or are, objects with the spec at their end. */
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '"kind"', '"spec"', '"\\u0073pec"', '1', ' ', spec);
  const head = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));

  test('belongs to the object, whose other fields are the rest', () => {
    const specs = knowing();
    const check = (before: string) => {
      const whole = `${before},"spec":${spec}}`;
      const found = specs.find(whole);
      const rest = found && (parsed(found.rest) as Record<string, unknown> | undefined);
      if (!found || !isObject(rest) || Object.keys(rest as object).length === 0 || Object.hasOwn(rest as object, 'spec')) return;
      expect(parsed(whole)).toEqual({ ...rest, spec: found.spec });
    };
    fc.assert(fc.property(head, check), { numRuns: 5_000 });
    fc.assert(fc.property(fc.json(), (json) => check(json.slice(0, -1))), { numRuns: 1_000 });
  });
});
