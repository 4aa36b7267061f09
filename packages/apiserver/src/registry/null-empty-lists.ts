import { isRecord } from '@coracle/base';

/**
 * Lists that are serialized even if they are empty are read from upstream's store as `null`, because protobuf does not
 * distinguish an empty list from none. Example of `paths`: `spec.drivers.topologyKeys`.
 */
export function nullEmptyLists(...paths: string[]): (object: object) => void {
  const steps = paths.map((path) => path.split('.'));
  return (object) => {
    for (const path of steps) nullAt(object, path);
  };
}

function nullAt(value: unknown, [field, ...rest]: readonly string[]): void {
  if (Array.isArray(value)) for (const item of value) nullAt(item, [field ?? '', ...rest]);
  if (!isRecord(value) || field === undefined) return;
  const found = value[field];
  if (rest.length > 0) nullAt(found, rest);
  else if (Array.isArray(found) && found.length === 0) value[field] = null;
}
