/** Record types by number, as messages carry them. */
export const recordTypes = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, OPT: 41 } as const;
export type RecordType = keyof typeof recordTypes;

export const responseCodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
export type ResponseCode = keyof typeof responseCodes;

interface RecordHead {
  /** In lower case, with a dot at the end. */
  readonly name: string;
  readonly ttl: number;
}

/** A record in a response. */
export type DnsRecord = RecordHead &
  (
    | { readonly type: 'A' | 'AAAA'; readonly address: Uint8Array }
    | { readonly type: 'CNAME' | 'NS' | 'PTR'; readonly target: string }
    | {
        readonly type: 'SRV';
        readonly priority: number;
        readonly weight: number;
        readonly port: number;
        readonly target: string;
      }
    | { readonly type: 'TXT'; readonly text: string }
    | {
        readonly type: 'SOA';
        readonly mname: string;
        readonly rname: string;
        readonly serial: number;
        readonly minimum: number;
      }
  );

/** The answer of a zone to a question. */
export interface Answer {
  readonly code: ResponseCode;
  readonly answers: readonly DnsRecord[];
  /** The SOA record of a negative answer. */
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}
