import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layout } from '../generated/layout.js';
import { ContainerState } from '../generated/messages.js';
import { createCodec } from './codec.js';

const codec = createCodec(layout);

test('a container config comes back as it was', () => {
  const config = {
    metadata: { name: 'web', attempt: 3 },
    envs: [{ key: 'A', value: new Uint8Array([1, 2, 255]) }],
    labels: { 'io.kubernetes.pod.uid': 'ä', empty: '' },
    tty: true,
    linux: { resources: { oomScoreAdj: -997, cpuQuota: -1, memoryLimitInBytes: 2 ** 45 } },
  };
  const decoded = codec.decode('ContainerConfig', codec.encode('ContainerConfig', config));
  expect(decoded).toMatchObject({ ...config, labels: { ...config.labels } });
});

test('an enum that is not on the wire has its first value', () => {
  expect(codec.decode('ContainerStatus', new Uint8Array())).toMatchObject({ state: ContainerState.CONTAINER_CREATED });
});

test('unknown fields are skipped', () => {
  const bytes = codec.encode('ContainerConfig', { metadata: { name: 'a' }, logPath: 'x', tty: true });
  expect(codec.decode('VersionResponse', bytes)).toEqual({ version: '\n\u0001a' });
});

test('numbers of 64 bits with their sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }), (value) => {
      expect(codec.decode('Int64Value', codec.encode('Int64Value', { value }))).toEqual({ value });
    }),
  );
});

describe('what is cut off or is no message is refused', () => {
  test.each([
    ['a number', [0x08, 0x80]],
    ['a long number', [0x08, ...Array<number>(9).fill(0xff)]],
    ['a number without end', [0x08, ...Array<number>(12).fill(0xff)]],
    ['a field', [0x0a, 0x05, 0x61]],
    ['a wire type', [0x0f]],
  ])('%s', (_, bytes) => {
    expect(() => codec.decode('Int64Value', Uint8Array.from(bytes))).toThrow(RangeError);
    expect(() => codec.decode('VersionResponse', Uint8Array.from(bytes))).toThrow(RangeError);
  });
});

test('random bytes never do more than throw a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        codec.decode('PodSandboxStatusResponse', bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
