import { CommandError } from '../command/command-error.js';
import { customColumnsPrinter, parseColumns } from '../printers/custom-columns.js';
import { namePrinter } from '../printers/name-printer.js';
import {
  jsonPrinter,
  kyamlPrinter,
  type ObjectPrinter,
  type PrinterOptions,
  yamlPrinter,
} from '../printers/object-printer.js';
import { goTemplatePrinter, jsonPathPrinter } from '../printers/template-printers.js';
import { type Fields, formatYaml } from '../values.js';

export { formatYaml };

type MakePrinter = (argument: string, options: PrinterOptions) => ObjectPrinter;

const printers: Readonly<Record<string, MakePrinter>> = {
  json: (_, options) => jsonPrinter(options),
  yaml: (_, options) => yamlPrinter(options),
  kyaml: (_, options) => kyamlPrinter(options),
  name: () => namePrinter(),
  jsonpath: (template) => jsonPathPrinter(template, { allowMissing: true }),
  'go-template': (template) => goTemplatePrinter(template, { allowMissing: true }, () => undefined),
  'custom-columns': (columns) => customColumnsPrinter(parseColumns(columns), false),
};

/** Objects as text: `json`, `yaml`, `kyaml`, `name`, `jsonpath=…`, `go-template=…` or `custom-columns=…`. */
export function formatObjects(objects: readonly Fields[], output: string, options: PrinterOptions = {}): string {
  const [format = '', ...rest] = output.split('=');
  const make = Object.hasOwn(printers, format) ? printers[format] : undefined;
  if (!make)
    throw new CommandError(`unable to match a printer suitable for the output format ${JSON.stringify(format)}`);
  const printer = make(rest.join('='), options);
  if (format !== 'custom-columns') return objects.map((object) => printer.print(object)).join('');
  return printer.print({ apiVersion: 'v1', kind: 'List', items: objects });
}
