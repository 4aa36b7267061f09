import { JsonPath } from './json-path.js';

/**
 * Reads the first value at a path, as CRDs name fields: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`. `undefined` where an object has none; so for all objects if the
 * path is malformed, which a CRD that another server has stored may have.
 */
export function fieldReader(path: string): (object: unknown) => unknown {
  const parsed = parse(path);
  return (object) => {
    try {
      return parsed?.find(object)[0];
    } catch {
      // An index into a value that is not a list.
      return undefined;
    }
  };
}

function parse(path: string): JsonPath | undefined {
  try {
    return new JsonPath(`{${path}}`, { allowMissing: true });
  } catch {
    return undefined;
  }
}
