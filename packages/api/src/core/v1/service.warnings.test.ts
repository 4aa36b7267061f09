import { expect, test } from 'vitest';
import { type Changes, warningsOf } from '../../rules.fixture.js';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
const headless = { 'spec.clusterIP': 'None', 'spec.clusterIPs': ['None'] };

test.each<[string, Changes, string[]]>([
  ['a plain service needs no advice', {}, []],
  [
    'external addresses are going',
    { 'spec.externalIPs': ['10.0.0.1'] },
    ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  ],
  [
    'a headless service has no use for them',
    { ...headless, 'spec.externalIPs': ['10.0.0.1'] },
    ['spec.externalIPs is ignored for headless services'],
  ],
  [
    'an external name is for services of that type',
    { 'spec.externalName': 'example.com' },
    ['spec.externalName is ignored when spec.type is not "ExternalName"'],
  ],
  [
    'there is a clearer word for close',
    { 'spec.trafficDistribution': 'PreferClose' },
    ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
  ],
  [
    'IPv6 addresses have one form',
    { 'spec.loadBalancerIP': '2001:0db8::1' },
    ['spec.loadBalancerIP: IPv6 address "2001:0db8::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(warningsOf(service, changes)).toEqual(want);
});
