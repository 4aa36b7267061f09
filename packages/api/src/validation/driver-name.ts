import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';

const maxBytes = 63;

/** The name of a CSI driver: a domain, in any case. */
export function checkDriverName(path: FieldPath, name: string | undefined): FieldError[] {
  if (!name) return [requiredField(path)];
  const errors = byteLength(name) > maxBytes ? [tooLongField(path, maxBytes)] : [];
  const problems = isDns1123Subdomain(name.toLowerCase());
  return [...errors, ...problems.map((problem) => invalidField(path, name, problem))];
}
