import { forbidden, type StatusError } from '@coracle/apimachinery';
import type { AdmissionAttributes } from './admission.js';

/** The Forbidden error of a plugin. An object without a name is named by its `generateName`. */
export function refusal({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: objectName, generateName } = object?.metadata ?? {};
  return forbidden(resource, name || objectName || generateName || 'Unknown', why);
}
