import type { Counter, Logger, Metrics } from '@coracle/base';
import type { ClusterZone } from './cluster-zone.js';
import type { Forwarder } from './forwarder.js';
import { type DnsQuery, isQuery, parseQuery } from './parse-query.js';
import { type Answer, type ResponseCode, recordTypes } from './record.js';
import { isReverseName } from './reverse-name.js';
import { withOptFor, writeRefusal, writeResponse } from './write-response.js';

export interface DnsServerOptions {
  readonly zone: ClusterZone;
  readonly forwarder: Forwarder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export type DnsProtocol = 'udp' | 'tcp';

/** A cached response; it is discarded when anything changes. */
interface Ready {
  readonly query: DnsQuery;
  readonly answer: Answer;
  readonly protocol: DnsProtocol;
  /** How many orders there are: each begins with another record, so that clients which take the first spread over all. */
  readonly orders: number;
  /** Packets of the first orders, once they are written. */
  readonly packets: Uint8Array[];
  next: number;
}

const mostReady = 20_000;
/** Responses with more records are encoded again for each further order. */
const mostPackets = 16;
/** Default UDP payload size of clients. */
const plainUdpBytes = 512;
const largestUdpBytes = 4096;
/** Transfers of whole zones, and questions for everything, are not for clients. */
const refusedTypes = new Set([251, 252, 253, 254, 255]);

/** Answers questions: bytes in, bytes out. */
export class DnsServer implements Disposable {
  readonly #options: DnsServerOptions;
  readonly #ready = new Map<string, Ready>();
  readonly #handlers: Disposable[];
  /** The kinds of bad packets that have been logged. */
  readonly #loggedErrors = new Set<string>();
  readonly #responses: Counter;

  constructor(options: DnsServerOptions) {
    this.#options = options;
    this.#handlers = options.zone.onChange(() => this.#ready.clear());
    this.#responses = options.metrics.counter({
      name: 'coredns_dns_responses_total',
      help: 'Answers by their code.',
      labels: ['rcode'],
    });
  }

  [Symbol.dispose](): void {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
  }

  /** The response to a packet; `undefined` if it gets none. */
  answer(packet: Uint8Array, protocol: DnsProtocol): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const key = readyKey(packet, protocol);
    const ready = this.#ready.get(key);
    if (ready) return this.#takeReady(ready, packet);
    const query = parseQuery(packet);
    if (!isQuery(query)) {
      this.#tellOnce(query.reason);
      return query.kind === 'refuse' ? writeRefusal(query.id, query.code) : undefined;
    }
    const { zone } = this.#options;
    if (query.class !== 1 || refusedTypes.has(query.type)) return this.#write(query, refusal('REFUSED'), protocol);
    if (query.ednsVersion !== 0) return this.#write(query, refusal('NOTIMP'), protocol);
    if (!zone.hasSynced) return this.#write(query, refusal('SERVFAIL'), protocol);
    const own = this.#ownAnswer(query);
    if (!own) return this.#forward(query, protocol);
    const outside = this.#outsideTarget(own, query);
    if (outside) return this.#finishAlias(query, own, { target: outside, protocol });
    return this.#makeReady(key, query, { answer: own, protocol });
  }

  /** The cluster's own answer; `undefined` for other names. */
  #ownAnswer(query: DnsQuery): Answer | undefined {
    const { zone } = this.#options;
    if (zone.covers(query.name)) return zone.answer(query);
    return isReverseName(query.name) ? zone.reverse(query) : zone.completed(query);
  }

  #makeReady(
    key: string,
    query: DnsQuery,
    { answer, protocol }: { answer: Answer; protocol: DnsProtocol },
  ): Uint8Array {
    const first = this.#write(query, answer, protocol);
    if (this.#ready.size >= mostReady) this.#ready.clear();
    // The question is part of a buffer that others share.
    const own = { ...query, question: query.question.slice() };
    this.#ready.set(key, { query: own, answer, protocol, orders: ordersOf(answer), packets: [first], next: 1 });
    return first;
  }

  /** Only the id differs. The packet is copied: it may still be in use for another client. */
  #takeReady(ready: Ready, packet: Uint8Array): Uint8Array {
    const order = ready.next++ % ready.orders;
    const bytes = (ready.packets[order] ?? this.#writeOrder(ready, order)).slice();
    bytes[0] = packet[0] as number;
    bytes[1] = packet[1] as number;
    return bytes;
  }

  #writeOrder({ query, answer, protocol, packets }: Ready, order: number): Uint8Array {
    const { answers } = answer;
    const turned = { ...answer, answers: [...answers.slice(order), ...answers.slice(0, order)] };
    const written = this.#write(query, turned, protocol);
    if (order < mostPackets) packets[order] = written;
    return written;
  }

  /** The name outside of the zone at the end of the aliases, if the query is for addresses. */
  #outsideTarget({ answers }: Answer, { type }: DnsQuery): string | undefined {
    const last = answers.at(-1);
    if (last?.type !== 'CNAME' || (type !== recordTypes.A && type !== recordTypes.AAAA)) return undefined;
    return this.#options.zone.covers(last.target) ? undefined : last.target;
  }

  async #finishAlias(
    query: DnsQuery,
    own: Answer,
    { target, protocol }: { readonly target: string; readonly protocol: DnsProtocol },
  ): Promise<Uint8Array> {
    const more = await this.#options.forwarder.addresses(target, query.type);
    return this.#write(query, { ...own, answers: [...own.answers, ...more] }, protocol);
  }

  #forward(query: DnsQuery, protocol: DnsProtocol): Uint8Array | Promise<Uint8Array> {
    const { forwarder } = this.#options;
    if (!forwarder.canResolve || !query.recursionDesired)
      return this.#write(query, refusal(forwarder.canResolve ? 'REFUSED' : 'SERVFAIL'), protocol);
    const question = { ...query, protocol };
    const cachedAnswer = forwarder.cached(question);
    if (cachedAnswer) return this.#passOn(query, cachedAnswer, protocol);
    return forwarder
      .resolve(question)
      .then((bytes) =>
        bytes ? this.#passOn(query, bytes, protocol) : this.#write(query, refusal('SERVFAIL'), protocol),
      );
  }

  /** The response of another server, with the id and the question of this client. */
  #passOn(query: DnsQuery, bytes: Uint8Array, protocol: DnsProtocol): Uint8Array {
    this.#responses.add(1, { rcode: 'NOERROR' });
    const own = withOptFor(query, bytes);
    if (own.length > sizeFor(query, protocol)) return truncated(query);
    own[0] = query.id >> 8;
    own[1] = query.id & 0xff;
    own.set(query.question, 12);
    return own;
  }

  #write(query: DnsQuery, answer: Answer, protocol: DnsProtocol): Uint8Array {
    this.#responses.add(1, { rcode: answer.code });
    return writeResponse(query, answer, {
      maxBytes: sizeFor(query, protocol),
      authoritative: answer.code === 'NOERROR' || answer.code === 'NXDOMAIN',
      recursionAvailable: this.#options.forwarder.canResolve,
    });
  }

  /** A client that sends rubbish can send much of it: the log has one line for each kind. */
  #tellOnce(reason: string): void {
    if (this.#loggedErrors.has(reason)) return;
    this.#loggedErrors.add(reason);
    this.#options.logger.error('malformed DNS packet; further ones are dropped without a log entry', { reason });
  }
}

function refusal(code: ResponseCode): Answer {
  return { code, answers: [], authority: [], additional: [] };
}

function sizeFor({ payloadSize }: DnsQuery, protocol: DnsProtocol): number {
  if (protocol === 'tcp') return 65_535;
  return Math.min(largestUdpBytes, Math.max(plainUdpBytes, payloadSize ?? plainUdpBytes));
}

/** For a response that does not fit: the client retries over TCP. */
function truncated(query: DnsQuery): Uint8Array {
  const options = { maxBytes: plainUdpBytes, authoritative: false, recursionAvailable: true, truncated: true };
  return writeResponse(query, refusal('NOERROR'), options);
}

/** Number of rotations of the records of an answer. Aliases are not rotated. */
function ordersOf({ answers }: Answer): number {
  const isMovable = answers.length > 1 && answers.every(({ type }) => type === answers[0]?.type && type !== 'CNAME');
  return isMovable ? answers.length : 1;
}

/** Everything of a question but its id. */
function readyKey(packet: Uint8Array, protocol: DnsProtocol): string {
  let key = protocol === 'udp' ? 'u' : 't';
  for (let i = 2; i < packet.length && i < 400; i++) key += String.fromCharCode(packet[i] as number);
  return key;
}
