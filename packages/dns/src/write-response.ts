import type { DnsQuery } from './parse-query.js';
import { type Answer, type DnsRecord, recordTypes, responseCodes } from './record.js';

export interface ResponseOptions {
  /** Maximum packet size: further records are omitted, and the response is marked as truncated. */
  readonly maxBytes: number;
  /** Whether the server is authoritative for the name. */
  readonly authoritative: boolean;
  /** Names that are forwarded can be resolved. */
  readonly recursionAvailable: boolean;
  /** Nothing fits into the limit. */
  readonly truncated?: boolean;
}

/** Our UDP payload size; packets larger than an Ethernet frame would be fragmented. */
const ownPayloadSize = 1232;
const optBytes = 11;

/** The bytes of an answer. If the packet is too small for all records it has none, and TC is set. */
export function writeResponse(query: DnsQuery, answer: Answer, options: ResponseOptions): Uint8Array {
  const edns = query.payloadSize !== undefined;
  const writer = new MessageWriter(Math.min(65_535, options.maxBytes) - (edns ? optBytes : 0));
  writer.header(query);
  const { answers, authority, additional } = answer;
  const complete = !options.truncated && [...answers, ...authority].every((record) => writer.record(record));
  if (!complete) writer.header(query);
  const extra = complete ? additional.filter((record) => writer.record(record)).length : 0;
  return writer.finish({
    id: query.id,
    flags:
      0x8000 |
      (options.authoritative ? 0x0400 : 0) |
      (complete ? 0 : 0x0200) |
      (query.recursionDesired ? 0x0100 : 0) |
      (options.recursionAvailable ? 0x0080 : 0) |
      responseCodes[answer.code],
    counts: [1, complete ? answers.length : 0, complete ? authority.length : 0, extra],
    edns,
  });
}

/** A copy of an answer without an OPT record, with one for a client that uses EDNS itself. */
export function withOptFor({ payloadSize, dnssecOk }: DnsQuery, answer: Uint8Array): Uint8Array {
  if (payloadSize === undefined) return answer.slice();
  const bytes = new Uint8Array(answer.length + optBytes);
  bytes.set(answer);
  const view = new DataView(bytes.buffer);
  view.setUint16(10, view.getUint16(10) + 1);
  view.setUint16(answer.length + 1, recordTypes.OPT);
  view.setUint16(answer.length + 3, ownPayloadSize);
  view.setUint8(answer.length + 7, dnssecOk ? 0x80 : 0);
  return bytes;
}

/** The response to an unreadable packet: only a header. */
export function writeRefusal(id: number, code: 'FORMERR' | 'NOTIMP'): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, id);
  view.setUint16(2, 0x8000 | responseCodes[code]);
  return bytes;
}

interface Ending {
  readonly id: number;
  readonly flags: number;
  readonly counts: readonly [number, number, number, number];
  readonly edns: boolean;
}

class MessageWriter {
  readonly #limit: number;
  #bytes = new Uint8Array(1024);
  #at = 0;
  /** The positions of names and suffixes that are already written: they are written once, and referred to. */
  readonly #names = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts over with the question alone. */
  header({ question, name }: DnsQuery): void {
    this.#names.clear();
    this.#at = 12;
    this.#put(question);
    this.#noteName(name, 12);
  }

  /** Writes a record, or leaves everything as it was if there is no room. */
  record(record: DnsRecord): boolean {
    const before = this.#at;
    this.#name(record.name);
    this.#u16(recordTypes[record.type]);
    this.#u16(1);
    this.#u32(record.ttl);
    const lengthAt = this.#at;
    this.#u16(0);
    this.#data(record);
    new DataView(this.#bytes.buffer).setUint16(lengthAt, this.#at - lengthAt - 2);
    if (this.#at <= this.#limit) return true;
    this.#at = before;
    for (const [name, at] of this.#names) if (at >= before) this.#names.delete(name);
    return false;
  }

  finish({ id, flags, counts, edns }: Ending): Uint8Array {
    if (edns) {
      this.#u8(0);
      this.#u16(recordTypes.OPT);
      this.#u16(ownPayloadSize);
      this.#u32(0);
      this.#u16(0);
    }
    const view = new DataView(this.#bytes.buffer);
    view.setUint16(0, id);
    view.setUint16(2, flags);
    for (const [i, count] of counts.entries()) view.setUint16(4 + 2 * i, count + (i === 3 && edns ? 1 : 0));
    return this.#bytes.slice(0, this.#at);
  }

  #data(record: DnsRecord): void {
    if ('address' in record) this.#put(record.address);
    else if (record.type === 'TXT') this.#text(record.text);
    else if (record.type === 'SRV') {
      for (const number of [record.priority, record.weight, record.port]) this.#u16(number);
      this.#name(record.target, false);
    } else if (record.type === 'SOA') {
      this.#name(record.mname);
      this.#name(record.rname);
      for (const number of [record.serial, 7200, 1800, 86_400, record.minimum]) this.#u32(number);
    } else this.#name(record.target);
  }

  #text(text: string): void {
    const bytes = new TextEncoder().encode(text).subarray(0, 255);
    this.#u8(bytes.length);
    this.#put(bytes);
  }

  /** Targets of SRV must not be compressed. */
  #name(name: string, compress = true): void {
    let rest = name;
    while (rest !== '' && rest !== '.') {
      const entry = compress ? this.#names.get(rest) : undefined;
      if (entry !== undefined) {
        this.#u16(0xc000 | entry);
        return;
      }
      if (compress && this.#at < 0x4000) this.#names.set(rest, this.#at);
      const dot = rest.indexOf('.');
      const label = rest.slice(0, dot < 0 ? rest.length : dot);
      this.#u8(label.length);
      for (let i = 0; i < label.length; i++) this.#u8(label.charCodeAt(i));
      rest = dot < 0 ? '' : rest.slice(dot + 1);
    }
    this.#u8(0);
  }

  #noteName(name: string, at: number): void {
    // Escaped letters take other room than they are long.
    if (name.includes('\\')) return;
    let rest = name;
    let position = at;
    while (rest !== '' && rest !== '.') {
      this.#names.set(rest, position);
      const dot = rest.indexOf('.');
      position += dot + 1;
      rest = rest.slice(dot + 1);
    }
  }

  #u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  #u16(value: number): void {
    this.#u8((value >> 8) & 0xff);
    this.#u8(value & 0xff);
  }

  #u32(value: number): void {
    this.#u16(value >>> 16);
    this.#u16(value & 0xffff);
  }

  #put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
