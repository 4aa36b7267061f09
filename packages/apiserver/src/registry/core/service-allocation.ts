import type { Service, ServicePort, ServiceSpec } from '@coracle/api';
import { type FieldError, invalidField, parseIp } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';

export type IpFamily = 'IPv4' | 'IPv6';

function needsClusterIp({ spec = {} }: Service): boolean {
  return spec.type !== 'ExternalName';
}

function needsNodePort({ spec = {} }: Service): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

function needsHealthCheckPort({ spec = {} }: Service): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** A client that sends a service without its allocated values keeps them. */
export function keepAllocatedValues(service: Service, previous: Service): void {
  const spec = (service.spec ??= {});
  const before = previous.spec ?? {};
  if (needsClusterIp(service) && needsClusterIp(previous)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === before.clusterIP && before.clusterIPs) {
      spec.clusterIPs = [...before.clusterIPs];
    }
  }
  keepFamilies(spec, before);
  if (needsNodePort(service) && needsNodePort(previous)) keepNodePorts(spec.ports ?? [], before.ports ?? []);
  if (needsHealthCheckPort(service) && needsHealthCheckPort(previous) && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

/** Clients that set no IP families use the default of the cluster. */
function keepFamilies(spec: ServiceSpec, before: ServiceSpec): void {
  if (spec.ipFamilies?.length || spec.ipFamilyPolicy !== undefined) return;
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  if (before.ipFamilies) spec.ipFamilies = [...before.ipFamilies];
  if (before.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy = before.ipFamilyPolicy;
}

/** Matched by name; a port that another one already has is not reused. */
function keepNodePorts(ports: readonly ServicePort[], before: readonly ServicePort[]): void {
  const ownPorts = new Set(ports.map(({ nodePort }) => nodePort));
  const used = new Set(before.map(({ nodePort }) => nodePort).filter((port) => ownPorts.has(port)));
  const byName = new Map(before.map(({ name = '', nodePort }) => [name, nodePort]));
  for (const port of ports) {
    const old = byName.get(port.name ?? '');
    if (port.nodePort || !old || used.has(old)) continue;
    port.nodePort = old;
    used.add(old);
  }
}

/** `clusterIP` is the first of `clusterIPs`. Clients that know only `clusterIP` change only that. */
export function matchClusterIps(service: Service, previous: Service | undefined): void {
  const spec = (service.spec ??= {});
  if (!previous) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const before = previous.spec ?? {};
  if (spec.clusterIP === before.clusterIP || !deepEqual(spec.clusterIPs, before.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP, ...(spec.clusterIPs ?? []).slice(1)];
  else delete spec.clusterIPs;
}

/** Fields without use in the new type are cleared, unless the client changed them too: then validation reports them. */
export function dropUnusedFields(service: Service, previous: Service): void {
  const spec = (service.spec ??= {});
  const before = previous.spec ?? {};
  const dropIfSame = (...fields: (keyof typeof spec)[]) => {
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete spec[field];
  };
  if (needsClusterIp(previous) && !needsClusterIp(service)) {
    if (deepEqual(spec.clusterIPs, before.clusterIPs)) dropIfSame('clusterIP', 'clusterIPs');
    dropIfSame('ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  }
  if (needsNodePort(previous) && !needsNodePort(service) && sameNodePorts(service, previous)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(previous) && !needsHealthCheckPort(service)) dropIfSame('healthCheckNodePort');
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropIfSame('loadBalancerClass', 'allocateLoadBalancerNodePorts');
  }
  if (isExternal(previous) && !isExternal(service)) dropIfSame('externalTrafficPolicy');
}

function isExternal({ spec = {} }: Service): boolean {
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') return true;
  return spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0;
}

function sameNodePorts(service: Service, previous: Service): boolean {
  const portsOf = ({ spec = {} }: Service) => new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  const before = portsOf(previous);
  return [...portsOf(service)].every((port) => before.has(port));
}

/** Sets the IP families and the policy that the addresses and the cluster imply. */
export function setIpFamilies(service: Service, clusterFamilies: readonly IpFamily[]): void {
  const { spec } = service;
  if (!spec || !needsClusterIp(service)) return;
  const addresses = (spec.clusterIPs ?? []).filter((address) => address !== 'None');
  const isHeadless = spec.clusterIPs?.[0] === 'None';
  const selects = Object.keys(spec.selector ?? {}).length > 0;
  const wantsBoth = isHeadless && !selects;
  if (spec.ipFamilyPolicy === undefined) {
    const both = wantsBoth || addresses.length === 2 || spec.ipFamilies?.length === 2;
    spec.ipFamilyPolicy = both ? 'RequireDualStack' : 'SingleStack';
  }
  const families: string[] = [...(spec.ipFamilies ?? [])];
  for (const address of addresses.slice(families.length)) {
    families.push(parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4');
  }
  if (families.length === 0) families.push(clusterFamilies[0] ?? 'IPv4');
  const second = families[0] === 'IPv4' ? 'IPv6' : 'IPv4';
  const hasSecond = clusterFamilies.includes(second) || wantsBoth;
  if (families.length === 1 && spec.ipFamilyPolicy !== 'SingleStack' && hasSecond) families.push(second);
  spec.ipFamilies = families;
}

/**
 * IP families that the cluster does not have cannot be allocated. Headless services without a selector allocate none.
 */
export function checkIpFamilies(service: Service, clusterFamilies: readonly IpFamily[]): FieldError[] {
  const { spec = {} } = service;
  if (!needsClusterIp(service)) return [];
  const isHeadless = spec.clusterIPs?.[0] === 'None';
  if (isHeadless && Object.keys(spec.selector ?? {}).length === 0) return [];
  const errors = (spec.ipFamilies ?? []).flatMap((family, index) =>
    clusterFamilies.some((one) => one === family)
      ? []
      : [invalidField(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
  );
  if (spec.ipFamilyPolicy === 'RequireDualStack' && clusterFamilies.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    errors.push(invalidField('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail));
  }
  return errors;
}
