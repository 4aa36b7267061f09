import { type Clock, type Logger, type Millis, type Random, RecentMap, randomInt, silentLogger } from '@coracle/base';
import { readResponse, type UpstreamResponse } from './read-response.js';
import { type DnsRecord, recordTypes } from './record.js';

/** Queries an upstream server. Fails on a timeout. */
export type QueryServer = (server: string, packet: Uint8Array, protocol: 'udp' | 'tcp') => Promise<Uint8Array>;

export interface ForwarderOptions {
  /** For names that no stub domain covers, tried in order. */
  readonly upstreams: readonly string[];
  /** Domain → its servers. The longest domain that covers a name counts. */
  readonly stubDomains?: Readonly<Record<string, readonly string[]>>;
  readonly query: QueryServer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Maximum time that an answer is cached. */
  readonly maxTtlSeconds?: number;
}

export interface ForwardedQuestion {
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly question: Uint8Array;
  readonly protocol: 'udp' | 'tcp';
  readonly dnssecOk: boolean;
}

interface CachedAnswer {
  readonly bytes: Uint8Array;
  readonly ttlsAt: readonly number[];
  readonly ttlSeconds: number;
  readonly since: Millis;
}

const mostKept = 10_000;
const mostAtOnce = 1_000;
/** Time for which a server that did not reply is queried after the others. */
const pauseMs: Millis = 10_000;

/** Forwards queries for other names, and caches the responses for their TTL. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #cache: RecentMap<string, CachedAnswer>;
  /** Concurrent equal queries are forwarded once. */
  readonly #pending = new Map<string, Promise<Uint8Array>>();
  /** Servers whose malformed answers have been logged. */
  readonly #loggedServers = new Set<string>();
  /** Servers that did not reply, with the time until which others come first. */
  readonly #pausedServers = new Map<string, Millis>();
  readonly #stubs: readonly (readonly [string, readonly string[]])[];

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#cache = new RecentMap(mostKept);
    this.#stubs = Object.entries(options.stubDomains ?? {})
      .map(([domain, servers]) => [`${domain.toLowerCase().replace(/\.$/, '')}.`, servers] as const)
      .sort(([a], [b]) => b.length - a.length);
  }

  get canResolve(): boolean {
    return this.#options.upstreams.length > 0 || this.#stubs.length > 0;
  }

  /** A cached answer, with the remaining time as its TTLs; `undefined` if it has to be queried. */
  cached(question: ForwardedQuestion): Uint8Array | undefined {
    const found = this.#cache.get(keyOf(question));
    if (!found) return undefined;
    const left = found.ttlSeconds - Math.floor((this.#options.clock.now() - found.since) / 1_000);
    return left > 0 ? withTtl(found.bytes, found.ttlsAt, left) : undefined;
  }

  /**
   * The answer of the first server that responds; `undefined` if none does. It has a new id, and no OPT record: that
   * one is between this forwarder and the server.
   */
  async resolve(question: ForwardedQuestion): Promise<Uint8Array | undefined> {
    const key = keyOf(question);
    if (!this.#pending.has(key) && this.#pending.size >= mostAtOnce) return undefined;
    const pending = this.#pending.get(key) ?? this.#forward(question, key).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    return pending.catch(() => undefined);
  }

  /** Addresses of a name of elsewhere, for the end of an alias. */
  async addresses(name: string, type: number): Promise<DnsRecord[]> {
    const question = {
      name,
      type,
      class: 1,
      question: questionBytes(name, type),
      protocol: 'udp',
      dnssecOk: false,
    } as const;
    const bytes = this.cached(question) ?? (await this.resolve(question));
    const found = bytes ? (readResponse(bytes)?.answers ?? []) : [];
    return found
      .filter((record) => record.type === type && record.data.length > 0)
      .map(({ ttl, data }) => ({ type: type === recordTypes.A ? 'A' : 'AAAA', name, ttl, address: data }));
  }

  async #forward(question: ForwardedQuestion, key: string): Promise<Uint8Array> {
    let failure: unknown = new Error('no upstream server');
    for (const server of this.#inOrder(this.#serversFor(question.name))) {
      try {
        const { bytes, response } = await this.#askOne(server, question);
        return this.#keep(key, withoutOpt(bytes, response), response);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #askOne(
    server: string,
    question: ForwardedQuestion,
  ): Promise<{ bytes: Uint8Array; response: UpstreamResponse }> {
    const { query, random } = this.#options;
    const id = randomInt(random, 0x10000);
    const bytes = await query(server, queryBytes(id, question), question.protocol).catch((error: unknown) => {
      this.#pause(server);
      throw error;
    });
    this.#pausedServers.delete(server);
    const response = readResponse(bytes);
    // A host that guesses an id could otherwise poison the cache with a name that was not queried.
    if (!response || response.id !== id || !repeats(bytes, question.question)) {
      this.#tellOnce(server);
      throw new Error(`${server} did not respond`);
    }
    if (response.code === 2 || response.code === 5) throw new Error(`${server} answered with code ${response.code}`);
    return { bytes, response };
  }

  /** A server that sends rubbish can send much of it: the log has one line for each server. */
  #tellOnce(server: string): void {
    if (this.#loggedServers.has(server)) return;
    this.#loggedServers.add(server);
    const { logger = silentLogger } = this.#options;
    logger.error('a DNS server sent a reply that matches no question; further ones are dropped without a log entry', {
      server,
    });
  }

  /** Returns what clients get. All records of a cached answer have its TTL, so that it counts down evenly. */
  #keep(key: string, bytes: Uint8Array, { ttl, truncated, ttlsAt }: UpstreamResponse): Uint8Array {
    const { clock, maxTtlSeconds = 30 } = this.#options;
    const ttlSeconds = Math.min(ttl, maxTtlSeconds);
    if (ttlSeconds <= 0 || truncated) return bytes;
    this.#cache.set(key, { bytes, ttlsAt, ttlSeconds, since: clock.now() });
    return withTtl(bytes, ttlsAt, ttlSeconds);
  }

  /**
   * Those that replied last time come first, or each query would wait for a dead server. When its time is over a single
   * query finds out whether it is back.
   */
  #inOrder(servers: readonly string[]): readonly string[] {
    if (this.#pausedServers.size === 0) return servers;
    const now = this.#options.clock.now();
    const isPaused = (server: string) => (this.#pausedServers.get(server) ?? 0) > now;
    const order = [...servers.filter((server) => !isPaused(server)), ...servers.filter(isPaused)];
    const [first] = order;
    if (first !== undefined && this.#pausedServers.has(first)) this.#pause(first);
    return order;
  }

  #pause(server: string): void {
    this.#pausedServers.set(server, this.#options.clock.now() + pauseMs);
  }

  #serversFor(name: string): readonly string[] {
    const stub = this.#stubs.find(([domain]) => name === domain || name.endsWith(`.${domain}`));
    return stub?.[1] ?? this.#options.upstreams;
  }
}

/** Whether an answer repeats the question; letters may have another case. */
function repeats(packet: Uint8Array, question: Uint8Array): boolean {
  if (packet.length < 12 + question.length) return false;
  return question.every((byte, i) => lower(byte) === lower(packet[12 + i] ?? 0));
}

function withoutOpt(bytes: Uint8Array, { withoutOpt: { end, additional } }: UpstreamResponse): Uint8Array {
  const rest = bytes.slice(0, end);
  new DataView(rest.buffer).setUint16(10, additional);
  return rest;
}

function withTtl(bytes: Uint8Array, ttlsAt: readonly number[], seconds: number): Uint8Array {
  const own = bytes.slice();
  const view = new DataView(own.buffer);
  for (const at of ttlsAt) view.setUint32(at, seconds);
  return own;
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

function keyOf({ name, type, class: klass, protocol, dnssecOk }: ForwardedQuestion): string {
  return `${type} ${klass} ${protocol} ${dnssecOk} ${name}`;
}

/** A question with recursion, and with EDNS so that answers may be large. */
function queryBytes(id: number, { question, dnssecOk }: ForwardedQuestion): Uint8Array {
  const bytes = new Uint8Array(12 + question.length + 11);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, id);
  view.setUint16(2, 0x0100);
  view.setUint16(4, 1);
  view.setUint16(10, 1);
  bytes.set(question, 12);
  const opt = 12 + question.length;
  view.setUint16(opt + 1, recordTypes.OPT);
  view.setUint16(opt + 3, 1232);
  view.setUint8(opt + 7, dnssecOk ? 0x80 : 0);
  return bytes;
}

function questionBytes(name: string, type: number): Uint8Array {
  const labels = name.split('.').filter((label) => label !== '');
  const bytes = labels.flatMap((label) => [label.length, ...[...label].map((letter) => letter.charCodeAt(0))]);
  return Uint8Array.from([...bytes, 0, type >> 8, type & 0xff, 0, 1]);
}
