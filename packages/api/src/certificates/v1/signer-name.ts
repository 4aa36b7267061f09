import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';

const maxDomainBytes = 253;
const maxSignerBytes = 571;

/** `example.com/signer-name`: a domain and a name with dots. */
export function checkSignerName(path: FieldPath, signerName: string | undefined): FieldError[] {
  if (!signerName) return [requiredField(path)];
  const segments = signerName.split('/');
  const [domain = '', name = ''] = segments;
  if (segments.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(path, signerName, detail)];
  }
  const labels = domain.split('.');
  const errors = byteLength(domain) > maxDomainBytes ? [tooLongField(path, maxDomainBytes)] : [];
  if (labels.length < 2) {
    errors.push(invalidField(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  errors.push(...checkLabels(path, domain, isDns1123Label));
  errors.push(...checkLabels(path, name, isDns1123Subdomain));
  if (byteLength(name) > maxSignerBytes - maxDomainBytes) errors.push(tooLongField(path, maxSignerBytes));
  return errors;
}

function checkLabels(path: FieldPath, segment: string, check: (label: string) => string[]): FieldError[] {
  return segment
    .split('.')
    .flatMap((label) =>
      check(label).map((problem) => invalidField(path, segment, `validating label "${label}": ${problem}`)),
    );
}
