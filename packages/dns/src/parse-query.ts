/** A question, as far as it matters here. */
export interface DnsQuery {
  readonly id: number;
  readonly recursionDesired: boolean;
  readonly checkingDisabled: boolean;
  /** In lower case, with a dot at the end. */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  /** The question as received: responses repeat it with the same letter case. */
  readonly question: Uint8Array;
  /** The size of UDP responses that the client accepts, if it uses EDNS. */
  readonly payloadSize: number | undefined;
  /** The version of EDNS; only 0 exists. */
  readonly ednsVersion: number;
  readonly dnssecOk: boolean;
}

/** Why a packet is not a valid query. */
export type BadQuery =
  /** Without a header or a question there is nothing to answer. */
  | { readonly kind: 'drop'; readonly reason: string }
  | { readonly kind: 'refuse'; readonly id: number; readonly code: 'FORMERR' | 'NOTIMP'; readonly reason: string };

const headerBytes = 12;
const longestName = 255;
const optType = 41;

/** Parses a query. Packets are untrusted; it never throws. */
export function parseQuery(packet: Uint8Array): DnsQuery | BadQuery {
  if (packet.length < headerBytes) return { kind: 'drop', reason: 'shorter than a header' };
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const id = view.getUint16(0);
  const flags = view.getUint16(2);
  if (flags & 0x8000) return { kind: 'drop', reason: 'an answer, not a question' };
  const refuse = (code: 'FORMERR' | 'NOTIMP', reason: string): BadQuery => ({ kind: 'refuse', id, code, reason });
  if ((flags >> 11) & 0xf) return refuse('NOTIMP', 'an operation that is not a query');
  if (view.getUint16(4) !== 1) return refuse('FORMERR', 'not exactly one question');
  if (view.getUint16(6) !== 0 || view.getUint16(8) !== 0) return refuse('FORMERR', 'records in a question');
  const name = readName(packet, headerBytes);
  if (!name || name.end + 4 > packet.length) return refuse('FORMERR', 'a name that is none');
  const end = name.end + 4;
  const edns = view.getUint16(10) > 0 ? readEdns(view, end) : {};
  if (!edns) return refuse('FORMERR', 'additional records that are none');
  return {
    id,
    recursionDesired: (flags & 0x0100) !== 0,
    checkingDisabled: (flags & 0x0010) !== 0,
    name: name.text,
    type: view.getUint16(name.end),
    class: view.getUint16(name.end + 2),
    question: packet.subarray(headerBytes, end),
    payloadSize: edns.payloadSize,
    ednsVersion: edns.version ?? 0,
    dnssecOk: edns.dnssecOk ?? false,
  };
}

export function isQuery(parsed: DnsQuery | BadQuery): parsed is DnsQuery {
  return !('kind' in parsed);
}

/** A name in a question has no compression: it is the first there is. */
function readName(packet: Uint8Array, start: number): { text: string; end: number } | undefined {
  let text = '';
  let at = start;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63) return undefined;
    if (length === 0) return { text: text || '.', end: at + 1 };
    if (at + 1 + length > packet.length || at - start + length > longestName) return undefined;
    for (let i = at + 1; i <= at + length; i++) text += letter(packet[i] as number);
    text += '.';
    at += length + 1;
  }
}

/** Dots and what is not printed cannot be confused with the dots between labels. */
function letter(byte: number): string {
  if (byte >= 0x41 && byte <= 0x5a) return String.fromCharCode(byte + 32);
  if (byte > 0x20 && byte < 0x7f && byte !== 0x2e) return String.fromCharCode(byte);
  return `\\${String(byte).padStart(3, '0')}`;
}

interface Edns {
  readonly payloadSize?: number;
  readonly version?: number;
  readonly dnssecOk?: boolean;
}

/** Only an OPT record right behind the question is looked at; its options are not. */
function readEdns(view: DataView, at: number): Edns | undefined {
  if (at + 11 > view.byteLength) return undefined;
  if (view.getUint8(at) !== 0 || view.getUint16(at + 1) !== optType) return {};
  if (at + 11 + view.getUint16(at + 9) > view.byteLength) return undefined;
  return {
    payloadSize: view.getUint16(at + 3),
    version: view.getUint8(at + 6),
    dnssecOk: (view.getUint8(at + 7) & 0x80) !== 0,
  };
}
