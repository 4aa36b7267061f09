import { recordTypes } from './record.js';

export interface UpstreamRecord {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  /** The bytes of an address; empty for other records. */
  readonly data: Uint8Array;
}

export interface UpstreamResponse {
  readonly id: number;
  readonly code: number;
  readonly truncated: boolean;
  readonly answers: readonly UpstreamRecord[];
  /** Its TTL in seconds. */
  readonly ttl: number;
  /** The positions of the TTLs of its records, those of additional ones included. */
  readonly ttlsAt: readonly number[];
  /**
   * Its records without the OPT record, which is valid for one hop only: where they end, and how many are additional.
   */
  readonly withoutOpt: { readonly end: number; readonly additional: number };
}

const mostRecords = 512;
const mostJumps = 32;

/** Parses the response of another server; `undefined` if it is invalid. Its content is untrusted. */
export function readResponse(packet: Uint8Array): UpstreamResponse | undefined {
  if (packet.length < 12) return undefined;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const flags = view.getUint16(2);
  const [questions, answers, authority] = [view.getUint16(4), view.getUint16(6), view.getUint16(8)];
  if (!(flags & 0x8000) || questions !== 1 || answers + authority > mostRecords) return undefined;
  const question = skipName(packet, 12);
  if (question === undefined || question + 4 > packet.length) return undefined;
  const all = readRecords(packet, view, question + 4);
  const counted = all.slice(0, answers + authority);
  const ttl = Math.min(...counted.map((record) => record.ttl));
  const additional = all.slice(answers + authority);
  // Records behind an OPT record are removed with it: names there may point to what has moved.
  const opt = additional.findIndex(({ type }) => type === recordTypes.OPT);
  const beforeOpt = opt < 0 ? all : all.slice(0, counted.length + opt);
  return {
    id: view.getUint16(0),
    code: flags & 0xf,
    truncated: (flags & 0x0200) !== 0,
    answers: counted.slice(0, answers),
    ttl: Number.isFinite(ttl) ? ttl : 0,
    ttlsAt: beforeOpt.map(({ ttlAt }) => ttlAt),
    withoutOpt:
      opt < 0
        ? { end: packet.length, additional: view.getUint16(10) }
        : { end: beforeOpt.at(-1)?.end ?? question + 4, additional: opt },
  };
}

interface PlacedRecord extends UpstreamRecord {
  readonly ttlAt: number;
  readonly end: number;
}

/** All records of all sections, as far as they can be read: truncated answers may end anywhere. */
function readRecords(packet: Uint8Array, view: DataView, start: number): PlacedRecord[] {
  const count = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  const records: PlacedRecord[] = [];
  let at = start;
  for (let i = 0; i < Math.min(count, mostRecords); i++) {
    const record = readRecord(packet, view, at);
    if (!record) break;
    at = record.end;
    records.push(record);
  }
  return records;
}

function readRecord(packet: Uint8Array, view: DataView, at: number): PlacedRecord | undefined {
  const name = readName(packet, at);
  const head = skipName(packet, at);
  if (name === undefined || head === undefined || head + 10 > packet.length) return undefined;
  const type = view.getUint16(head);
  const length = view.getUint16(head + 8);
  const end = head + 10 + length;
  if (end > packet.length) return undefined;
  const isAddress = (type === recordTypes.A && length === 4) || (type === recordTypes.AAAA && length === 16);
  const data = isAddress ? packet.slice(head + 10, end) : new Uint8Array(0);
  const ttl = type === recordTypes.SOA && length >= 20 ? view.getUint32(end - 4) : view.getUint32(head + 4);
  return { name, type, ttl: Math.min(ttl, view.getUint32(head + 4)), data, ttlAt: head + 4, end };
}

function skipName(packet: Uint8Array, start: number): number | undefined {
  for (let at = start; ; ) {
    const length = packet[at];
    if (length === undefined) return undefined;
    if (length === 0) return at + 1;
    if ((length & 0xc0) === 0xc0) return at + 2 <= packet.length ? at + 2 : undefined;
    if (length > 63) return undefined;
    at += length + 1;
  }
}

/** Pointers may lead in circles: they are followed a few times only. */
function readName(packet: Uint8Array, start: number): string | undefined {
  let text = '';
  let jumps = 0;
  for (let at = start; ; ) {
    const length = packet[at];
    if (length === undefined || text.length > 1024) return undefined;
    if (length === 0) return text || '.';
    if ((length & 0xc0) === 0xc0) {
      const low = packet[at + 1];
      if (low === undefined || ++jumps > mostJumps) return undefined;
      at = ((length & 0x3f) << 8) | low;
      continue;
    }
    if (length > 63 || at + length >= packet.length) return undefined;
    for (let i = at + 1; i <= at + length; i++) text += String.fromCharCode(packet[i] as number).toLowerCase();
    text += '.';
    at += length + 1;
  }
}
