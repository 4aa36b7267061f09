import { CommandError } from '../command/command-error.js';
import type { DryRun } from '../resources/common-flags.js';
import type { PatchKind, WriteParameters } from '../resources/request-helper.js';
import { type Fields, stringMapAt } from '../values.js';
import type { Session } from './session.js';
import { infoOf, infoOfObject } from './targets.js';

/** Options of writes. */
export interface WriteOptions {
  readonly namespace?: string;
  readonly dryRun?: DryRun;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

/** Creates an object, and returns the server's object. */
export async function create(session: Session, object: Fields, options: WriteOptions = {}): Promise<Fields> {
  const info = await infoOfObject(session, object, options.namespace);
  if (options.dryRun === 'client') return info.object ?? {};
  return (await session.helper()).create(info, info.object ?? {}, parametersOf(options, 'kubectl-create'));
}

/** Replaces an object as a whole. With a resource version in it, only that version. */
export async function replace(session: Session, object: Fields, options: WriteOptions = {}): Promise<Fields> {
  const info = await infoOfObject(session, object, options.namespace);
  if (options.dryRun === 'client') return info.object ?? {};
  return (await session.helper()).replace(info, info.object ?? {}, parametersOf(options, 'kubectl-replace'));
}

export interface PatchOptions extends WriteOptions {
  /** `strategic` by default. */
  readonly type?: PatchKind;
  readonly subresource?: string;
}

/** Changes fields of an object. */
export async function patch(
  session: Session,
  resource: string,
  body: unknown,
  options: PatchOptions = {},
): Promise<Fields> {
  if (options.dryRun === 'client') throw new CommandError('a patch is tried out by the server: use dryRun server');
  const info = await infoOf(session, resource, options.namespace);
  const { type = 'strategic', subresource } = options;
  const parameters = { ...parametersOf(options, 'kubectl-patch'), ...(subresource && { subresource }) };
  return (await session.helper()).patch(info, { type, body }, parameters);
}

/** Sets labels of an object; `null` removes one. */
export function label(
  session: Session,
  resource: string,
  labels: Readonly<Record<string, string | null>>,
  options: WriteOptions = {},
): Promise<Fields> {
  return setMetadata(session, resource, { field: 'labels', values: labels, options });
}

/** Sets annotations of an object; `null` removes one. */
export function annotate(
  session: Session,
  resource: string,
  annotations: Readonly<Record<string, string | null>>,
  options: WriteOptions = {},
): Promise<Fields> {
  return setMetadata(session, resource, { field: 'annotations', values: annotations, options });
}

interface MetadataChange {
  readonly field: 'labels' | 'annotations';
  readonly values: Readonly<Record<string, string | null>>;
  readonly options: WriteOptions;
}

async function setMetadata(
  session: Session,
  resource: string,
  { field, values, options }: MetadataChange,
): Promise<Fields> {
  const info = await infoOf(session, resource, options.namespace);
  const before = stringMapAt(info.object, 'metadata', field);
  const changed = Object.entries(values).filter(([key, value]) => (before[key] ?? null) !== value);
  if (changed.length === 0) return info.object ?? {};
  const body = { metadata: { [field]: Object.fromEntries(changed) } };
  const manager = field === 'labels' ? 'kubectl-label' : 'kubectl-annotate';
  return (await session.helper()).patch(info, { type: 'merge', body }, parametersOf(options, manager));
}

/** The query parameters of a write. */
export function parametersOf(
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
  manager: string,
): WriteParameters {
  return {
    fieldManager: fieldManager ?? manager,
    ...(fieldValidation && { fieldValidation }),
    ...(dryRun === 'server' && { dryRun: true }),
  };
}
