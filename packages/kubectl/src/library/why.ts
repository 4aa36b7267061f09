import { explainAccess } from '../why/explain-access.js';
import { reasonsOfPod } from '../why/reasons-of-pod.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export { reasonsOfPod };

/** Why a pod is not ready, the first obstacle first. Empty if it is ready. */
export async function whyPod(session: Session, pod: string, namespace?: string): Promise<string[]> {
  return reasonsOfPod((await infoOf(session, `pod/${pod}`, namespace)).object ?? {});
}

/** Whether the client may do something, and which roles allow it. */
export function whyAccess(session: Session, verb: string, resource: string): Promise<string> {
  return explainAccess(session.context, verb, resource);
}
