import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  parseIp,
  requiredField,
} from '@coracle/apimachinery';
import { protocols } from '../../core/v1/endpoints.validation.js';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../generated/types/discovery-v1.js';
import {
  checkGivenSupported,
  checkImmutable,
  checkMaxItems,
  checkRequiredSupported,
  checkValue,
} from '../../validation/field-checks.js';
import { checkLegacyIp, checkNonSpecialIp } from '../../validation/ip-checks.js';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const addressTypePath = FieldPath.of('addressType');
const limits = { endpoints: 1000, ports: 20_000, addresses: 100, hints: 8 };

export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const { addressType } = slice;
  const endpoints = slice.endpoints ?? [];
  const endpointsPath = FieldPath.of('endpoints');
  return [
    ...checkRequiredSupported(addressTypePath, addressType, addressTypes),
    ...checkMaxItems(endpointsPath, endpoints, limits.endpoints),
    ...endpoints.flatMap((one, index) => checkEndpoint(endpointsPath.index(index), one, addressType)),
    ...checkPorts(FieldPath.of('ports'), slice.ports ?? []),
  ];
}

export function validateEndpointSliceUpdate(slice: EndpointSlice, previous: EndpointSlice): FieldError[] {
  return [...validateEndpointSlice(slice), ...checkImmutable(addressTypePath, slice.addressType, previous.addressType)];
}

function checkEndpoint(path: FieldPath, endpoint: Endpoint, type: string): FieldError[] {
  const { nodeName, hostname, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const field = path.child('addresses');
  const missing = addresses.length === 0 ? [requiredField(field, 'must contain at least 1 address')] : [];
  return [
    ...missing,
    ...checkMaxItems(field, addresses, limits.addresses),
    ...addresses.flatMap((address, index) => checkAddress(field.index(index), address, type)),
    ...(nodeName === undefined ? [] : checkValue(path.child('nodeName'), nodeName, isDns1123Subdomain)),
    ...(hostname === undefined ? [] : checkValue(path.child('hostname'), hostname, isDns1123Label)),
    ...(hints ? checkHints(path.child('hints'), hints) : []),
  ];
}

function checkAddress(path: FieldPath, address: string, type: string): FieldError[] {
  if (type === 'FQDN') return checkFullName(path, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = checkLegacyIp(path, address);
  if (errors.length > 0) return errors;
  if (parseIp(address)?.family !== (type === 'IPv6' ? 6 : 4)) {
    return [invalidField(path, address, `must be an ${type} address`)];
  }
  return checkNonSpecialIp(path, address);
}

function checkFullName(path: FieldPath, name: string): FieldError[] {
  if (name === '') return [requiredField(path)];
  const complete = name.replace(/\.$/, '');
  const problems = isDns1123Subdomain(complete);
  if (problems.length > 0) return [invalidField(path, complete, problems.join(','))];
  const labels = complete.split('.');
  if (labels.length < 2) {
    return [invalidField(path, complete, 'should be a domain with at least two segments separated by dots')];
  }
  return labels.flatMap((label) => checkValue(path, label, isDns1123Label));
}

function checkHints(path: FieldPath, { forZones = [], forNodes = [] }: EndpointHints): FieldError[] {
  return [
    ...checkHintNames(path.child('forZones'), forZones, isLabelValue),
    ...checkHintNames(path.child('forNodes'), forNodes, isDns1123Subdomain),
  ];
}

function checkHintNames(
  path: FieldPath,
  hints: readonly { readonly name: string }[],
  check: (name: string) => string[],
): FieldError[] {
  const tooMany = checkMaxItems(path, hints, limits.hints);
  if (tooMany.length > 0) return tooMany;
  const names = hints.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const field = path.index(index).child('name');
    const repeated = names.indexOf(name) < index ? [duplicateField(field, name)] : [];
    return [...repeated, ...checkValue(field, name, check)];
  });
}

function checkPorts(path: FieldPath, ports: readonly EndpointPort[]): FieldError[] {
  const names = new Set<string>();
  const errors = checkMaxItems(path, ports, limits.ports);
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    const at = path.index(index);
    if (name !== '') errors.push(...checkValue(at.child('name'), name, isDns1123Label));
    if (names.has(name)) errors.push(duplicateField(at.child('name'), name));
    names.add(name);
    errors.push(...checkGivenSupported(at.child('protocol'), protocol, protocols));
    if (appProtocol !== undefined) errors.push(...checkValue(at.child('appProtocol'), appProtocol, isQualifiedName));
  }
  return errors;
}
