import { parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { type Fields, isRecord, recordsAt, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { type FieldSpec, readFieldSpecs } from './field-paths.js';
import { readBelow } from './loader.js';
import type { ExtraFields } from './transformers.js';

/** Fields that hold the name of an object of some kind. */
export interface NameReference {
  readonly kind: string;
  readonly fields: readonly FieldSpec[];
}

/** What the `configurations` of a kustomization add to the fields of built-in kinds. */
export interface Configuration extends ExtraFields {
  readonly nameReference: readonly NameReference[];
}

const sections = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonLabels',
  'templateLabels',
  'commonAnnotations',
  'images',
  'replicas',
] as const;

/** Variables are put everywhere here, so what `varReference` names needs no entry. */
const otherSections = ['nameReference', 'varReference'];

/** Reads the files that a kustomization names as its `configurations`. */
export async function readConfigurations(config: Fields, context: BuildContext): Promise<Configuration> {
  const files = await Promise.all(textsAt(config, 'configurations').map((path) => readConfiguration(path, context)));
  const specs = Object.fromEntries(
    sections.map((name) => [name, files.flatMap((file) => readFieldSpecs(file[name]))]),
  ) as Record<(typeof sections)[number], FieldSpec[]>;
  const nameReference = files.flatMap((file) =>
    recordsAt(file, 'nameReference').map((entry) => ({
      kind: textAt(entry, 'kind'),
      fields: readFieldSpecs(entry['fieldSpecs']),
    })),
  );
  return { ...specs, nameReference };
}

async function readConfiguration(path: string, context: BuildContext): Promise<Fields> {
  let value: unknown;
  try {
    value = parseYaml(await readBelow(context.host, context.folder, path, context.restricted));
  } catch (error) {
    throw new CommandError(`unable to load configuration ${JSON.stringify(path)}: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new CommandError(`configuration ${JSON.stringify(path)} must be an object`);
  const sectionNames: readonly string[] = [...sections, ...otherSections];
  const unknown = Object.keys(value).find((key) => !sectionNames.includes(key));
  if (unknown !== undefined)
    throw new CommandError(`configuration ${JSON.stringify(path)}: unknown field ${JSON.stringify(unknown)}`);
  return value;
}
