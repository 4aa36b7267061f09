import type { Applied } from '../commands/apply/apply-settings.js';
import { applyClientSide } from '../commands/apply/client-side.js';
import { applyServerSide } from '../commands/apply/server-side.js';
import type { Fields } from '../values.js';
import type { Session } from './session.js';
import { infoOfObject } from './targets.js';
import type { WriteOptions } from './write.js';

export interface ApplyOptions extends WriteOptions {
  /** The server merges, and keeps who owns which field. */
  readonly serverSide?: boolean;
  /** Takes over fields that others own. */
  readonly forceConflicts?: boolean;
  /** Deletes and creates again what cannot be changed. */
  readonly force?: boolean;
}

/**
 * Makes objects what their configurations say, one after the other: creates them, or changes what a configuration says and
 * removes what the last one said. The first failure is thrown; what came before it stays.
 */
export async function apply(
  session: Session,
  objects: readonly Fields[],
  options: ApplyOptions = {},
): Promise<Applied[]> {
  const { serverSide = false, dryRun = 'none', fieldValidation = 'Strict', force = false } = options;
  const settings = {
    dryRun,
    fieldManager: options.fieldManager ?? (serverSide ? 'kubectl' : 'kubectl-client-side-apply'),
    fieldValidation,
    overwrite: true,
    force,
    forceConflicts: options.forceConflicts ?? false,
    subresource: '',
  };
  const applied: Applied[] = [];
  for (const object of objects) {
    const info = await infoOfObject(session, object, options.namespace);
    const change = serverSide ? applyServerSide : applyClientSide;
    applied.push(await change(session.context, info, settings));
  }
  return applied;
}
