import {
  applyJsonPatch,
  applyMergePatchToObject,
  applyStrategicMergePatch,
  type JsonPatchOperation,
  readJson,
} from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { type Fields, isRecord } from '../values.js';
import { schemaOfObject } from './object-schema.js';

/** The object with `--overrides` applied as `--override-type` says. */
export async function applyOverrides({ flags }: Context, object: Fields): Promise<Fields> {
  const text = flags.string('overrides');
  if (text === '') return object;
  const type = flags.string('override-type');
  const patch = parsed(text);
  switch (type) {
    case 'json':
      if (!Array.isArray(patch)) throw new CommandError('Invalid JSON Patch');
      return applyJsonPatch(object, patch as JsonPatchOperation[]) as Fields;
    case 'strategic': {
      const schema = await schemaOfObject(object);
      if (!schema) throw new CommandError(`no strategic merge patch for ${String(object['kind'])}`);
      return applyStrategicMergePatch(object, patch as Fields, schema) as Fields;
    }
    case 'merge':
      if (!isRecord(patch)) throw new CommandError('Invalid JSON Patch');
      return applyMergePatchToObject(object, patch) as Fields;
    default:
      throw new CommandError(`invalid override type: ${type}`);
  }
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    throw new CommandError('Invalid JSON Patch');
  }
}
