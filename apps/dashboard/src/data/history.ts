import type { Client } from '@coracle/client';

/** A revision of the store, and when it was the newest. */
export interface Moment {
  readonly revision: number;
  readonly at: number;
}

export interface History {
  readonly now: number;
  readonly moments: readonly Moment[];
}

/** The revisions that the cluster can still show. Only Coracle serves them. */
export async function readHistory(client: Client): Promise<History> {
  const { status, body } = await client.raw('GET', '/debug/coracle/history');
  return status === 200 ? (body as History) : { now: Date.now(), moments: [] };
}

export interface ClusterTime {
  readonly now: number;
  readonly isVirtual: boolean;
}

export async function readClock(client: Client): Promise<ClusterTime> {
  const { status, body } = await client.raw('GET', '/debug/coracle/clock');
  return status === 200 ? (body as ClusterTime) : { now: Date.now(), isVirtual: false };
}

export async function advanceClock(client: Client, span: string): Promise<void> {
  await client.raw('POST', `/debug/coracle/clock?advance=${encodeURIComponent(span)}`);
}
