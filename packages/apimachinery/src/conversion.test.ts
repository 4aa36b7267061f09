import { describe, expect, test } from 'vitest';
import { ConversionRegistry } from './conversion.js';

const registry = new ConversionRegistry([
  {
    kind: 'Boat',
    hub: 'x/v2',
    spokes: [
      {
        apiVersion: 'x/v1',
        toHub: ({ size, ...rest }) => ({ ...rest, length: size }),
        fromHub: ({ length, ...rest }) => ({ ...rest, size: length }),
      },
      {
        apiVersion: 'x/v3',
        toHub: ({ metres, ...rest }) => ({ ...rest, length: metres }),
        fromHub: ({ length, ...rest }) => ({ ...rest, metres: length }),
      },
    ],
  },
]);

describe('ConversionRegistry', () => {
  const v1 = Object.freeze({ apiVersion: 'x/v1', kind: 'Boat', size: 3 });

  test.each([
    ['x/v1', { apiVersion: 'x/v1', kind: 'Boat', size: 3 }],
    ['x/v2', { apiVersion: 'x/v2', kind: 'Boat', length: 3 }],
    ['x/v3', { apiVersion: 'x/v3', kind: 'Boat', metres: 3 }],
  ])('converts to %s through the hub, and back', (version, expected) => {
    const converted = registry.convert(v1, version);
    expect(converted).toEqual(expected);
    expect(registry.convert(converted, 'x/v1')).toEqual(v1);
  });

  test('returns an object that is already in the version', () => {
    expect(registry.convert(v1, 'x/v1')).toBe(v1);
  });

  test('rejects unknown versions', () => {
    expect(registry.canConvert('Boat', 'x/v1', 'y/v1')).toBe(false);
    expect(() => registry.convert({ apiVersion: 'y/v1', kind: 'Boat' }, 'x/v1')).toThrow(
      'converting (y/v1, Kind=Boat) to (x/v1): unknown conversion',
    );
  });
});
