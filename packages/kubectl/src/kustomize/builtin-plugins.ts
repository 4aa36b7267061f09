import { parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { appendHashes } from './content-hashes.js';
import { changeAt, readFieldSpecs, splitPath } from './field-paths.js';
import { runGenerators } from './generators.js';
import { inflateChart } from './helm.js';
import { readBelow } from './loader.js';
import { orderResources } from './order.js';
import { applyPatches } from './patches.js';
import { applyReplacements } from './replacements.js';
import type { KustomizeResource } from './resource.js';
import { selects } from './selectors.js';
import { addAffixes, addPairs, scaleNamed, setImage, setNamespace } from './transformers.js';

/** Changes the resources as the configuration of a plugin says. */
export type Plugin = (resources: KustomizeResource[], config: Fields, context: BuildContext) => Promise<void>;

/** Synchronous plugins return no promise. */
function now(change: (resources: KustomizeResource[], config: Fields) => void): Plugin {
  return async (resources, config) => change(resources, config);
}

/** Kinds of `apiVersion: builtin` that add objects. */
export const builtinGenerators: Readonly<Record<string, Plugin>> = {
  ConfigMapGenerator: (resources, config, context) =>
    runGenerators(resources, { configMapGenerator: [generatorEntry(config)] }, context),
  SecretGenerator: (resources, config, context) =>
    runGenerators(resources, { secretGenerator: [generatorEntry(config)] }, context),
  HelmChartInflationGenerator: async (resources, config, context) => {
    resources.push(...(await inflateChart(config, recordAt(config, 'helmGlobals'), context)));
  },
};

/** Kinds of `apiVersion: builtin` that change objects. They change the fields that their `fieldSpecs` name. */
export const builtinTransformers: Readonly<Record<string, Plugin>> = {
  AnnotationsTransformer: now((resources, config) =>
    addPairs(resources, readFieldSpecs(config['fieldSpecs']), stringMapAt(config, 'annotations')),
  ),
  LabelTransformer: now((resources, config) =>
    addPairs(resources, readFieldSpecs(config['fieldSpecs']), stringMapAt(config, 'labels')),
  ),
  NamespaceTransformer: now((resources, config) =>
    setNamespace(resources, {
      namespace: textAt(config, 'metadata', 'namespace'),
      specs: readFieldSpecs(config['fieldSpecs']).filter(({ path }) => path !== 'metadata/namespace'),
      unsetOnly: config['unsetOnly'] === true,
      subjects: textAt(config, 'setRoleBindingSubjects'),
    }),
  ),
  PrefixTransformer: now(affix),
  SuffixTransformer: now(affix),
  PrefixSuffixTransformer: now(affix),
  ImageTagTransformer: now((resources, config) =>
    setImage(resources, recordAt(config, 'imageTag'), readFieldSpecs(config['fieldSpecs'])),
  ),
  ReplicaCountTransformer: now((resources, config) => {
    scaleNamed(resources, recordAt(config, 'replica'), readFieldSpecs(config['fieldSpecs']));
  }),
  PatchTransformer: (resources, config, context) => applyPatches(resources, { patches: [config] }, context),
  PatchJson6902Transformer: (resources, config, context) =>
    applyPatches(resources, { patches: [{ ...config, patch: config['jsonOp'] ?? config['patch'] }] }, context),
  PatchStrategicMergeTransformer: (resources, config, context) => {
    const inline = textAt(config, 'patches');
    const patchesStrategicMerge = [...textsAt(config, 'paths'), ...(inline === '' ? [] : [`${inline}\n`])];
    return applyPatches(resources, { patchesStrategicMerge }, context);
  },
  ReplacementTransformer: (resources, config, context) =>
    applyReplacements(resources, { replacements: config['replacements'] }, context),
  ValueAddTransformer: addValue,
  HashTransformer: (resources) => appendHashes(resources),
  LegacyOrderTransformer: now((resources) => {
    resources.splice(0, resources.length, ...orderResources(resources, {}));
  }),
  SortOrderTransformer: now((resources, config) => {
    resources.splice(0, resources.length, ...orderResources(resources, config));
  }),
};

/** A generator's name and namespace are those of what it makes. */
function generatorEntry(config: Fields): Fields {
  const { metadata: _, ...rest } = config;
  const [name, namespace] = [textAt(config, 'metadata', 'name'), textAt(config, 'metadata', 'namespace')];
  return { name, ...(namespace !== '' && { namespace }), ...rest };
}

function affix(resources: readonly KustomizeResource[], config: Fields): void {
  addAffixes(resources, {
    prefix: textAt(config, 'prefix'),
    suffix: textAt(config, 'suffix'),
    specs: readFieldSpecs(config['fieldSpecs']),
    onlySpecs: true,
  });
}

/** Puts a value, or a part of the path in it, into the fields of its targets. */
async function addValue(resources: KustomizeResource[], config: Fields, context: BuildContext): Promise<void> {
  const value = textAt(config, 'value');
  if (value === '') throw new CommandError('ValueAddTransformer: value is missing');
  for (const target of await valueTargets(config, context)) {
    const path = splitPath(textAt(target, 'fieldPath'));
    if (path.length === 0) throw new CommandError('ValueAddTransformer: a target needs a fieldPath');
    const position = Number(target['filePathPosition'] ?? 0);
    const selector = recordAt(target, 'selector');
    for (const resource of resources.filter((one) => selects(selector, one)))
      resource.object = changeAt(resource.object, path, {
        create: position === 0,
        change: (before) => (position === 0 ? value : withPart(before, position, value)),
      });
  }
}

/** The path of a file with one of its parts replaced; the first one is number 1. */
function withPart(path: unknown, position: number, value: string): string {
  const rooted = String(path).startsWith('/');
  const parts = String(path).split('/').filter(Boolean);
  if (position > parts.length + 1) throw new CommandError(`the path ${String(path)} has no part ${position}`);
  parts[position - 1] = value;
  return (rooted ? '/' : '') + parts.join('/');
}

async function valueTargets(config: Fields, { host, folder, restricted }: BuildContext): Promise<Fields[]> {
  const file = textAt(config, 'targetFilePath');
  if (file === '') return recordsAt(config, 'targets');
  const read = parseYaml(await readBelow(host, folder, file, restricted));
  return [...recordsAt(config, 'targets'), ...(isRecord(read) ? recordsAt(read, 'targets') : [])];
}
