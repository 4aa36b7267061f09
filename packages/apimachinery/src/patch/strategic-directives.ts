import { badRequest, type StatusError } from '../status-error.js';

/** The keys with which a strategic merge patch says more than values can. */
export const patchDirective = '$patch';
export const retainKeysDirective = '$retainKeys';
const deleteFromPrefix = '$deleteFromPrimitiveList';
const elementOrderPrefix = '$setElementOrder';

export const deleteFromKey = (field: string): string => `${deleteFromPrefix}/${field}`;
export const elementOrderKey = (field: string): string => `${elementOrderPrefix}/${field}`;

export function isDeleteFrom(key: string): boolean {
  return key.startsWith(deleteFromPrefix);
}

export function isElementOrder(key: string): boolean {
  return key.startsWith(elementOrderPrefix);
}

/** `$deleteFromPrimitiveList/finalizers` → `finalizers`. */
export function deleteFromField(key: string): string {
  if (!key.startsWith(`${deleteFromPrefix}/`)) throw badPrimitiveList();
  return key.slice(deleteFromPrefix.length + 1);
}

/** `$setElementOrder/containers` → `containers`. */
export function elementOrderField(key: string): string {
  if (!key.startsWith(`${elementOrderPrefix}/`)) throw badElementOrder();
  return key.slice(elementOrderPrefix.length + 1);
}

function badPrimitiveList(): StatusError {
  return badRequest('invalid patch format of primitive list');
}

export function badElementOrder(): StatusError {
  return badRequest('invalid patch format of setElementOrder list');
}

export function badRetainKeys(): StatusError {
  return badRequest('invalid patch format of retainKeys');
}
