import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  regexError,
  requiredField,
} from '@coracle/apimachinery';
import type { PodDNSConfig, PodSpec } from '../../generated/types/core-v1.js';
import { checkValue } from '../../validation/field-checks.js';
import { checkLegacyIp } from '../../validation/ip-checks.js';

/** Limits of the C library's resolver. */
const mostNameservers = 3;
const mostSearches = 32;
const mostSearchCharacters = 2048;

export function validateDns(path: FieldPath, { dnsConfig, dnsPolicy }: PodSpec): FieldError[] {
  if (dnsPolicy === 'None') {
    if (!dnsConfig) return [requiredField(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (!dnsConfig.nameservers?.length) {
      const problem = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [requiredField(path.child('nameservers'), problem)];
    }
  }
  return dnsConfig ? validateConfig(path, dnsConfig) : [];
}

function validateConfig(
  path: FieldPath,
  { nameservers = [], searches = [], options = [] }: PodDNSConfig,
): FieldError[] {
  const errors: FieldError[] = [];
  if (nameservers.length > mostNameservers) {
    const problem = `must not have more than ${mostNameservers} nameservers`;
    errors.push(invalidField(path.child('nameservers'), nameservers, problem));
  }
  errors.push(...nameservers.flatMap((server, index) => checkLegacyIp(path.child('nameservers').index(index), server)));
  return [
    ...errors,
    ...validateSearches(path.child('searches'), searches),
    ...options.flatMap(({ name }, index) =>
      name ? [] : [requiredField(path.child('options').index(index), 'must not be empty')],
    ),
  ];
}

function validateSearches(path: FieldPath, searches: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > mostSearches) {
    errors.push(invalidField(path, searches, `must not have more than ${mostSearches} search paths`));
  }
  if (byteLength(searches.join(' ')) > mostSearchCharacters) {
    const problem = `must not have more than ${mostSearchCharacters} characters (including spaces) in the search list`;
    errors.push(invalidField(path, searches, problem));
  }
  return [
    ...errors,
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : checkValue(path.index(index), search.replace(/\.$/, ''), searchProblems),
    ),
  ];
}

const searchLabel = '[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?';
const searchPattern = `${searchLabel}(\\.${searchLabel})*`;
const searchForm = regexError(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  searchPattern,
  ['example.com'],
);

/** Search paths may have underscores, which names of hosts may not. */
function searchProblems(search: string): string[] {
  const problems = byteLength(search) > 253 ? ['must be no more than 253 characters'] : [];
  return new RegExp(`^${searchPattern}$`).test(search) ? problems : [...problems, searchForm];
}
