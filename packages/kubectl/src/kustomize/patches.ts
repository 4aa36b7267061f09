import {
  applyJsonPatch,
  applyMergePatchToObject,
  applyStrategicMergePatch,
  parseYamlDocuments,
} from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { schemaOfObject } from '../resources/object-schema.js';
import { type Fields, isRecord, recordAt, recordsAt, textAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { readBelow } from './loader.js';
import { idText, isSame, type KustomizeResource, nameOf } from './resource.js';
import { selects } from './selectors.js';

type PatchContext = Pick<BuildContext, 'host' | 'folder' | 'restricted'>;

/** `patches`, `patchesStrategicMerge` and `patchesJson6902`. */
export async function applyPatches(
  resources: KustomizeResource[],
  config: Fields,
  context: PatchContext,
): Promise<void> {
  for (const entry of Array.isArray(config['patchesStrategicMerge']) ? config['patchesStrategicMerge'] : []) {
    const text = String(entry);
    const inline = text.includes('\n') || /^\s*\{/.test(text);
    await applyOne(resources, { text: inline ? text : await read(context, text), target: undefined, options: {} });
  }
  for (const entry of [...recordsAt(config, 'patches'), ...recordsAt(config, 'patchesJson6902')]) {
    const text = textAt(entry, 'patch') || (await read(context, textAt(entry, 'path')));
    await applyOne(resources, {
      text,
      target: isRecord(entry['target']) ? entry['target'] : undefined,
      options: recordAt(entry, 'options'),
    });
  }
}

async function read({ host, folder, restricted }: PatchContext, path: string): Promise<string> {
  if (path === '') throw new CommandError('must specify one of patch and path in a patch');
  return new TextDecoder().decode(await readBelow(host, folder, path, restricted));
}

interface Patch {
  readonly text: string;
  readonly target: Fields | undefined;
  readonly options: Fields;
}

async function applyOne(resources: KustomizeResource[], { text, target, options }: Patch): Promise<void> {
  let documents: unknown[];
  try {
    documents = parseYamlDocuments(text).map(({ value }) => value);
  } catch (error) {
    throw new CommandError(`unable to parse SM or JSON patch from [${text}]: ${messageOf(error)}`);
  }
  for (const document of documents) {
    if (Array.isArray(document)) {
      if (!target) throw new CommandError('must specify a target for JSON patch');
      for (const resource of resources.filter((one) => selects(target, one)))
        resource.object = patchedByJson(resource.object, document);
    } else if (isRecord(document)) await applyStrategic(resources, document, { target, options });
    else throw new CommandError(`unable to parse SM or JSON patch from [${text}]`);
  }
}

function patchedByJson(object: Fields, operations: readonly unknown[]): Fields {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    throw new CommandError(`failed to apply json patch to ${idText(object)}: ${messageOf(error)}`);
  }
}

async function applyStrategic(
  resources: KustomizeResource[],
  patch: Fields,
  { target, options }: Pick<Patch, 'target' | 'options'>,
): Promise<void> {
  const found = target
    ? resources.filter((one) => selects(target, one))
    : resources.filter((one) => isSame(one, patch));
  if (found.length === 0 && !target)
    throw new CommandError(
      `no resource matches strategic merge patch ${JSON.stringify(idText(patch))}: no matches for Id ${idText(patch)}; failed to find unique target for patch ${idText(patch)}`,
    );
  for (const resource of found) {
    if (patch['$patch'] === 'delete') resources.splice(resources.indexOf(resource), 1);
    else resource.object = await merged(resource.object, patch, options);
  }
}

/** The patch's own identity does not count, unless it may change the object's. */
async function merged(object: Fields, patch: Fields, options: Fields): Promise<Fields> {
  const schema = await schemaOfObject(object);
  const { name: _, ...metadata } = recordAt(patch, 'metadata');
  const fixed: Fields = {
    ...patch,
    apiVersion: object['apiVersion'],
    kind: options['allowKindChange'] === true ? (patch['kind'] ?? object['kind']) : object['kind'],
    metadata: {
      ...metadata,
      name: options['allowNameChange'] === true && nameOf(patch) !== '' ? nameOf(patch) : nameOf(object),
    },
  };
  return schema ? applyStrategicMergePatch(object, fixed, schema) : applyMergePatchToObject(object, fixed);
}
