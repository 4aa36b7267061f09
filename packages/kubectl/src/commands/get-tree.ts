import { throwCollected } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { typedName } from '../printers/name-printer.js';
import { findResources } from '../resources/find-resources.js';
import { dependentsOf, statusOf } from '../resources/owned-objects.js';
import { textAt } from '../values.js';
import { treeText } from './delete-preview.js';
import { findOptionsOf } from './get.js';

/** `get -o tree`: objects with everything that they own below them. */
export async function printTree(context: Context): Promise<void> {
  const options = await findOptionsOf(context);
  const { infos, errors } = await findResources(context.factory, options);
  if (infos.length === 0 && errors.length === 0) warn(context, `No resources found in ${options.namespace} namespace.`);
  for (const { object = {}, namespace } of infos) {
    const status = statusOf(object);
    print(context, `${typedName(object)}${status === '' ? '' : `  ${status}`}\n`);
    print(context, treeText(await dependentsOf(context, textAt(object, 'metadata', 'uid'), namespace), ''));
  }
  throwCollected(errors);
}
