import {
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidPortName,
  parseIp,
  requiredField,
  validateLabels,
} from '@coracle/apimachinery';
import type { Service, ServicePort, SessionAffinityConfig } from '../../generated/types/core-v1.js';
import { checkPortNumber, checkRequiredSupported, checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkLegacyCidr, checkLegacyIp, checkNonSpecialIp } from '../../validation/ip-checks.js';
import { protocols } from './endpoints.validation.js';
import { checkServiceAddressChange, checkServiceAddresses } from './service-addresses.validation.js';
import { isExternallyAccessible, isHeadless, needsHealthCheck } from './service-traits.js';

const specPath = FieldPath.of('spec');
const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const trafficPolicies = ['Cluster', 'Local'];
const trafficDistributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const maxAffinitySeconds = 86_400;
const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

/** Addresses come first and alone: upstream looks at them when it allocates, before it validates the rest. */
export function validateService(service: Service): FieldError[] {
  const errors = checkServiceAddresses(service);
  return errors.length > 0 ? errors : checkService(service);
}

export function validateServiceUpdate(service: Service, previous: Service): FieldError[] {
  const early = checkServiceAddresses(service);
  if (early.length > 0) return early;
  return [
    ...checkServiceAddressChange(service, previous),
    ...checkLoadBalancerClassChange(service, previous),
    ...checkHealthCheckPortChange(service, previous),
    ...checkService(service),
  ];
}

function checkService(service: Service): FieldError[] {
  const { spec = {} } = service;
  const ports = spec.ports ?? [];
  return [
    ...checkTopologyAnnotations(service),
    ...requirePorts(service),
    ...checkByType(service),
    ...checkPorts(ports),
    ...validateLabels(spec.selector, specPath.child('selector')),
    ...checkAffinity(service),
    ...checkExternalIps(service),
    ...checkRequiredSupported(specPath.child('type'), spec.type, serviceTypes),
    ...checkNodePorts(service),
    ...checkDuplicatePorts(ports),
    ...checkSourceRanges(service),
    ...checkNodePortAllocation(service),
    ...checkLoadBalancerClass(service),
    ...checkExternalTraffic(service),
    ...checkInternalTraffic(service),
    ...(spec.trafficDistribution === undefined
      ? []
      : checkSupported(specPath.child('trafficDistribution'), spec.trafficDistribution, trafficDistributions)),
  ];
}

const topologyMode = 'service.kubernetes.io/topology-mode';
const topologyHints = 'service.kubernetes.io/topology-aware-hints';

function checkTopologyAnnotations({ metadata }: Service): FieldError[] {
  const mode = metadata.annotations?.[topologyMode];
  const hints = metadata.annotations?.[topologyHints];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const path = FieldPath.of('metadata', 'annotations').key(topologyMode);
  return [invalidField(path, mode, `must match annotations[${topologyHints}] when both are specified`)];
}

function requirePorts(service: Service): FieldError[] {
  const { spec = {} } = service;
  if (spec.ports?.length || isHeadless(service) || spec.type === 'ExternalName') return [];
  return [requiredField(specPath.child('ports'))];
}

function checkByType(service: Service): FieldError[] {
  const { spec = {} } = service;
  switch (spec.type) {
    case 'LoadBalancer':
    case 'NodePort': {
      if (!isHeadless(service)) return [];
      const detail = `may not be set to 'None' for ${spec.type} services`;
      return [invalidField(specPath.child('clusterIPs').index(0), spec.clusterIPs?.[0], detail)];
    }
    case 'ExternalName':
      return checkExternalName(service);
    default:
      return [];
  }
}

function checkExternalName({ spec = {} }: Service): FieldError[] {
  const unset = 'may not be set for ExternalName services';
  const errors: FieldError[] = [];
  if (spec.clusterIPs?.length) errors.push(forbiddenField(specPath.child('clusterIPs'), unset));
  if (spec.ipFamilies?.length) errors.push(forbiddenField(specPath.child('ipFamilies'), unset));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbiddenField(specPath.child('ipFamilyPolicy'), unset));
  // A trailing dot says that the name is complete.
  const name = spec.externalName?.replace(/\.$/, '') ?? '';
  const path = specPath.child('externalName');
  return [...errors, ...(name === '' ? [requiredField(path)] : checkValue(path, name, isDns1123Subdomain))];
}

function checkPorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = specPath.child('ports').index(index);
    const errors: FieldError[] = [];
    const { name = '' } = port;
    if (name === '' && ports.length > 1) errors.push(requiredField(path.child('name')));
    if (name !== '') {
      errors.push(...checkValue(path.child('name'), name, isDns1123Label));
      if (names.has(name)) errors.push(duplicateField(path.child('name'), name));
      names.add(name);
    }
    return [...errors, ...checkPort(path, port)];
  });
}

function checkPort(path: FieldPath, { port, protocol, targetPort = 0, appProtocol }: ServicePort): FieldError[] {
  return [
    ...checkPortNumber(path.child('port'), port),
    ...checkRequiredSupported(path.child('protocol'), protocol, protocols),
    ...(typeof targetPort === 'number'
      ? checkPortNumber(path.child('targetPort'), targetPort)
      : checkValue(path.child('targetPort'), targetPort, isValidPortName)),
    ...(appProtocol === undefined ? [] : checkValue(path.child('appProtocol'), appProtocol, isQualifiedName)),
  ];
}

function checkAffinity({ spec = {} }: Service): FieldError[] {
  const path = specPath.child('sessionAffinityConfig');
  const errors = checkRequiredSupported(specPath.child('sessionAffinity'), spec.sessionAffinity, ['ClientIP', 'None']);
  if (spec.sessionAffinity === 'ClientIP') errors.push(...checkAffinityConfig(path, spec.sessionAffinityConfig));
  if (spec.sessionAffinity === 'None' && spec.sessionAffinityConfig) {
    errors.push(forbiddenField(path, 'must not be set when session affinity is None'));
  }
  return errors;
}

function checkAffinityConfig(path: FieldPath, config: SessionAffinityConfig | undefined): FieldError[] {
  const missing = 'when session affinity type is ClientIP';
  if (!config) return [requiredField(path, missing)];
  if (!config.clientIP) return [requiredField(path.child('clientIP'), missing)];
  const field = path.child('clientIP', 'timeoutSeconds');
  const seconds = config.clientIP.timeoutSeconds;
  if (seconds === undefined) return [requiredField(field, missing)];
  if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
  return [invalidField(field, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)];
}

function checkExternalIps({ spec = {} }: Service): FieldError[] {
  return (spec.externalIPs ?? []).flatMap((address, index) => {
    const path = specPath.child('externalIPs').index(index);
    const errors = checkLegacyIp(path, address);
    return errors.length > 0 ? errors : checkNonSpecialIp(path, address);
  });
}

function checkNodePorts({ spec = {} }: Service): FieldError[] {
  const ports = spec.ports ?? [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { nodePort }] of ports.entries()) {
    if (spec.type !== 'ClusterIP' || !nodePort) continue;
    const path = specPath.child('ports').index(index).child('nodePort');
    errors.push(forbiddenField(path, "may not be used when `type` is 'ClusterIP'"));
  }
  for (const [index, { nodePort, protocol }] of ports.entries()) {
    if (!nodePort) continue;
    const identity = `${protocol}/${nodePort}`;
    const path = specPath.child('ports').index(index).child('nodePort');
    if (seen.has(identity)) errors.push(duplicateField(path, nodePort));
    seen.add(identity);
  }
  return errors;
}

function checkDuplicatePorts(ports: readonly ServicePort[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ protocol, port }, index) => {
    const identity = `${protocol}/${port}`;
    const repeated = seen.has(identity);
    seen.add(identity);
    if (!repeated) return [];
    const shown = goValue('core-v1/ServicePort', { protocol, port, name: '', targetPort: 0, nodePort: 0 });
    return [duplicateField(specPath.child('ports').index(index), shown)];
  });
}

const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Blanks around the ranges are let pass, as they were in the annotation that came before the field. */
function checkSourceRanges({ spec = {}, metadata }: Service): FieldError[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const misplaced = (path: FieldPath) =>
    spec.type === 'LoadBalancer' ? [] : [forbiddenField(path, onlyLoadBalancers)];
  if (ranges.length > 0) {
    const path = specPath.child('LoadBalancerSourceRanges');
    return [...misplaced(path), ...ranges.flatMap((range, index) => checkLegacyCidr(path.index(index), range.trim()))];
  }
  const annotation = metadata.annotations?.[sourceRangesAnnotation];
  if (annotation === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(sourceRangesAnnotation);
  const sourceRanges = annotation.trim() === '' ? [] : annotation.split(',');
  return [...misplaced(path), ...sourceRanges.flatMap((range) => checkLegacyCidr(path, range.trim()))];
}

function checkNodePortAllocation({ spec = {} }: Service): FieldError[] {
  const isSet = spec.allocateLoadBalancerNodePorts !== undefined;
  if (spec.type === 'LoadBalancer') return isSet ? [] : [requiredField('allocateLoadBalancerNodePorts')];
  return isSet ? [forbiddenField(specPath.child('allocateLoadBalancerNodePorts'), onlyLoadBalancers)] : [];
}

function checkLoadBalancerClass({ spec = {} }: Service): FieldError[] {
  const { loadBalancerClass, type } = spec;
  if (loadBalancerClass === undefined) return [];
  const path = specPath.child('loadBalancerClass');
  if (type === 'LoadBalancer') return checkValue(path, loadBalancerClass, isQualifiedName);
  return [forbiddenField(path, onlyLoadBalancers)];
}

function checkLoadBalancerClassChange(service: Service, previous: Service): FieldError[] {
  const errors: FieldError[] = [];
  const both = service.spec?.type === 'LoadBalancer' && previous.spec?.type === 'LoadBalancer';
  const { loadBalancerClass } = service.spec ?? {};
  if (both && loadBalancerClass !== previous.spec?.loadBalancerClass) {
    errors.push(invalidField(specPath.child('loadBalancerClass'), loadBalancerClass, 'may not change once set'));
  }
  return [...errors, ...checkLoadBalancerClass(service)];
}

function checkExternalTraffic(service: Service): FieldError[] {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort: port = 0 } = service.spec ?? {};
  const path = specPath.child('externalTrafficPolicy');
  const errors: FieldError[] = [];
  if (isExternallyAccessible(service)) errors.push(...checkRequiredSupported(path, policy, trafficPolicies));
  else if (policy) errors.push(invalidField(path, policy, 'may only be set for externally-accessible services'));
  // A service that needs a port and names none is given one.
  if (port === 0) return errors;
  const portPath = specPath.child('healthCheckNodePort');
  if (needsHealthCheck(service)) return [...errors, ...checkPortNumber(portPath, port)];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [...errors, invalidField(portPath, port, detail)];
}

function checkHealthCheckPortChange(service: Service, previous: Service): FieldError[] {
  if (!needsHealthCheck(service) || !needsHealthCheck(previous)) return [];
  if (service.spec?.healthCheckNodePort === previous.spec?.healthCheckNodePort) return [];
  return [forbiddenField(specPath.child('healthCheckNodePort'), 'field is immutable')];
}

function checkInternalTraffic({ spec = {} }: Service): FieldError[] {
  const path = specPath.child('internalTrafficPolicy');
  if (spec.internalTrafficPolicy !== undefined)
    return checkSupported(path, spec.internalTrafficPolicy, trafficPolicies);
  const required = spec.type === 'NodePort' || spec.type === 'LoadBalancer' || spec.type === 'ClusterIP';
  return required ? [requiredField(path)] : [];
}

export function validateServiceStatusUpdate({ spec = {}, status = {} }: Service): FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const ingress = status.loadBalancer?.ingress ?? [];
  if (spec.type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.flatMap(({ ip, ipMode, hostname }, index) => [
    ...(ip ? checkLegacyIp(path.index(index).child('ip'), ip) : []),
    ...checkIpMode(path.index(index).child('ipMode'), ipMode, ip),
    ...(hostname ? checkIngressHostname(path.index(index).child('hostname'), hostname) : []),
  ]);
}

function checkIpMode(path: FieldPath, mode: string | undefined, ip: string | undefined): FieldError[] {
  if (mode === undefined) return ip ? [requiredField(path, 'must be specified when `ip` is set')] : [];
  if (!ip) return [forbiddenField(path, 'may not be specified when `ip` is not set')];
  return checkSupported(path, mode, ['Proxy', 'VIP']);
}

/** For the status of services and ingresses alike. */
export function checkIngressHostname(path: FieldPath, hostname: string): FieldError[] {
  const errors = checkValue(path, hostname, isDns1123Subdomain);
  if (parseIp(hostname)) errors.push(invalidField(path, hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
