import { isRecord } from '@coracle/base';

/** What upstream puts before the reason why a body has no kind. */
export const noKind = "couldn't get version/kind; json parse error: ";

/** Why a value has no kind, with upstream's message. */
export function kindProblem(value: unknown): string | undefined {
  if (!isRecord(value)) {
    const fields = 'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\""';
    return `json: cannot unmarshal ${jsonType(value)} into Go value of type struct { ${fields} }`;
  }
  for (const field of ['apiVersion', 'kind']) {
    const stated = value[field] ?? '';
    if (typeof stated !== 'string')
      return `json: cannot unmarshal ${jsonType(stated)} into Go struct field .${field} of type string`;
  }
  return undefined;
}

function jsonType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}
