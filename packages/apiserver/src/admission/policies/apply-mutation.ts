import { objectJson, patchedJson } from '@coracle/api';
import {
  applyJsonPatch,
  atomicFieldsIn,
  type CelValue,
  decodeObject,
  formatProblems,
  type KubeObject,
  mergeObjects,
  type ObjectSchema,
  StatusError,
  strictDecodingError,
  toJson,
  typeProblems,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

/** The error of a policy that could not change an object. */
export class MutationProblem extends Error {
  override readonly name = 'MutationProblem';
}

interface Mutation {
  readonly object: KubeObject;
  /** What the expression gave. */
  readonly value: CelValue;
  readonly schema: ObjectSchema;
}

export function applyMutation(kind: 'ApplyConfiguration' | 'JSONPatch', mutation: Mutation): KubeObject {
  return kind === 'JSONPatch' ? patched(mutation) : configured(mutation);
}

/**
 * Merges the apply configuration into the object, as server-side apply does, though no field manager owns what it sets.
 */
function configured({ object, value, schema }: Mutation): KubeObject {
  const config = inWords(() => objectJson(value));
  if (!isRecord(config)) throw new MutationProblem('ApplyConfiguration expression must return an Object');
  const problems = typeProblems(config, schema);
  if (problems.length > 0)
    throw new MutationProblem(
      `error applying patch: failed to convert patch object to typed object: ${formatProblems(problems)}`,
    );
  const atomic = atomicFieldsIn(config, schema);
  if (atomic.length > 0)
    throw new MutationProblem(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  return mergeObjects(object, config, schema) as KubeObject;
}

/** A patch whose test does not hold changes nothing. */
function patched({ object, value, schema }: Mutation): KubeObject {
  const operations = inWords(() => operationsIn(value));
  const changed = applied(object, operations);
  // Built-in kinds keep only the fields of their types. Custom resources are pruned.
  const isBuiltIn = schema.name !== '';
  const unknownFields = isBuiltIn ? inWords(() => decodeObject(changed, schema).unknownFields) : [];
  const problem = strictDecodingError({ unknownFields, duplicateFields: [] });
  if (problem !== undefined) throw new MutationProblem(problem);
  return changed;
}

function applied(object: KubeObject, operations: unknown[]): KubeObject {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    if (/^testing value .* failed: test failed$/.test(patchWords(error))) return object;
    throw new MutationProblem(`JSON Patch: ${patchWords(error)}`);
  }
}

/** What is wrong with a patch, without the prefix for clients. */
function patchWords({ cause, message }: StatusError): string {
  return cause instanceof Error ? cause.message : message;
}

function operationsIn(value: CelValue): unknown[] {
  if (typeof value !== 'object' || value === null || !('tag' in value) || value.tag !== 'list')
    throw new Error('JSONPatch expression must return a list of JSONPatch');
  return Array.from(value, (operation) => {
    if (typeof operation !== 'object' || operation === null || !('tag' in operation) || operation.tag !== 'map')
      throw new Error('JSONPatch expression must return a list of JSONPatch');
    const fields = Array.from(operation.keys(), (key) => [String(key), operation.get(key) ?? null] as const);
    return Object.fromEntries(
      fields.map(([key, field]) => [key, key === 'value' ? patchedJson(field) : toJson(field)]),
    );
  });
}

function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new MutationProblem((error as Error).message);
  }
}
