import type { Context } from '../command/context.js';
import { type Fields, recordAt, stringMapAt } from '../values.js';
import type { DryRun } from './common-flags.js';
import type { Info } from './info.js';
import { RequestHelper, type WriteParameters } from './request-helper.js';

export interface MetadataChange {
  readonly field: 'labels' | 'annotations';
  readonly values: Readonly<Record<string, string>>;
  readonly dryRun: DryRun;
  readonly parameters: WriteParameters;
}

/** Sets the labels or annotations of an object by a merge patch of what differs; unchanged ones cost no request. */
export async function patchMetadata(context: Context, info: Info, change: MetadataChange): Promise<Fields> {
  const { field, values, dryRun, parameters } = change;
  const { flags, factory } = context;
  const object = info.object ?? {};
  const version = flags.string('resource-version');
  const before = stringMapAt(object, 'metadata', field);
  const local = { ...object, metadata: withField(recordAt(object, 'metadata'), field, values) };
  const patch = differences(before, values);
  if (dryRun === 'client' || flags.bool('local')) return local;
  if (Object.keys(patch).length === 0 && version === '') return object;
  const body = { metadata: { [field]: patch, ...(version !== '' && { resourceVersion: version }) } };
  const helper = new RequestHelper(await factory.client());
  return helper.patch(info, { type: 'merge', body }, parameters);
}

function withField(metadata: Fields, field: string, values: Readonly<Record<string, string>>): Fields {
  const { [field]: _, ...rest } = metadata;
  return Object.keys(values).length === 0 ? rest : { ...rest, [field]: values };
}

function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const patch: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) patch[key] = value;
  for (const key of Object.keys(before)) if (!(key in after)) patch[key] = null;
  return patch;
}
