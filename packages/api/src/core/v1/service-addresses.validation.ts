import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  notSupportedField,
  parseIp,
  requiredField,
} from '@coracle/apimachinery';
import type { Service } from '../../generated/types/core-v1.js';
import { checkSupported } from '../../validation/field-checks.js';
import { checkLegacyIp } from '../../validation/ip-checks.js';
import { isHeadless } from './service-traits.js';

const clusterIpsPath = FieldPath.of('spec', 'clusterIPs');
const familiesPath = FieldPath.of('spec', 'ipFamilies');
const policyPath = FieldPath.of('spec', 'ipFamilyPolicy');
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const families = ['IPv4', 'IPv6'];

/**
 * `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`, each alone and together. Checked before anything is
 * allocated.
 */
export function checkServiceAddresses(service: Service): FieldError[] {
  const { spec = {} } = service;
  if (spec.type === 'ExternalName') return [];
  const errors = [...checkFirstAddress(service), ...checkFamilies(spec.ipFamilies)];
  if (spec.ipFamilyPolicy !== undefined) errors.push(...checkSupported(policyPath, spec.ipFamilyPolicy, policies));
  const addressErrors = checkAddresses(spec.clusterIPs);
  errors.push(...addressErrors);
  if ((spec.clusterIPs ?? []).length > 2) {
    errors.push(invalidField(clusterIpsPath, spec.clusterIPs, 'may only hold up to 2 values'));
  }
  return addressErrors.length > 0 ? errors : [...errors, ...checkStack(service)];
}

function checkFirstAddress({ spec = {} }: Service): FieldError[] {
  const { clusterIP, clusterIPs = [] } = spec;
  if (!clusterIP) {
    if (clusterIPs.length === 0) return [];
    return [invalidField(clusterIpsPath, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [requiredField(clusterIpsPath)];
  if (clusterIPs[0] === clusterIP) return [];
  return [invalidField(clusterIpsPath, clusterIPs, 'first value must match `clusterIP`')];
}

function checkFamilies(familyNames: readonly string[] = []): FieldError[] {
  return familyNames.flatMap((family, index) => [
    ...(families.includes(family) ? [] : [notSupportedField(familiesPath.index(index), family, families)]),
    ...(familyNames.indexOf(family) < index ? [duplicateField(familiesPath.index(index), family)] : []),
  ]);
}

function checkAddresses(addresses: readonly string[] = []): FieldError[] {
  return addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') return checkLegacyIp(clusterIpsPath.index(index), address);
    if (addresses.length === 1) return [];
    return [invalidField(clusterIpsPath, addresses, "'None' must be the first and only value")];
  });
}

function checkStack(service: Service): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = service.spec ?? {};
  const errors: FieldError[] = [];
  const found = clusterIPs.map((address) => (parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4'));
  if (clusterIPs.length > 1 && new Set(found).size < 2) {
    errors.push(invalidField(clusterIpsPath, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(service)) return errors;
  for (const [index, address] of clusterIPs.entries()) {
    const family = ipFamilies[index];
    if (family === undefined || !families.includes(family) || family === found[index]) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidField(clusterIpsPath.index(index), address, detail));
  }
  return errors;
}

/** Addresses stay; a second one may be added, or given up together with the second family. */
export function checkServiceAddressChange(service: Service, previous: Service): FieldError[] {
  if (service.spec?.type === 'ExternalName' || previous.spec?.type === 'ExternalName') return [];
  return [...checkClusterIpChange(service, previous), ...checkFamilyChange(service, previous)];
}

function checkClusterIpChange(service: Service, previous: Service): FieldError[] {
  if (isHeadless(service) && isHeadless(previous)) return [];
  const { clusterIPs = [] } = service.spec ?? {};
  const { clusterIPs: before = [] } = previous.spec ?? {};
  const changed = (index: number) => invalidField(clusterIpsPath.index(index), clusterIPs, 'may not change once set');
  if (clusterIPs.length === before.length) {
    return before.flatMap((address, index) => (address === clusterIPs[index] ? [] : [changed(index)]));
  }
  const errors: FieldError[] = [];
  if (clusterIPs.length === 0) {
    errors.push(invalidField(clusterIpsPath.index(0), service.spec?.clusterIPs, 'primary clusterIP can not be unset'));
  } else if (before.length > 0 && clusterIPs[0] !== before[0]) errors.push(changed(0));
  if (clusterIPs.length === 1 && before.length > 1) errors.push(...requireSingleStack(service, 'clusterIP'));
  return errors;
}

function checkFamilyChange(service: Service, previous: Service): FieldError[] {
  if (isHeadless(service) || isHeadless(previous)) return [];
  const { clusterIPs = [], ipFamilies = [] } = service.spec ?? {};
  const { ipFamilies: before = [] } = previous.spec ?? {};
  const changed = (shown: unknown) => invalidField(familiesPath.index(0), shown, 'may not change once set');
  if (ipFamilies.length === before.length) {
    return before.flatMap((family, index) => (family === ipFamilies[index] ? [] : [changed(ipFamilies)]));
  }
  const errors: FieldError[] = [];
  if (ipFamilies.length < before.length && clusterIPs.length === 0) {
    errors.push(invalidField(familiesPath.index(0), service.spec?.ipFamilies, 'primary ipFamily can not be unset'));
  }
  if (ipFamilies.length > 0 && before.length > 0 && ipFamilies[0] !== before[0]) errors.push(changed(clusterIPs));
  if (ipFamilies.length === 1 && before.length > 1) errors.push(...requireSingleStack(service, 'ipFamily'));
  return errors;
}

function requireSingleStack({ spec = {} }: Service, released: string): FieldError[] {
  if (spec.ipFamilyPolicy === 'SingleStack') return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${released}`;
  return [invalidField(policyPath, spec.ipFamilyPolicy, detail)];
}
