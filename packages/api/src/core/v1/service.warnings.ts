import type { Service } from '../../generated/types/core-v1.js';
import { cidrWarnings, ipWarnings } from '../../validation/ip-warnings.js';
import { isHeadless } from './service-traits.js';

const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const topologyMode = 'service.kubernetes.io/topology-mode';

/** Warnings about valid services that may not work as intended. */
export function serviceWarnings(service: Service): string[] {
  const { spec = {}, metadata } = service;
  const warnings: string[] = [];
  if (metadata.annotations?.[topologyHints] !== undefined) {
    warnings.push(`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`);
  }
  if (!isHeadless(service)) warnings.push(...addressWarnings('spec.clusterIPs', spec.clusterIPs));
  return [...warnings, ...headlessWarnings(service), ...outsideWarnings(service), ...typeWarnings(service)];
}

function addressWarnings(path: string, addresses: readonly string[] = []): string[] {
  return addresses.flatMap((address, index) => ipWarnings(`${path}[${index}]`, address));
}

function headlessWarnings(service: Service): string[] {
  const { spec = {} } = service;
  if (!isHeadless(service)) return [];
  const ignored: string[] = [];
  if (spec.loadBalancerIP) ignored.push('spec.loadBalancerIP');
  if (spec.externalIPs?.length) ignored.push('spec.externalIPs');
  if (spec.sessionAffinity !== 'None') ignored.push('spec.SessionAffinity');
  return ignored.map((field) => `${field} is ignored for headless services`);
}

function outsideWarnings(service: Service): string[] {
  const { externalIPs = [], loadBalancerIP, loadBalancerSourceRanges = [], type } = service.spec ?? {};
  const warnings = addressWarnings('spec.externalIPs', externalIPs);
  if (externalIPs.length > 0 && !isHeadless(service) && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP) warnings.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
  const ranges = loadBalancerSourceRanges.flatMap((range, index) =>
    cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, range),
  );
  return [...warnings, ...ranges];
}

function typeWarnings({ spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const external = spec.type === 'ExternalName';
  if (external && spec.externalIPs?.length) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!external && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
