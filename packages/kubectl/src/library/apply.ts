import { prunerOf } from '../commands/apply/apply.js';
import type { Applied, Pruner } from '../commands/apply/apply-settings.js';
import { applyClientSide } from '../commands/apply/client-side.js';
import { applyServerSide } from '../commands/apply/server-side.js';
import type { DryRun } from '../resources/common-flags.js';
import type { Info } from '../resources/info.js';
import type { Fields } from '../values.js';
import { contextOf } from './command-context.js';
import type { Session } from './session.js';
import { infoOfObject } from './targets.js';
import type { WriteOptions } from './write.js';

export interface ApplyOptions extends WriteOptions {
  /** The server merges, and tracks field managers. */
  readonly serverSide?: boolean;
  /** Takes over fields that others own. */
  readonly forceConflicts?: boolean;
  /** Deletes and creates again what cannot be changed. */
  readonly force?: boolean;
  /** Deletes what was applied before and is not among the objects now. */
  readonly prune?: PruneOptions;
}

/** Which objects may be pruned: those with labels, of some kinds, or the members of an apply set. */
export type PruneOptions =
  | { readonly labelSelector: string; readonly kinds?: readonly string[] }
  | { readonly applySet: string };

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
  const pruner = options.prune && (await prunerFor(session, options.prune, dryRun));
  const infos: Info[] = [];
  for (const object of objects) infos.push(await infoOfObject(session, object, options.namespace));
  const change = serverSide ? applyServerSide : applyClientSide;
  const applied: Applied[] = [];
  for (const info of (await pruner?.before(infos)) ?? infos)
    applied.push(await change(session.context, info, settings));
  const pruned = (await pruner?.after(applied.map(({ object }) => object))) ?? [];
  return [...applied, ...pruned.map((object) => ({ object, operation: 'pruned' }))];
}

async function prunerFor(session: Session, prune: PruneOptions, dryRun: DryRun): Promise<Pruner | undefined> {
  const flags =
    'applySet' in prune
      ? { prune: true, applyset: prune.applySet }
      : { prune: true, selector: prune.labelSelector, 'prune-allowlist': prune.kinds };
  return prunerOf(await contextOf(session, { command: 'apply', flags }), { dryRun });
}
