import { createMergePatch, createTwoWayMergePatch } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { namePrinter } from '../printers/name-printer.js';
import { fieldManagerOf, validationOf } from '../resources/common-flags.js';
import type { Info } from '../resources/info.js';
import { schemaOfObject } from '../resources/object-schema.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, goJson, textAt } from '../values.js';

/** Sends what an edit changed as a patch. */
export async function saveEdit(
  context: Context,
  info: Info,
  { original, edited }: { original: Fields; edited: Fields },
): Promise<void> {
  const { flags, factory } = context;
  const fixed = (object: Fields) =>
    [textAt(object, 'apiVersion'), textAt(object, 'kind'), textAt(object, 'metadata', 'name')].join(' ');
  if (fixed(original) !== fixed(edited))
    throw new CommandError('At least one of apiVersion, kind and name was changed');
  const schema = await schemaOfObject(original);
  const patch = schema
    ? ({ type: 'strategic', body: createTwoWayMergePatch(original, edited, schema) } as const)
    : ({ type: 'merge', body: createMergePatch(original, edited) ?? {} } as const);
  if (Object.keys(patch.body).length === 0) {
    print(context, namePrinter('skipped').print(original));
    return;
  }
  if (flags.has('output-patch') && flags.bool('output-patch')) print(context, `Patch: ${goJson(patch.body)}\n`);
  const subresource = flags.has('subresource') ? flags.string('subresource') : '';
  const helper = new RequestHelper(await factory.client());
  const saved = await helper.patch(info, patch, {
    fieldManager: fieldManagerOf(context),
    fieldValidation: validationOf(context),
    ...(subresource && { subresource }),
  });
  print(context, namePrinter('edited').print(saved));
}
