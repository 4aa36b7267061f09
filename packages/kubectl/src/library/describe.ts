import { describeObject } from '../describe/describers.js';
import type { Session } from './session.js';
import { infosOf, type Query } from './targets.js';

export interface DescribeOptions {
  readonly showEvents?: boolean;
}

/** The descriptions of the objects of a query, each as text. */
export async function describe(session: Session, query: Query, options: DescribeOptions = {}): Promise<string[]> {
  const { factory, host } = session.context;
  const infos = await infosOf(session, query);
  const tools = {
    client: await factory.client(),
    now: host.clock.now(),
    showEvents: options.showEvents ?? true,
    chunkSize: query.chunkSize ?? 500,
  };
  return Promise.all(infos.map(({ object = {} }) => describeObject(object, tools)));
}
