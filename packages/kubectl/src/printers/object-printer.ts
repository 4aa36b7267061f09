import { formatYaml, goJson, isRecord, sortKeys } from '../values.js';
import { formatKyaml } from './kyaml.js';

/** An object that is printed. */
export type Printable = Readonly<Record<string, unknown>>;

/** Turns objects into text, one after the other. */
export interface ObjectPrinter {
  print(object: Printable): string;
}

export interface PrinterOptions {
  /** Prints managedFields too. */
  readonly showManagedFields?: boolean;
  /** Keeps the order of the fields, as for objects that kubectl made itself. */
  readonly keepsOrder?: boolean;
}

export function jsonPrinter(options: PrinterOptions = {}): ObjectPrinter {
  return {
    print: (object) => `${goJson(prepared(object, options), 4)}\n`,
  };
}

/** A document each, with separators in between. */
export function yamlPrinter(options: PrinterOptions = {}): ObjectPrinter {
  let printed = 0;
  return {
    print: (object) => `${printed++ > 0 ? '---\n' : ''}${formatYaml(prepared(object, options))}`,
  };
}

export function kyamlPrinter(options: PrinterOptions = {}): ObjectPrinter {
  return { print: (object) => formatKyaml(prepared(object, options)) };
}

function prepared(object: Printable, { showManagedFields, keepsOrder }: PrinterOptions): Printable {
  const shown = showManagedFields ? object : withoutManagedFields(object);
  return keepsOrder ? shown : (sortKeys(shown) as Printable);
}

/** Without `metadata.managedFields`, in lists too. */
export function withoutManagedFields(object: Printable): Printable {
  const items = object['items'];
  if (Array.isArray(items) && String(object['kind']).endsWith('List'))
    return { ...object, items: items.map((item) => (isRecord(item) ? withoutManagedFields(item) : item)) };
  const metadata = object['metadata'];
  if (!isRecord(metadata) || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
