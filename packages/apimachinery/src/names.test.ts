import { describe, expect, test } from 'vitest';
import {
  byteLength,
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDomainPrefixedPath,
  isHttpHeaderName,
  isLabelValue,
  isPathSegmentName,
  isPercent,
  isQualifiedName,
  isRelaxedEnvVarName,
  isValidPortName,
  isWildcardDns1123Subdomain,
  validateDnsLabelName,
  validatePathSegmentName,
} from './names.js';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

describe('the messages of each check', () => {
  const cases = [
    { check: isDns1123Subdomain, value: '../y', problems: [subdomain] },
    { check: isDns1123Subdomain, value: '', problems: [subdomain] },
    { check: isDns1123Subdomain, value: 'a'.repeat(254), problems: ['must be no more than 253 characters'] },
    { check: isDns1123Label, value: '-x', problems: [label] },
    { check: isDns1123Label, value: 'a.b', problems: ['must not contain dots'] },
    { check: isDns1123Label, value: `${'a'.repeat(63)}-`, problems: ['must be no more than 63 characters', label] },
    { check: isQualifiedName, value: '', problems: ['name part must be non-empty', namePart] },
    { check: isQualifiedName, value: 'a'.repeat(64), problems: ['name part must be no more than 63 bytes'] },
    { check: isQualifiedName, value: '/a', problems: ['prefix part must be non-empty'] },
    { check: isQualifiedName, value: 'A/a', problems: [`prefix part ${subdomain}`] },
    { check: isQualifiedName, value: '__proto__', problems: [namePart] },
    { check: isLabelValue, value: 'a,b', problems: [labelValue] },
    { check: isLabelValue, value: 'a\n', problems: [labelValue] },
    { check: isLabelValue, value: 'a'.repeat(64), problems: ['must be no more than 63 bytes'] },
    { check: isPercent, value: '10', problems: [percent] },
    { check: isPathSegmentName, value: '..', problems: ["may not be '..'"] },
    { check: isPathSegmentName, value: 'a/b%', problems: ["may not contain '/'", "may not contain '%'"] },
    { check: isValidPortName, value: '1', problems: ['must contain at least one letter (a-z)'] },
    { check: isValidPortName, value: 'a--b', problems: ['must not contain consecutive hyphens'] },
    { check: isDomainPrefixedPath, value: 'abc', problems: ['must be a domain-prefixed path (such as "acme.io/foo")'] },
  ];

  test.each(cases)('$check.name of "$value"', ({ check, value, problems }) => {
    expect(check(value)).toEqual(problems);
  });

  test('a qualified name with two slashes is rejected as a whole', () => {
    expect(isQualifiedName('a/b/c')).toEqual([
      expect.stringMatching(/^a valid label key must consist of .*'example.com\/MyName'\)$/),
    ]);
  });
});

describe('accepted names', () => {
  const cases = [
    { check: isDns1123Subdomain, values: ['a', '1', 'a-b.c', 'a'.repeat(253)] },
    { check: isDns1123Label, values: ['a', '1', 'a-b', 'a'.repeat(63)] },
    { check: isDns1035Label, values: ['a', 'a1-b'] },
    { check: isWildcardDns1123Subdomain, values: ['*.example.com'] },
    { check: isQualifiedName, values: ['a', 'A_b.c', 'example.com/A', '1'] },
    { check: isLabelValue, values: ['', 'a', 'My_value.1', 'a'.repeat(63)] },
    { check: isConfigMapKey, values: ['a', 'file.txt', '-', '__proto__'] },
    { check: isRelaxedEnvVarName, values: ['1 a!', 'x/y'] },
    { check: isCIdentifier, values: ['_a', 'A1'] },
    { check: isHttpHeaderName, values: ['X-Header'] },
    { check: isValidPortName, values: ['http', 'a-1', 'x'.repeat(15)] },
    { check: isDomainPrefixedPath, values: ['acme.io/foo', 'acme.io/foo/bar'] },
    { check: isPercent, values: ['0%', '100%'] },
  ];

  test.each(cases)('$check.name', ({ check, values }) => {
    expect(values.flatMap((value) => check(value))).toEqual([]);
  });
});

describe('rejected names', () => {
  const cases = [
    { check: isDns1035Label, values: ['1a', 'A', 'a.b', ''] },
    { check: isWildcardDns1123Subdomain, values: ['example.com', '*', '*.'] },
    { check: isConfigMapKey, values: ['', '.', '..', '..a', 'a b', 'a'.repeat(254)] },
    { check: isRelaxedEnvVarName, values: ['', 'a=b', 'ä'] },
    { check: isCIdentifier, values: ['1a', 'a-b'] },
    { check: isHttpHeaderName, values: ['a_b', ''] },
    { check: isValidPortName, values: ['', 'A', '-a', 'a-', 'x'.repeat(16)] },
  ];

  test.each(cases)('$check.name', ({ check, values }) => {
    expect(values.filter((value) => check(value).length === 0)).toEqual([]);
  });
});

test('a prefix of a name may end in a dash, a name may not', () => {
  expect(validateDnsLabelName('web-', true)).toEqual([]);
  expect(validateDnsLabelName('web-', false)).toEqual([label]);
  expect(validatePathSegmentName('..', true)).toEqual([]);
});

test('lengths are counted in UTF-8', () => {
  expect([byteLength('abc'), byteLength('ä'), byteLength('😀')]).toEqual([3, 2, 4]);
});
