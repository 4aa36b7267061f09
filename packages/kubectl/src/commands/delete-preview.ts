import { type Context, print } from '../command/context.js';
import { type Info, kindName } from '../resources/info.js';
import { dependentsOf, type OwnedObject } from '../resources/owned-objects.js';
import { RequestHelper } from '../resources/request-helper.js';
import { textAt } from '../values.js';

/** Prints the dependents that would be deleted with objects. */
export async function previewDeletion(context: Context, infos: readonly Info[]): Promise<void> {
  const helper = new RequestHelper(await context.factory.client());
  for (const info of infos) {
    const object = await helper.get(info);
    const name = info.mapping ? kindName(info.mapping.kind, info.mapping.group) : '';
    print(context, `${name}/${info.name}\n`);
    const dependents = await dependentsOf(context, textAt(object, 'metadata', 'uid'), info.namespace);
    print(context, treeText(dependents, ''));
  }
}

/** Objects below their owners. */
export function treeText(objects: readonly OwnedObject[], indent: string): string {
  return objects
    .map(({ name, status, owned }, i) => {
      const isLast = i === objects.length - 1;
      const line = `${indent}${isLast ? '└─' : '├─'} ${name}${status === '' ? '' : `  ${status}`}\n`;
      return line + treeText(owned, `${indent}${isLast ? '   ' : '│  '}`);
    })
    .join('');
}
