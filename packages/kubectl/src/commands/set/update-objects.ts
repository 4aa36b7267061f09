import { createMergePatch, writeJson } from '@coracle/apimachinery';
import { CommandError, throwCollected, withErrorPrefix } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { messageOf } from '../../command/format-error.js';
import { typedName } from '../../printers/name-printer.js';
import { printerOf } from '../../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../../resources/common-flags.js';
import { type FindOptions, findResources } from '../../resources/find-resources.js';
import { type Info, resourceName } from '../../resources/info.js';
import { schemaOfObject, typedForm } from '../../resources/object-schema.js';
import { RequestHelper, type WriteParameters } from '../../resources/request-helper.js';
import type { Fields } from '../../values.js';
import { sortKeys } from '../../values.js';

export interface UpdateOptions {
  /** The name of the updated part, for the message. */
  readonly operation: string;
  readonly find?: Partial<FindOptions>;
  /** Prefix of server errors. */
  readonly failure?: string;
  /** A change without effect is still printed and sent. */
  readonly sendsAlways?: boolean;
  /** Collects failures that do not prevent the rest of a change. */
  readonly failures?: unknown[];
  /** The object after the change. */
  change(object: Fields, info: Info): Fields | Promise<Fields>;
}

/** Changes objects on the server, or locally, and prints their names. Unchanged objects are skipped. */
export async function updateObjects(context: Context, options: UpdateOptions): Promise<void> {
  const { flags, factory } = context;
  const dryRun = dryRunOf(context);
  const find = await findOptions(context, { latest: !flags.bool('local'), ...options.find });
  const { infos, errors } = await findResources(factory, find);
  const printer = await printerOf(context, { operation: options.operation, dryRun });
  const failures = options.failures ?? [];
  failures.push(...errors);
  for (const info of infos) {
    try {
      const before = await typedForm(info.object ?? {});
      const after = await options.change(before, info);
      const isSame = writeJson(sortKeys(before)) === writeJson(sortKeys(after));
      if (isSame && !options.sendsAlways && !flags.bool('local') && dryRun === 'none') continue;
      if (flags.bool('local') || dryRun === 'client') print(context, printer.print(after));
      else print(context, printer.print(await send(context, info, { before, after, dryRun, ...options })));
    } catch (error) {
      failures.push(withErrorPrefix(error));
    }
  }
  throwCollected(failures);
}

interface Sending {
  readonly before: Fields;
  readonly after: Fields;
  readonly dryRun: ReturnType<typeof dryRunOf>;
  readonly failure?: string;
}

async function send(context: Context, info: Info, { before, after, dryRun, failure }: Sending): Promise<Fields> {
  const helper = new RequestHelper(await context.factory.client());
  try {
    return await patchToward(helper, info, { before, after, parameters: writeParameters(context, dryRun) });
  } catch (error) {
    throw failure === undefined ? error : new CommandError(`${failure}${messageOf(error)}`);
  }
}

interface Change {
  readonly before: Fields;
  readonly after: Fields;
  readonly parameters: WriteParameters;
}

/** Sends what differs between two forms of an object. */
export async function patchToward(
  helper: RequestHelper,
  info: Info,
  { before, after, parameters }: Change,
): Promise<Fields> {
  const schema = await schemaOfObject(before);
  const { createTwoWayMergePatch } = await import('@coracle/apimachinery');
  const patch = schema
    ? ({ type: 'strategic', body: createTwoWayMergePatch(before, after, schema) } as const)
    : ({ type: 'merge', body: createMergePatch(before, after) ?? {} } as const);
  return helper.patch(info, patch, parameters);
}

/** A failure with the name of its object. */
export function objectError(info: Pick<Info, 'mapping' | 'name' | 'object'>, text: string): CommandError {
  // Without a server there is no resource to name it by.
  const name = info.mapping ? resourceName(info) : typedName(info.object ?? {});
  return new CommandError(`${name} ${text}`);
}

export function noPodTemplate(info: Info, object: Fields): CommandError {
  const kind = String(object['kind']);
  const version = String(object['apiVersion']).split('/').at(-1) ?? 'v1';
  return objectError(info, `the object is not a pod or does not have a pod template: *${version}.${kind}`);
}
