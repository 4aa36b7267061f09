import { forbidden, type StatusError } from '@coracle/apimachinery';
import type { AdmissionAttributes } from './admission.js';

/** Why a plugin does not admit something. What has no name yet is called by the beginning of the one it will get. */
export function refusal({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: objectName, generateName } = object?.metadata ?? {};
  return forbidden(resource, name || objectName || generateName || 'Unknown', why);
}
