import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  regexError,
  requiredField,
} from '@coracle/apimachinery';

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const wholePath = new RegExp(`^${pathPattern}$`);

/** Such as `acme.io/foo`: whose domain keeps names of different makers apart. The part at fault is what is shown. */
export function checkDomainPrefixedPath(path: FieldPath, value: string | undefined): FieldError[] {
  if (!value) return [requiredField(path)];
  const slash = value.indexOf('/');
  const domain = value.slice(0, Math.max(slash, 0));
  const rest = value.slice(slash + 1);
  if (domain === '' || rest === '') {
    return [invalidField(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = isDns1123Subdomain(domain).map((problem) => invalidField(path, domain, problem));
  if (!wholePath.test(rest)) errors.push(invalidField(path, rest, regexError('Invalid path', pathPattern, [])));
  return errors;
}
