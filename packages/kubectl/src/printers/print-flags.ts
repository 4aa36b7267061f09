import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import type { DryRun } from '../resources/common-flags.js';
import { filesOf } from '../resources/read-manifests.js';
import { namePrinter } from './name-printer.js';
import { jsonPrinter, kyamlPrinter, type ObjectPrinter, type PrinterOptions, yamlPrinter } from './object-printer.js';
import { goTemplatePrinter, jsonPathPrinter } from './template-printers.js';

export const templateFormats = [
  'go-template',
  'go-template-file',
  'jsonpath',
  'jsonpath-as-json',
  'jsonpath-file',
  'template',
  'templatefile',
];

const plainFormats = ['json', 'kyaml', 'name', 'yaml'];

export interface PrintOptions extends PrinterOptions {
  /** The operation for messages: `created`. */
  readonly operation?: string;
  readonly dryRun?: DryRun;
  readonly allowed?: readonly string[];
}

/** The text after the operation, with the kind of dry run. */
export function operationText(operation: string, dryRun: DryRun): string {
  if (dryRun === 'client') return `${operation} (dry run)`;
  return dryRun === 'server' ? `${operation} (server dry run)` : operation;
}

/** Prints objects in the format of `-o`; without it, a line with the operation. */
export async function printerOf(context: Context, options: PrintOptions = {}): Promise<ObjectPrinter> {
  const { flags } = context;
  const output = flags.string('output');
  const template = flags.has('template') ? flags.string('template') : '';
  if (output === '' && template === '')
    return namePrinter(operationText(options.operation ?? '', options.dryRun ?? 'none'));
  return formatPrinter(context, output === '' ? 'go-template' : output, options);
}

/** The printer of a format that is named. */
export async function formatPrinter(context: Context, output: string, options: PrintOptions): Promise<ObjectPrinter> {
  const { flags } = context;
  const showManagedFields = flags.has('show-managed-fields') && flags.bool('show-managed-fields');
  const printing = { ...options, showManagedFields };
  switch (output.toLowerCase()) {
    case 'json':
      return jsonPrinter(printing);
    case 'yaml':
      return yamlPrinter(printing);
    case 'kyaml':
      return kyamlPrinter(printing);
    case 'name':
      if (options.allowed && !options.allowed.includes('name')) break;
      return namePrinter();
    default:
  }
  const allowed = [...(options.allowed ?? [...plainFormats, ...templateFormats])].sort();
  const format = templateFormats.find((name) => output === name || output.startsWith(`${name}=`));
  if (format && allowed.includes(format)) return templatePrinter(context, format, output.slice(format.length + 1));
  throw new CommandError(
    `unable to match a printer suitable for the output format ${JSON.stringify(output)}, allowed formats are: ${allowed.join(',')}`,
  );
}

async function templatePrinter(context: Context, format: string, value: string): Promise<ObjectPrinter> {
  const { flags, host } = context;
  const template = value || (flags.has('template') ? flags.string('template') : '');
  if (template === '') throw new CommandError('template format specified but no template given');
  const text = format.endsWith('file') ? await readTemplate(context, template) : template;
  const allowMissing = !flags.has('allow-missing-template-keys') || flags.bool('allow-missing-template-keys');
  if (format.startsWith('jsonpath')) return jsonPathPrinter(text, { allowMissing }, format === 'jsonpath-as-json');
  return goTemplatePrinter(text, { allowMissing }, (debug) => host.stdout.write(debug));
}

async function readTemplate({ host }: Context, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await filesOf(host).read(path));
  } catch (error) {
    throw new CommandError(`error reading --template ${path}, ${messageOf(error)}`);
  }
}
