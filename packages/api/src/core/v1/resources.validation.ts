import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  notFoundField,
  notSupportedField,
  parseQuantity,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { ResourceClaim, ResourceRequirements } from '../../generated/types/core-v1.js';
import { checkValue, concat } from '../../validation/field-checks.js';
import { compareQuantities } from '../../validation/quantities.js';
import {
  checkContainerResourceName,
  checkResourceName,
  isHugePageResource,
  isOvercommitAllowed,
} from '../../validation/resource-names.js';
import { checkResourceQuantity } from '../../validation/resource-quantity.js';

type NameCheck = (path: FieldPath, name: string) => FieldError[];

export interface ResourcesContext {
  /** Names of the pod's resource claims, which containers may refer to. */
  readonly claimNames: ReadonlySet<string>;
  readonly checkName?: NameCheck;
}

export function validateResourceRequirements(
  path: FieldPath,
  requirements: ResourceRequirements = {},
  { claimNames, checkName = checkContainerResourceName }: ResourcesContext = { claimNames: new Set() },
): FieldError[] {
  return concat(
    validateAmounts(path.child('limits'), requirements.limits, checkName),
    validateRequests(path, requirements, checkName),
    validateHugePages(path, requirements),
    validateClaims(path.child('claims'), requirements.claims ?? [], claimNames),
  );
}

/** Resources of the pod as a whole, of which there are fewer kinds. */
export function checkPodResourceName(path: FieldPath, name: string): FieldError[] {
  const errors = checkResourceName(path, name);
  if (errors.length > 0) return errors;
  const supported = name === 'cpu' || name === 'memory' || isHugePageResource(name);
  return supported ? [] : [notSupportedField(path, name, ['cpu', 'hugepages-', 'memory'])];
}

type Amounts = Readonly<Record<string, string>>;

/** The names of resources in order, in which field errors are reported. */
function sortedNames(list: Amounts): string[] {
  const names = Object.keys(list);
  for (let i = 1; i < names.length; i++) if ((names[i - 1] as string) > (names[i] as string)) return names.sort();
  return names;
}

function validateAmounts(path: FieldPath, list: Amounts | undefined = {}, checkName: NameCheck): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of sortedNames(list)) {
    const quantity = list[name] as string;
    const amountPath = path.key(name);
    errors.push(
      ...checkName(amountPath, name),
      ...checkResourceQuantity(amountPath, name, quantity),
      ...validatePages(amountPath, name, quantity),
    );
  }
  return errors;
}

function validateRequests(
  path: FieldPath,
  { requests = {}, limits }: ResourceRequirements,
  checkName: NameCheck,
): FieldError[] {
  const requestsPath = path.child('requests');
  const errors: FieldError[] = [];
  for (const name of sortedNames(requests)) {
    const request = requests[name] as string;
    const amountPath = requestsPath.key(name);
    errors.push(
      ...checkName(amountPath, name),
      ...checkResourceQuantity(amountPath, name, request),
      ...validateAgainstLimit(path, name, { request, limit: limits && ownValue(limits, name) }),
      ...validatePages(amountPath, name, request),
    );
  }
  return errors;
}

function validateAgainstLimit(
  path: FieldPath,
  name: string,
  { request, limit }: { request: string; limit: string | undefined },
): FieldError[] {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (overcommit) return [];
    return [requiredField(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !overcommit) {
    return [invalidField(path.child('requests'), request, `must be equal to ${name} limit of ${limit}`)];
  }
  if (order <= 0) return [];
  return [invalidField(path.child('requests'), request, `must be less than or equal to ${name} limit of ${limit}`)];
}

/** An amount of huge pages is a whole number of pages; `hugepages-2Mi` says how large one is. */
function validatePages(path: FieldPath, name: string, quantity: string): FieldError[] {
  if (!isHugePageResource(name)) return [];
  const amount = parseQuantity(quantity).nanos;
  const page = pageSize(name);
  if (page !== undefined && amount % page === 0n) return [];
  const problem = `${quantity} is not positive integer multiple of ${name}`;
  return scoped([invalidField(path, quantity, problem)], { newRule: 'whole huge pages' });
}

function pageSize(name: string): bigint | undefined {
  try {
    const { nanos } = parseQuantity(name.slice('hugepages-'.length));
    return nanos > 0n ? nanos : undefined;
  } catch {
    return undefined;
  }
}

function validateHugePages(path: FieldPath, { limits = {}, requests = {} }: ResourceRequirements): FieldError[] {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const hasPagesOnly = names.some(isHugePageResource) && !names.some((name) => name === 'cpu' || name === 'memory');
  return hasPagesOnly ? [forbiddenField(path, 'HugePages require cpu or memory')] : [];
}

function validateClaims(
  path: FieldPath,
  claims: readonly ResourceClaim[],
  claimNames: ReadonlySet<string>,
): FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap((claim, index) => {
    const itemPath = path.index(index);
    const { name = '' } = claim;
    if (name === '') return [requiredField(itemPath)];
    const errors = validateClaimOnce(itemPath, claim, seen);
    return claimNames.has(name) ? errors : [...errors, unknownClaim(itemPath, name, claimNames)];
  });
}

/** A claim may be named once, or several times with different requests of it. */
function validateClaimOnce(path: FieldPath, { name, request }: ResourceClaim, seen: Set<string>): FieldError[] {
  if (seen.has(name)) return [duplicateField(path, name)];
  const key = request ? `${name}/${request}` : name;
  const errors = request ? checkValue(path.child('request'), request, isDns1123Label) : [];
  if (seen.has(key)) errors.push(duplicateField(path, key));
  else if (!request && [...seen].some((other) => other.startsWith(`${name}/`))) errors.push(duplicateField(path, name));
  seen.add(key);
  return errors;
}

function unknownClaim(path: FieldPath, name: string, claimNames: ReadonlySet<string>): FieldError {
  const names = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
  const { type, field, body } = notFoundField(path, name);
  return { type, field, body: `${body}: must be one of the names in pod.spec.resourceClaims${names}` };
}
