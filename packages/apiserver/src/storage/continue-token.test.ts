import { describe, expect, test } from 'vitest';
import { formatContinueToken, parseContinueToken } from './continue-token.js';

const inBase64 = (json: string) => btoa(json).replace(/=+$/, '');

describe('ETCD-15 a continue token', () => {
  test('has the key at which a list continues', () => {
    const token = { revision: 12, startKey: 'default/web' };
    expect(parseContinueToken(formatContinueToken(token))).toEqual(token);
  });

  test.each([
    ['!', 'illegal base64 data at input byte 0'],
    ['e30', 'server does not recognize this encoded version '],
    [inBase64('{"v":"x","rv":1,"start":"a"}'), 'server does not recognize this encoded version x'],
    [inBase64('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}'), 'incorrect encoded start resourceVersion'],
    [inBase64('{"v":"meta.k8s.io/v1","rv":1.5,"start":"a"}'), 'json: cannot unmarshal number 1.5 into'],
    [inBase64('{"v":"meta.k8s.io/v1","rv":1e300,"start":"a"}'), 'json: cannot unmarshal number 1e+300 into'],
    [inBase64('{"v":"meta.k8s.io/v1","rv":1,"start":""}'), 'encoded start key empty'],
  ])('that is invalid is rejected: %s', (text, why) => {
    expect(() => parseContinueToken(text)).toThrow(`invalid continue token: continue key is not valid: ${why}`);
  });

  test('of a revision that there never was is one of the future', () => {
    const token = inBase64('{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"}');
    expect(parseContinueToken(token)).toEqual({ revision: Number.MAX_SAFE_INTEGER, startKey: 'a' });
  });

  test('may not lead out of its resource', () => {
    expect(() => parseContinueToken(formatContinueToken({ revision: 1, startKey: '../secrets/a' }))).toThrow();
  });
});
