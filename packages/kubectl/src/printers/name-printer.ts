import { groupOf, kindName } from '../resources/info.js';
import { listAt, recordAt, textAt } from '../values.js';
import type { ObjectPrinter, Printable } from './object-printer.js';

/** `pod/web`, or with an operation `pod/web created`. */
export function namePrinter(operation = ''): ObjectPrinter {
  const suffix = operation === '' ? '' : ` ${operation}`;
  return {
    print: (object) =>
      isList(object)
        ? listAt(object, 'items')
            .map((item) => `${typedName(item as Printable)}${suffix}\n`)
            .join('')
        : `${typedName(object)}${suffix}\n`,
  };
}

function isList(object: Printable): boolean {
  return Array.isArray(object['items']) && textAt(object, 'kind').endsWith('List');
}

/** `deployment.apps/web` */
export function typedName(object: Printable): string {
  const name = textAt(recordAt(object, 'metadata'), 'name') || '<unknown>';
  const kind = textAt(object, 'kind');
  return kind === '' ? `<unknown>/${name}` : `${kindName(kind, groupOf(textAt(object, 'apiVersion')))}/${name}`;
}
