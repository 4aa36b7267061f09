import { parseGoal, waitFor as waitForOne } from '../commands/wait.js';
import type { Fields } from '../values.js';
import type { Session } from './session.js';
import { infosOf, type Query } from './targets.js';

export interface WaitOptions {
  /** `condition=Ready[=True]`, `jsonpath={.path}[=value]` or `delete`. */
  readonly for: string;
  readonly timeoutMs: number;
}

/** Waits until all objects of a query meet the condition, and returns them. */
export async function waitFor(session: Session, query: Query, options: WaitOptions): Promise<Fields[]> {
  const goal = parseGoal(options.for);
  const deadline = session.context.host.clock.now() + options.timeoutMs;
  const infos = await infosOf(session, { ...query, ...(goal.kind === 'delete' && { ignoreNotFound: true }) });
  const reached: Fields[] = [];
  for (const info of infos) {
    const object = await waitForOne(session.context, info, { goal, deadline, asksOnce: options.timeoutMs === 0 });
    if (object) reached.push(object);
  }
  return reached;
}
