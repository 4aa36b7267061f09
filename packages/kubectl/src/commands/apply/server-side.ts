import { isConflict, StatusError } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { Info } from '../../resources/info.js';
import { RequestHelper, type WriteParameters } from '../../resources/request-helper.js';
import { type Fields, isRecord, recordsAt, textAt } from '../../values.js';
import type { Applied, ApplySettings } from './apply-settings.js';

const conflictHelp = [
  'Please review the fields above--they currently have other managers. Here',
  'are the ways you can resolve this warning:',
  '* If you intend to manage all of these fields, please re-run the apply',
  '  command with the `--force-conflicts` flag.',
  '* If you do not intend to manage all of the fields, please edit your',
  '  manifest to remove references to the fields that should keep their',
  '  current managers.',
  '* You may co-own fields by updating your manifest to match the existing',
  "  value; in this case, you'll become the manager if the other manager(s)",
  '  stop managing the field (remove it from their configuration).',
  'See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts',
].join('\n');

const clientSideManager = 'kubectl-client-side-apply';

/** Lets the server apply the configuration. */
export async function applyServerSide(
  context: Pick<Context, 'factory'>,
  info: Info,
  settings: ApplySettings,
): Promise<Applied> {
  const helper = new RequestHelper(await context.factory.client());
  const { fieldManager, fieldValidation, forceConflicts, dryRun, subresource } = settings;
  const parameters: WriteParameters = {
    fieldManager,
    fieldValidation,
    ...(forceConflicts && { force: true }),
    ...(dryRun === 'server' && { dryRun: true }),
    ...(subresource && { subresource }),
  };
  const apply = () => helper.patch(info, { type: 'apply', body: withoutManagedFields(info.object ?? {}) }, parameters);
  try {
    const object = await apply();
    const migrates = dryRun === 'none' && fieldManager === 'kubectl';
    if (!migrates || !(await migrate(helper, info, { object, manager: fieldManager })))
      return { object, operation: 'serverside-applied' };
    return { object: await apply(), operation: 'serverside-applied' };
  } catch (error) {
    if (isConflict(error) && error instanceof StatusError && hasFieldConflicts(error))
      throw new CommandError(`${error.message}\n${conflictHelp}`);
    throw error;
  }
}

function hasFieldConflicts({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true;
}

function withoutManagedFields(object: Fields): Fields {
  if (!isRecord(object['metadata']) || !('managedFields' in object['metadata'])) return object;
  const { managedFields: _, ...metadata } = object['metadata'];
  return { ...object, metadata };
}

const attempts = 5;

/** Takes over what client-side apply owned, again if others changed the object meanwhile. True if there was anything. */
async function migrate(
  helper: RequestHelper,
  info: Info,
  { object, manager }: { readonly object: Fields; readonly manager: string },
): Promise<boolean> {
  let current = object;
  for (let attempt = 1; ; attempt++) {
    const body = migratedFields(current, manager);
    if (!body) return attempt > 1;
    try {
      await helper.patch(info, { type: 'json', body }, {});
      return true;
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
      current = await helper.get(info);
    }
  }
}

/** Moves the fields of client-side apply to server-side apply; `undefined` if it owned none. */
function migratedFields(object: Fields, manager: string): Fields[] | undefined {
  const entries = recordsAt(object, 'metadata', 'managedFields');
  const isOld = (one: Fields) =>
    one['manager'] === clientSideManager && one['operation'] === 'Update' && !one['subresource'];
  const old = entries.filter(isOld);
  const own = entries.find((one) => one['manager'] === manager && one['operation'] === 'Apply' && !one['subresource']);
  if (old.length === 0 || !own) return undefined;
  const fieldsV1 = old.reduce(
    (fields, one) => merged(fields, (one['fieldsV1'] ?? {}) as Fields),
    (own['fieldsV1'] ?? {}) as Fields,
  );
  const value = entries.filter((one) => !isOld(one)).map((one) => (one === own ? { ...one, fieldsV1 } : one));
  return [
    { op: 'replace', path: '/metadata/managedFields', value },
    { op: 'replace', path: '/metadata/resourceVersion', value: textAt(object, 'metadata', 'resourceVersion') },
  ];
}

function merged(a: Fields, b: Fields): Fields {
  const result: Fields = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
  }
  return result;
}
