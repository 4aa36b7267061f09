import { seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ForwardedQuestion, Forwarder } from './forwarder.js';
import { queryFor } from './query.fixture.js';
import { readResponse } from './read-response.js';
import { recordTypes } from './record.js';

const name = 'www.example.com.';
const forwarded = (question: Uint8Array): ForwardedQuestion => ({
  name,
  type: recordTypes.A,
  class: 1,
  protocol: 'udp',
  dnssecOk: false,
  question,
});
/** Of a query, from the name on. */
const questionOf = (text: string) => queryFor(text, 'A').subarray(12);

/** An answer with one address, to any question. */
function answerTo(query: Uint8Array, question: Uint8Array): Uint8Array {
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7];
  const [high = 0, low = 0] = query;
  return Uint8Array.from([high, low, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, ...question, ...record]);
}

function forwarderTo(answer: (query: Uint8Array) => Uint8Array) {
  const clock = new VirtualClock();
  const events: unknown[] = [];
  const logger = { ...silentLogger, error: (_: string, fields?: object) => void events.push(fields) };
  const forwarder = new Forwarder({
    upstreams: ['192.0.2.53'],
    query: async (_, packet) => answer(packet),
    clock,
    random: seededRandom(1),
    logger,
  });
  return { forwarder, clock, logged: events };
}

test('an answer is forwarded and cached; names are case-insensitive', async () => {
  const { forwarder, logged } = forwarderTo((query) => answerTo(query, questionOf('WWW.example.com')));
  expect(await forwarder.resolve(forwarded(questionOf('www.example.com')))).toBeDefined();
  expect(forwarder.cached(forwarded(questionOf('www.example.com')))).toBeDefined();
  expect(logged).toEqual([]);
});

/** An address and its alias with TTLs of their own, an additional address, and an OPT record before a last one. */
function answerWithOpt(query: Uint8Array): Uint8Array {
  const record = (ttl: number) => [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, ttl, 0, 4, 192, 0, 2, ttl];
  const opt = [0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0];
  const [high = 0, low = 0] = query;
  const head = [high, low, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 3];
  const question = questionOf('www.example.com');
  return Uint8Array.from([...head, ...question, ...record(20), ...record(60), ...record(90), ...opt, ...record(7)]);
}

/** The TTLs of all records, with the number of additional ones. */
function ttlsOf(bytes: Uint8Array | undefined) {
  const view = new DataView(Uint8Array.from(bytes ?? []).buffer);
  const { ttlsAt = [] } = readResponse(bytes ?? new Uint8Array()) ?? {};
  return { ttls: ttlsAt.map((at) => view.getUint32(at)), additional: view.getUint16(10) };
}

test('the TTLs of a cached answer are its shortest one, and count down', async () => {
  const { forwarder, clock } = forwarderTo(answerWithOpt);
  const question = forwarded(questionOf('www.example.com'));
  expect(ttlsOf(await forwarder.resolve(question))).toEqual({ ttls: [20, 20, 20], additional: 1 });
  await clock.advance(500);
  expect(ttlsOf(forwarder.cached(question)).ttls).toEqual([20, 20, 20]);
  await clock.advance(18_600);
  expect(ttlsOf(forwarder.cached(question)).ttls).toEqual([1, 1, 1]);
  expect((await forwarder.addresses(name, recordTypes.A)).map(({ ttl }) => ttl)).toEqual([1, 1]);
  await clock.advance(900);
  expect(forwarder.cached(question)).toBeUndefined();
});

test('an OPT record of the server is not forwarded, cached or not', async () => {
  for (const flags of [0x81, 0x83]) {
    const { forwarder } = forwarderTo((query) => {
      const answer = answerWithOpt(query);
      answer[2] = flags;
      return answer;
    });
    const bytes = await forwarder.resolve(forwarded(questionOf('www.example.com')));
    expect([ttlsOf(bytes).additional, bytes?.length]).toEqual([1, 12 + questionOf('www.example.com').length + 3 * 16]);
  }
});

test.each<[string, (query: Uint8Array) => Uint8Array]>([
  ['to another question', (query) => answerTo(query, questionOf('bank.example.com'))],
  ['to a longer one', (query) => answerTo(query, questionOf('www.example.com.evil.example.org'))],
  [
    'with another id',
    (query) => answerTo(Uint8Array.from([(query[0] ?? 0) ^ 1, query[1] ?? 0]), questionOf('www.example.com')),
  ],
  ['that is a question', (query) => query],
  ['of nothing', () => new Uint8Array(0)],
  ['cut off within the question', (query) => answerTo(query, questionOf('www.example.com')).subarray(0, 20)],
])('an answer %s is rejected, not cached, and logged once', async (_, answer) => {
  const { forwarder, logged } = forwarderTo(answer);
  const question = forwarded(questionOf('www.example.com'));
  for (let i = 0; i < 3; i++) expect(await forwarder.resolve(question)).toBeUndefined();
  expect(forwarder.cached(question)).toBeUndefined();
  expect(logged).toEqual([{ server: '192.0.2.53' }]);
});

test('a server that does not reply is not waited for again and again', async () => {
  const queried: string[] = [];
  const dead = new Set(['192.0.2.1']);
  const clock = new VirtualClock();
  const forwarder = new Forwarder({
    upstreams: ['192.0.2.1', '192.0.2.2'],
    query: async (server, packet) => {
      queried.push(server);
      if (dead.has(server)) throw new Error(`${server} does not answer`);
      return answerTo(packet, packet.subarray(12, -11));
    },
    clock,
    random: seededRandom(1),
  });
  const ask = async (host: string) => {
    const before = queried.length;
    const text = `${host}.example.com`;
    expect(await forwarder.resolve({ ...forwarded(questionOf(text)), name: `${text}.` })).toBeDefined();
    return queried.slice(before);
  };
  expect(await ask('a')).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(await ask('b')).toEqual(['192.0.2.2']);
  await clock.advance(11_000);
  const [both] = await Promise.all([ask('c'), ask('d')]);
  expect(both?.filter((server) => server === '192.0.2.1')).toHaveLength(1);
  expect(await ask('e')).toEqual(['192.0.2.2']);
  dead.clear();
  await clock.advance(11_000);
  expect(await ask('f')).toEqual(['192.0.2.1']);
  expect(await ask('g')).toEqual(['192.0.2.1']);
  dead.add('192.0.2.1').add('192.0.2.2');
  expect(await forwarder.resolve({ ...forwarded(questionOf('h')), name: 'h.' })).toBeUndefined();
});

test('no packet makes the parser throw', () => {
  const good = answerTo(queryFor('a.b', 'A'), questionOf('a.b'));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(good.length), (noise, at) => {
      expect(() => readResponse(Uint8Array.from([...good.subarray(0, at), ...noise]))).not.toThrow();
    }),
  );
});
