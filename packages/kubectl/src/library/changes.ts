import { readJson, writeJson } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Pair, versionsOf } from '../commands/diff.js';
import { patchToward } from '../commands/set/update-objects.js';
import type { Files } from '../host.js';
import { type BuildOptions, buildKustomization } from '../kustomize/build.js';
import { lastAppliedAnnotation, lastAppliedOf } from '../resources/last-applied.js';
import { copyOf, type Fields, goJson, sortKeys, textAt } from '../values.js';
import { contextOf } from './command-context.js';
import type { Session } from './session.js';
import { infoOf, infoOfObject } from './targets.js';
import { parametersOf, type WriteOptions } from './write.js';

export type { BuildOptions };

/** An object as in the server, and as it would be. */
export type Difference = Pair;

export interface DiffOptions {
  readonly namespace?: string;
  readonly serverSide?: boolean;
  readonly forceConflicts?: boolean;
  readonly fieldManager?: string;
}

/** The result of `apply` on objects: both versions of each, from the server. */
export async function diff(
  session: Session,
  objects: readonly Fields[],
  { namespace, serverSide, forceConflicts, fieldManager }: DiffOptions = {},
): Promise<Difference[]> {
  const flags = { 'server-side': serverSide, 'force-conflicts': forceConflicts, 'field-manager': fieldManager };
  const context = await contextOf(session, { command: 'diff', flags });
  const differences: Difference[] = [];
  for (const object of objects)
    differences.push(await versionsOf(context, await infoOfObject(session, object, namespace)));
  return differences;
}

/**
 * Changes an object as an editor would: `change` gets a copy of it, and what differs afterwards is sent as a patch. An object
 * that stays as it is is not sent.
 */
export async function edit(
  session: Session,
  resource: string,
  change: (object: Fields) => Fields | Promise<Fields>,
  options: WriteOptions = {},
): Promise<Fields> {
  const info = await infoOf(session, resource, options.namespace);
  const before = info.object ?? {};
  const after = await change(copyOf(before));
  const fixed = (object: Fields) => [
    textAt(object, 'apiVersion'),
    textAt(object, 'kind'),
    textAt(object, 'metadata', 'name'),
  ];
  if (fixed(before).join(' ') !== fixed(after).join(' '))
    throw new CommandError('At least one of apiVersion, kind and name was changed');
  const isSame = writeJson(sortKeys(before)) === writeJson(sortKeys(after));
  if (isSame || options.dryRun === 'client') return after;
  const parameters = parametersOf(options, 'kubectl-edit');
  return patchToward(await session.helper(), info, { before, after, parameters });
}

/** The configuration that `apply` remembered of an object; `undefined` if it was not applied. */
export function lastApplied(object: Fields): Fields | undefined {
  const text = lastAppliedOf(object);
  return text === undefined ? undefined : (readJson(text) as Fields);
}

/** Records a configuration as the one that was applied last. Nothing else changes. */
export async function setLastApplied(session: Session, object: Fields, options: WriteOptions = {}): Promise<Fields> {
  const info = await infoOfObject(session, object, options.namespace);
  const text = `${goJson(sortKeys(info.object))}\n`;
  const body = { metadata: { annotations: { [lastAppliedAnnotation]: text } } };
  const parameters = parametersOf(options, 'kubectl-client-side-apply');
  return (await session.helper()).patch(info, { type: 'merge', body }, parameters);
}

/** The objects of a kustomization from the given files. */
export function kustomize(session: Session, files: Files, path: string, options: BuildOptions = {}): Promise<Fields[]> {
  return buildKustomization({ ...session.context.host, files }, path, options);
}
