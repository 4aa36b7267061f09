import {
  type Cidr,
  cidrContains,
  type FieldError,
  FieldPath,
  forbiddenField,
  formatCidr,
  invalidField,
  isValidPortName,
  maskedCidr,
  notSupportedField,
  parseCidr,
  requiredField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../generated/types/networking-v1.js';
import { checkPortNumber, checkSupported, checkValue } from '../../validation/field-checks.js';
import { checkLegacyCidr } from '../../validation/ip-checks.js';

const specPath = FieldPath.of('spec');
const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

export function validateNetworkPolicy({ spec = {} }: NetworkPolicy): FieldError[] {
  const { ingress = [], egress = [] } = spec;
  return [
    ...validateLabelSelector(spec.podSelector, specPath.child('podSelector')),
    ...ingress.flatMap(({ ports, from }, index) =>
      checkRule(specPath.child('ingress').index(index), { ports, peers: from, peersField: 'from' }),
    ),
    ...egress.flatMap(({ ports, to }, index) =>
      checkRule(specPath.child('egress').index(index), { ports, peers: to, peersField: 'to' }),
    ),
    ...checkPolicyTypes(spec.policyTypes ?? []),
  ];
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[] | undefined;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
  readonly peersField: 'from' | 'to';
}

function checkRule(path: FieldPath, { ports = [], peers = [], peersField }: Rule): FieldError[] {
  return [
    ...ports.flatMap((port, index) => checkPort(path.child('ports').index(index), port)),
    ...peers.flatMap((peer, index) => checkPeer(path.child(peersField).index(index), peer)),
  ];
}

function checkPort(path: FieldPath, { protocol, port, endPort }: NetworkPolicyPort): FieldError[] {
  const errors = protocol === undefined ? [] : checkSupported(path.child('protocol'), protocol, protocols);
  const field = path.child('port');
  const end = path.child('endPort');
  if (typeof port === 'number') {
    errors.push(...checkPortNumber(field, port));
    if (endPort === undefined) return errors;
    if (endPort < port) errors.push(invalidField(end, port, 'must be greater than or equal to `port`'));
    return [...errors, ...checkPortNumber(end, endPort)];
  }
  if (endPort !== undefined) {
    const state = port === undefined ? 'not specified' : 'non-numeric';
    errors.push(invalidField(end, endPort, `may not be specified when \`port\` is ${state}`));
  }
  return port === undefined ? errors : [...errors, ...checkValue(field, port, isValidPortName)];
}

function checkPeer(path: FieldPath, { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, path.child('podSelector')),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
    ...(ipBlock ? checkIpBlock(path.child('ipBlock'), ipBlock) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(requiredField(path, 'must specify a peer'));
  if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbiddenField(path, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function checkIpBlock(path: FieldPath, { cidr, except = [] }: IPBlock): FieldError[] {
  if (!cidr) return [requiredField(path.child('cidr'))];
  const errors = checkLegacyCidr(path.child('cidr'), cidr);
  const block = parseCidr(cidr);
  if (!block) return errors;
  return [
    ...errors,
    ...except.flatMap((range, index) => checkExcept(path.child('except').index(index), range, { cidr, block })),
  ];
}

function checkExcept(
  path: FieldPath,
  range: string,
  { cidr, block }: { readonly cidr: string; readonly block: Cidr },
): FieldError[] {
  const excepted = parseCidr(range);
  if (!excepted) return checkLegacyCidr(path, range);
  const inside = cidrContains(block, excepted.address) && block.prefixLength < excepted.prefixLength;
  if (inside) return [];
  return [invalidField(path, formatCidr(maskedCidr(excepted)), `must be a strict subset of \`cidr\`: ${cidr}`)];
}

function checkPolicyTypes(types: readonly string[]): FieldError[] {
  const path = specPath.child('policyTypes');
  if (types.length > policyTypes.length) {
    return [invalidField(path, types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) =>
    policyTypes.includes(type) ? [] : [notSupportedField(path.index(index), type, policyTypes)],
  );
}
