import { formatIp, isMapped, parseIp } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Service } from '../../generated/types/core-v1.js';
import { isHeadless } from './service-traits.js';

/** Advice on what was accepted but may not do what was meant. Only what an update brings in is spoken of. */
export function serviceWarnings(service: Service, previous?: Service): string[] {
  const { spec = {} } = service;
  const warnings: string[] = [];
  if (isHeadless(service)) {
    if (spec.loadBalancerIP) {
      warnings.push("spec.loadBalancerIP is ignored when spec.clusterIP is 'None'");
    }
    if (spec.externalIPs?.length) warnings.push('spec.externalIPs is ignored when spec.clusterIP is "None"');
    if (spec.sessionAffinity !== 'None') {
      warnings.push('spec.SessionAffinity is ignored for headless services');
    }
  }
  if (previous && deepEqual(spec.externalIPs, previous.spec?.externalIPs)) return warnings;
  return [...warnings, ...(spec.externalIPs ?? []).flatMap((ip, i) => nonCanonical(`spec.externalIPs[${i}]`, ip))];
}

function nonCanonical(path: string, text: string): string[] {
  const address = parseIp(text);
  if (!address) return [];
  if (isMapped(address.bytes)) {
    return [`${path}: IPv4-mapped IPv6 address ${JSON.stringify(text)} should not be used`];
  }
  const canonical = formatIp(address);
  if (canonical === text) return [];
  return [
    `${path}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}
