import { describe, expect, test } from 'vitest';
import { formatContinueToken, parseContinueToken } from './continue-token.js';

describe('ETCD-15 a continue token', () => {
  test('says where a list goes on', () => {
    const token = { revision: 12, startKey: 'default/web' };
    expect(parseContinueToken(formatContinueToken(token))).toEqual(token);
  });

  test.each(['!', 'e30', btoa('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}'), btoa('{"v":"x","rv":1,"start":"a"}')])(
    'that makes no sense is refused: %s',
    (text) => {
      expect(() => parseContinueToken(text)).toThrow(/continue key is not valid/);
    },
  );

  test('may not lead out of its resource', () => {
    expect(() => parseContinueToken(formatContinueToken({ revision: 1, startKey: '../secrets/a' }))).toThrow();
  });
});
