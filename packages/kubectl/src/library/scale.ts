import { scaleResource } from '../commands/scale.js';
import type { DryRun } from '../resources/common-flags.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export interface ScaleOptions {
  readonly namespace?: string;
  /** Only from this number. */
  readonly currentReplicas?: number;
  /** Only at this version. */
  readonly resourceVersion?: string;
  readonly dryRun?: DryRun;
}

/** Sets the number of replicas of whatever can be scaled. */
export async function scale(
  session: Session,
  resource: string,
  replicas: number,
  options: ScaleOptions = {},
): Promise<void> {
  const info = await infoOf(session, resource, options.namespace);
  await scaleResource(await session.helper(), info, {
    replicas,
    currentReplicas: options.currentReplicas ?? -1,
    resourceVersion: options.resourceVersion ?? '',
    dryRun: options.dryRun ?? 'none',
  });
}
