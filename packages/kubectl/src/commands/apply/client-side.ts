import {
  applyMergePatchToObject,
  applyStrategicMergePatch,
  createThreeWayJsonMergePatch,
  createThreeWayMergePatch,
  isConflict,
  isNotFound,
  readJson,
  StatusError,
} from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { ConnectionFailed, messageOf, withSource } from '../../command/format-error.js';
import { type Info, mappingText } from '../../resources/info.js';
import { lastAppliedAnnotation, lastAppliedOf, withLastApplied } from '../../resources/last-applied.js';
import { schemaOfObject } from '../../resources/object-schema.js';
import { type PatchKind, RequestHelper } from '../../resources/request-helper.js';
import { sleep } from '../../resources/sleep.js';
import { type Fields, goJson, sortKeys } from '../../values.js';
import type { Applied, ApplySettings } from './apply-settings.js';

const attempts = 5;
/** Fields that a configuration may not change. */
const unchanged = ['apiVersion', 'kind', 'metadata.name'];

type ApplyContext = Pick<Context, 'factory' | 'host'>;

/** Creates the object, or sets the fields of its configuration and removes fields of the last one. */
export async function applyClientSide(context: ApplyContext, info: Info, settings: ApplySettings): Promise<Applied> {
  const helper = new RequestHelper(await context.factory.client());
  const modified = withLastApplied(info.object ?? {});
  const current = await read(helper, info);
  if (!current) return { object: await create(helper, { ...info, object: modified }, settings), operation: 'created' };
  if (lastAppliedOf(current) === undefined && settings.dryRun !== 'client') warnOfMissing(context, info);
  for (let attempt = 1; ; attempt++) {
    const live = attempt === 1 ? current : ((await read(helper, info)) ?? current);
    const patch = await threeWayPatch(live, modified, settings.overwrite);
    if (Object.keys(patch.body).length === 0) return { object: live, operation: 'unchanged' };
    if (settings.dryRun === 'client') return { object: await patchLocally(live, patch), operation: 'configured' };
    try {
      const object = await send(helper, info, { patch, settings });
      const changed = goJson(sortKeys(object)) !== goJson(sortKeys(live));
      return { object, operation: changed || settings.dryRun !== 'none' ? 'configured' : 'unchanged' };
    } catch (error) {
      if (isConflict(error) && attempt < attempts) {
        await sleep(context.host, 1000);
        continue;
      }
      if (settings.force && error instanceof StatusError && (isConflict(error) || error.status.reason === 'Invalid'))
        return { object: await recreate(context, helper, { ...info, object: modified }), operation: 'configured' };
      throw patchFailure(error, info, patch.body);
    }
  }
}

async function read(helper: RequestHelper, info: Info): Promise<Fields | undefined> {
  try {
    return await helper.get(info);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (error instanceof ConnectionFailed) throw error;
    const text = `retrieving current configuration of:\n${mappingText(info)}\nfrom server for:`;
    if (error instanceof StatusError) throw withSource(error, text, info.source);
    throw new CommandError(`error when ${text} ${JSON.stringify(info.source)}: ${messageOf(error)}`);
  }
}

async function create(helper: RequestHelper, info: Info, settings: ApplySettings): Promise<Fields> {
  const object = info.object ?? {};
  if (settings.dryRun === 'client') return object;
  const { fieldManager, fieldValidation, dryRun } = settings;
  try {
    return await helper.create(info, object, {
      fieldManager,
      fieldValidation,
      ...(dryRun === 'server' && { dryRun: true }),
    });
  } catch (error) {
    throw withSource(error, 'creating', info.source);
  }
}

function warnOfMissing(context: ApplyContext, info: Info): void {
  context.factory.warn(
    `resource ${info.mapping?.resource}/${info.name} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.`,
  );
}

interface Patch {
  readonly type: Extract<PatchKind, 'strategic' | 'merge'>;
  readonly body: Fields;
}

/** Three-way merge of the last configuration, the current one, and the live object. */
export async function threeWayPatch(current: Fields, modified: Fields, overwrite: boolean): Promise<Patch> {
  const text = lastAppliedOf(current);
  const original = (text ? readJson(text) : {}) as Fields;
  const schema = await schemaOfObject(modified);
  try {
    if (!schema)
      return { type: 'merge', body: createThreeWayJsonMergePatch({ original, modified, current }, { unchanged }) };
    return {
      type: 'strategic',
      body: createThreeWayMergePatch({ original, modified, current }, schema, { overwrite }),
    };
  } catch (error) {
    throw new CommandError(`creating patch with:\n${messageOf(error)}`);
  }
}

async function patchLocally(current: Fields, { type, body }: Patch): Promise<Fields> {
  const schema = type === 'strategic' ? await schemaOfObject(current) : undefined;
  return schema ? applyStrategicMergePatch(current, body, schema) : applyMergePatchToObject(current, body);
}

function send(
  helper: RequestHelper,
  info: Info,
  { patch, settings }: { readonly patch: Patch; readonly settings: ApplySettings },
): Promise<Fields> {
  const { fieldManager, fieldValidation, dryRun } = settings;
  return helper.patch(info, patch, { fieldManager, fieldValidation, ...(dryRun === 'server' && { dryRun: true }) });
}

async function recreate(context: ApplyContext, helper: RequestHelper, info: Info): Promise<Fields> {
  await helper.delete(info, { propagationPolicy: 'Background', gracePeriodSeconds: 0 });
  const { waitUntilDeleted } = await import('../../resources/wait-deleted.js');
  await waitUntilDeleted(context, [{ info, uid: '' }], 60_000);
  return helper.create(info, info.object ?? {}, { fieldManager: 'kubectl-client-side-apply' });
}

function patchFailure(error: unknown, info: Info, patch: Fields): unknown {
  if (error instanceof ConnectionFailed) return error;
  return withSource(error, `applying patch:\n${goJson(patch)}\nto:\n${mappingText(info)}\nfor:`, info.source);
}
