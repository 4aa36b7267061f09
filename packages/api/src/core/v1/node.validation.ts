import {
  byteLength,
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  parseCidr,
  requiredField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ConfigMapNodeConfigSource, Node, NodeConfigSource } from '../../generated/types/core-v1.js';
import { checkItems, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkLegacyCidr } from '../../validation/ip-checks.js';
import { checkResourceQuantity } from '../../validation/resource-quantity.js';
import { checkTaints } from './taints.js';

// Upstream reports taints under metadata, where they once were an annotation.
const taintsPath = FieldPath.of('metadata', 'taints');
const podCidrsPath = FieldPath.of('spec', 'podCIDRs');

export function validateNode(node: Node): FieldError[] {
  return [
    ...checkTaints(taintsPath, node.spec?.taints ?? []),
    ...checkResources(node),
    ...checkSwap(node),
    ...checkDeclaredFeatures(node),
    ...checkPodCidrs(node),
  ];
}

export function validateNodeUpdate(node: Node, previous: Node): FieldError[] {
  return [
    // Upstream checks the whole node first and then the change, which repeats some field errors.
    ...validateNode(node),
    ...checkResources(node),
    ...checkDeclaredFeatures(node),
    ...checkAddresses(node),
    ...checkFixedFields(node, previous),
    ...checkConfigSource(node),
    ...checkTaints(taintsPath, node.spec?.taints ?? []),
    ...checkExternalId(node, previous),
  ];
}

function checkResources({ status = {} }: Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, quantity]) =>
      checkResourceQuantity(FieldPath.of('status', list, name), name, quantity),
    ),
  );
}

function checkPodCidrs({ spec = {} }: Node): FieldError[] {
  const cidrs = spec.podCIDRs ?? [];
  const errors = cidrs.flatMap((cidr, index) => checkLegacyCidr(podCidrsPath.index(index), cidr));
  if (cidrs.length < 2) return errors;
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.family));
  if (families.size < 2 || cidrs.length > 2) {
    errors.push(invalidField(podCidrsPath, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

/** Upstream reports this under metadata too. */
function checkSwap({ status }: Node): FieldError[] {
  const capacity = status?.nodeInfo?.swap?.capacity;
  if (capacity === undefined || capacity > 0) return [];
  return [invalidField(FieldPath.of('metadata', 'nodeSwapStatus', 'capacity'), capacity, 'must be greater than zero')];
}

const featureName = /^[A-Z][0-9A-Za-z]*(\/[0-9A-Za-z]+)*$/;

/** What a kubelet can do, in order, so that lists compare. */
function checkDeclaredFeatures({ status }: Node): FieldError[] {
  const path = FieldPath.of('status', 'declaredFeatures');
  return checkItems(path, status?.declaredFeatures, (itemPath, name, index) => {
    const before = status?.declaredFeatures?.[index - 1];
    const errors = checkValue(itemPath, name, featureNameProblems);
    if (before === name) return [duplicateField(itemPath, name), ...errors];
    if (before === undefined || before < name) return errors;
    return [invalidField(itemPath, name, 'list must be sorted alphabetically'), ...errors];
  });
}

function featureNameProblems(name: string): string[] {
  const named = `invalid feature name ${JSON.stringify(name)}`;
  if (byteLength(name) > 253) return [`${named}: must be no more than 253 characters`];
  if (featureName.test(name)) return [];
  return [
    `${named}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
  ];
}

function checkAddresses({ status = {} }: Node): FieldError[] {
  const addresses = status.addresses ?? [];
  return addresses.flatMap((address, index) =>
    addresses.slice(0, index).some((other) => deepEqual(other, address))
      ? [duplicateField(FieldPath.of('status', 'addresses').index(index), goValue('core-v1/NodeAddress', address))]
      : [],
  );
}

/** What controllers set once: a node that moved to another address range or machine is another node. */
function checkFixedFields({ spec = {} }: Node, { spec: previous = {} }: Node): FieldError[] {
  const errors: FieldError[] = [];
  if (previous.podCIDRs?.length && !deepEqual(spec.podCIDRs, previous.podCIDRs)) {
    errors.push(forbiddenField(podCidrsPath, 'node updates may not change podCIDR except from "" to valid'));
  }
  if (previous.providerID && spec.providerID !== previous.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbiddenField('spec.providerID', detail));
  }
  return errors;
}

function checkExternalId({ spec = {} }: Node, { spec: previous = {} }: Node): FieldError[] {
  if ((spec.externalID ?? '') === (previous.externalID ?? '')) return [];
  return [forbiddenField('spec.externalID', 'may not be updated')];
}

/** Dynamic kubelet configuration was removed, but the field is still validated. */
function checkConfigSource({ spec = {}, status = {} }: Node): FieldError[] {
  const errors = spec.configSource ? checkSource(FieldPath.of('spec', 'configSource'), spec.configSource, 'spec') : [];
  for (const name of ['assigned', 'active', 'lastKnownGood'] as const) {
    const source = status.config?.[name];
    if (source) errors.push(...checkSource(FieldPath.of('status', 'config', name), source, 'status'));
  }
  return errors;
}

function checkSource(path: FieldPath, source: NodeConfigSource, place: 'spec' | 'status'): FieldError[] {
  const { configMap } = source;
  if (configMap) return checkConfigMapSource(path.child('configMap'), configMap, place);
  const shown = goValue('core-v1/NodeConfigSource', source);
  return [invalidField(path, shown, 'exactly one reference subfield must be non-nil')];
}

function checkConfigMapSource(
  path: FieldPath,
  source: ConfigMapNodeConfigSource,
  place: 'spec' | 'status',
): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['uid', 'resourceVersion'] as const) {
    if (place === 'spec' && source[name])
      errors.push(forbiddenField(path.child(name), `${name} must not be set in spec`));
    if (place === 'status' && !source[name]) errors.push(requiredField(path.child(name)));
  }
  const checks = { namespace: isDns1123Label, name: isDns1123Subdomain, kubeletConfigKey: isConfigMapKey };
  for (const [name, check] of Object.entries(checks)) {
    const value = source[name as keyof typeof checks];
    if (value) errors.push(...checkValue(path.child(name), value, check));
    else errors.push(requiredField(path.child(name)));
  }
  return errors;
}
