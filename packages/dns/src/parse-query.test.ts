import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isQuery, parseQuery } from './parse-query.js';
import { queryFor } from './query.fixture.js';

test('a question, with EDNS and without', () => {
  expect(parseQuery(queryFor('Web.Default.svc.cluster.local', 'A'))).toMatchObject({
    id: 0x1234,
    name: 'web.default.svc.cluster.local.',
    type: 1,
    class: 1,
    recursionDesired: true,
    payloadSize: undefined,
  });
  expect(parseQuery(queryFor('a', 'AAAA', { payloadSize: 4096 }))).toMatchObject({ type: 28, payloadSize: 4096 });
});

test('a question with a cookie, as dig sends it', () => {
  const cookie = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8];
  const packet = Uint8Array.from([...queryFor('a.b', 'SRV', { payloadSize: 1232 }), ...cookie]);
  packet[packet.length - cookie.length - 1] = cookie.length;
  packet[3] = 0x20;
  expect(parseQuery(packet)).toMatchObject({ name: 'a.b.', type: 33, payloadSize: 1232, ednsVersion: 0 });
});

const good = queryFor('a.b', 'A');
const changed = (at: number, value: number) => Uint8Array.from(good, (byte, i) => (i === at ? value : byte));

test.each([
  ['nothing', new Uint8Array(0), { kind: 'drop' }],
  ['half a header', good.subarray(0, 11), { kind: 'drop' }],
  ['an answer', changed(2, 0x81), { kind: 'drop' }],
  ['another operation', changed(2, 0x28), { kind: 'refuse', code: 'NOTIMP' }],
  ['two questions', changed(5, 2), { kind: 'refuse', code: 'FORMERR' }],
  ['no question', changed(5, 0), { kind: 'refuse', code: 'FORMERR' }],
  ['an answer section', changed(7, 1), { kind: 'refuse', code: 'FORMERR' }],
  ['a pointer in the name', changed(12, 0xc0), { kind: 'refuse', code: 'FORMERR' }],
  ['a label beyond the end', changed(12, 60), { kind: 'refuse', code: 'FORMERR' }],
  ['a name without type', good.subarray(0, good.length - 3), { kind: 'refuse', code: 'FORMERR' }],
  ['additional records that are missing', changed(11, 1), { kind: 'refuse', code: 'FORMERR' }],
])('refuses %s', (_, packet, expected) => {
  expect(parseQuery(packet)).toMatchObject(expected);
});

test('a dot within a label is no end of it', () => {
  const parsed = parseQuery(changed(13, 0x2e));
  expect(isQuery(parsed) && parsed.name).toBe('\\046.b.');
});

test('no packet makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (noise, withHeader) => {
      const packet = withHeader ? Uint8Array.from([...good.subarray(0, 12), ...noise]) : noise;
      expect(() => parseQuery(packet)).not.toThrow();
    }),
  );
});
