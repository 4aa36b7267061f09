import { StatusError } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import type { Generated, GeneratedResource } from '../../command/generated-object.js';
import { printerOf } from '../../printers/print-flags.js';
import { dryRunOf, validationOf, writeParameters } from '../../resources/common-flags.js';
import { withLastApplied } from '../../resources/last-applied.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordAt } from '../../values.js';

export type { Generated, GeneratedResource };

/** The only word of a command that makes an object. */
export function requireName(context: Context, args = context.args): string {
  if (args.length !== 1) throw usageError(context, `exactly one NAME is required, got ${args.length}`);
  return args[0] ?? '';
}

/** The head of an object, with its fields in the order in which Go writes them. */
export function headOf({ group, version, kind }: GeneratedResource): Fields {
  return { kind, apiVersion: group === '' ? version : `${group}/${version}` };
}

/** Creates an object that was made from flags, or only prints it, by `--dry-run` and `-o`. */
export async function createGenerated(context: Context, { resource, object, failure }: Generated): Promise<void> {
  const dryRun = dryRunOf(context);
  const fieldValidation = validationOf(context);
  const { namespace, enforced } = await context.factory.namespace();
  const placed = resource.namespaced && enforced ? inNamespace(object, namespace) : object;
  const saved =
    context.flags.has('save-config') && context.flags.bool('save-config') ? withLastApplied(placed) : placed;
  const printer = await printerOf(context, { operation: 'created', dryRun, keepsOrder: true });
  if (dryRun === 'client') {
    print(context, printer.print(saved));
    return;
  }
  const helper = new RequestHelper(await context.factory.client());
  const parameters = { ...writeParameters(context, dryRun), fieldValidation };
  const mapping = { ...resource, singular: '', shortNames: [], categories: [], verbs: [], subresources: [] };
  try {
    const created = await helper.create({ mapping, namespace }, saved, parameters);
    print(context, printer.print({ ...headOf(resource), ...created }));
  } catch (error) {
    if (failure && error instanceof StatusError) throw new CommandError(failure + error.message);
    throw error;
  }
}

function inNamespace(object: Fields, namespace: string): Fields {
  const { name, ...rest } = recordAt(object, 'metadata');
  return { ...object, metadata: { name, namespace, ...rest } };
}
