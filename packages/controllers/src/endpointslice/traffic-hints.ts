import type { discoveryv1 } from '@coracle/api';
import { ownValue } from '@coracle/base';

/** Sets the hints of endpoints by the traffic distribution of the service. */
export function withHints(endpoints: discoveryv1.Endpoint[], distribution: string | undefined): discoveryv1.Endpoint[] {
  const hintsFor = distribution === undefined ? undefined : ownValue(hintsByDistribution, distribution);
  if (!hintsFor) return endpoints;
  return endpoints.map((endpoint) => {
    const hints = endpoint.conditions?.ready ? hintsFor(endpoint) : undefined;
    return hints ? { ...endpoint, hints } : endpoint;
  });
}

/** Whether hints can express the distribution. */
export function spreadsByHints(distribution: string): boolean {
  return Object.hasOwn(hintsByDistribution, distribution);
}

type HintsFor = (endpoint: discoveryv1.Endpoint) => discoveryv1.EndpointHints | undefined;

const sameZone: HintsFor = ({ zone }) => (zone === undefined ? undefined : { forZones: [{ name: zone }] });

const sameNode: HintsFor = (endpoint) => {
  if (!endpoint.nodeName) return sameZone(endpoint);
  return { ...sameZone(endpoint), forNodes: [{ name: endpoint.nodeName }] };
};

const hintsByDistribution: Readonly<Record<string, HintsFor>> = {
  PreferClose: sameZone,
  PreferSameZone: sameZone,
  PreferSameNode: sameNode,
};
