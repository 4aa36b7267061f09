import { type FieldError, invalid, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { type AdmissionHandler, type AdmissionRequest, allowed } from './admission-review.js';
import { createJsonPatch } from './create-json-patch.js';

/** Returns the object with defaults. It gets a copy and may change it. */
export type Defaulter<T extends KubeObject> = (object: T, request: AdmissionRequest<T>) => T | Promise<T>;

/** Why an object is rejected; none if it is allowed. */
export interface ValidationResult {
  readonly errors?: readonly FieldError[];
  readonly warnings?: readonly string[];
}

type Check<Values extends readonly unknown[]> = (
  ...values: Values
) => ValidationResult | undefined | Promise<ValidationResult | undefined>;

/** Validates creates, updates and deletions. An absent function allows everything. */
export interface Validator<T extends KubeObject> {
  validateCreate?: Check<[object: T, request: AdmissionRequest<T>]>;
  validateUpdate?: Check<[object: T, previous: T, request: AdmissionRequest<T>]>;
  validateDelete?: Check<[object: T, request: AdmissionRequest<T>]>;
}

/** Sets defaults on create and update, and responds with a patch. */
export function defaulting<T extends KubeObject>(setDefaults: Defaulter<T>): AdmissionHandler {
  return async (request) => {
    const { object, operation } = request as AdmissionRequest<T>;
    if (operation === 'DELETE' || !object) return allowed;
    const filled = await setDefaults(deepCopy(object), request as AdmissionRequest<T>);
    return { allowed: true, patch: createJsonPatch(object, filled) };
  };
}

/** Rejects invalid objects, with the status that the server itself would return. */
export function validating<T extends KubeObject>(ref: ResourceRef<T>, validator: Validator<T>): AdmissionHandler {
  return async (request) => {
    const result = await resultOf(validator, request as AdmissionRequest<T>);
    const { errors = [], warnings = [] } = result ?? {};
    const name = request.object?.metadata.name ?? request.name ?? '';
    const answer = errors.length > 0 ? { allowed: false, status: invalid(ref, name, [...errors]).status } : allowed;
    return { ...answer, ...(warnings.length > 0 && { warnings }) };
  };
}

async function resultOf<T extends KubeObject>(
  { validateCreate, validateUpdate, validateDelete }: Validator<T>,
  request: AdmissionRequest<T>,
): Promise<ValidationResult | undefined> {
  const { operation, object, oldObject } = request;
  if (operation === 'CREATE' && object) return validateCreate?.(object, request);
  if (operation === 'UPDATE' && object && oldObject) return validateUpdate?.(object, oldObject, request);
  if (operation === 'DELETE' && oldObject) return validateDelete?.(oldObject, request);
  return undefined;
}
