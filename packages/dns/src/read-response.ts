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
  /** How long it may be kept, in seconds. */
  readonly ttl: number;
}

const mostRecords = 512;
const mostJumps = 32;

/** Reads what another server has answered; `undefined` for what is no answer. Nothing in it is trusted. */
export function readResponse(packet: Uint8Array): UpstreamResponse | undefined {
  if (packet.length < 12) return undefined;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const flags = view.getUint16(2);
  const [questions, answers, authority] = [view.getUint16(4), view.getUint16(6), view.getUint16(8)];
  if (!(flags & 0x8000) || questions !== 1 || answers + authority > mostRecords) return undefined;
  const question = skipName(packet, 12);
  if (question === undefined || question + 4 > packet.length) return undefined;
  const records: UpstreamRecord[] = [];
  let ttl = Number.POSITIVE_INFINITY;
  let at = question + 4;
  for (let i = 0; i < answers + authority; i++) {
    const record = readRecord(packet, view, at);
    // Truncated answers may end anywhere.
    if (!record) break;
    at = record.end;
    ttl = Math.min(ttl, record.ttl);
    if (i < answers) records.push(record);
  }
  return {
    id: view.getUint16(0),
    code: flags & 0xf,
    truncated: (flags & 0x0200) !== 0,
    answers: records,
    ttl: Number.isFinite(ttl) ? ttl : 0,
  };
}

function readRecord(packet: Uint8Array, view: DataView, at: number): (UpstreamRecord & { end: number }) | undefined {
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
  return { name, type, ttl: Math.min(ttl, view.getUint32(head + 4)), data, end };
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
