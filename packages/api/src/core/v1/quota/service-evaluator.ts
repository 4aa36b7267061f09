import { Quantity } from '@coracle/apimachinery';
import type { Service } from '../../../generated/types/core-v1.js';
import { countName, one } from './count-evaluator.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

const services = { group: '', resource: 'services' } as const;
const names: ReadonlySet<string> = new Set([
  'services',
  'services.nodeports',
  'services.loadbalancers',
  countName(services),
]);

/** Services cost themselves, their ports on the nodes and their load balancers. */
export const serviceEvaluator: QuotaEvaluator<Service> = {
  ...services,
  counts: (name) => names.has(name),
  usage: (service) =>
    new Map([
      ['services', one],
      [countName(services), one],
      ['services.nodeports', Quantity.of(nodePorts(service))],
      ['services.loadbalancers', Quantity.of(service.spec?.type === 'LoadBalancer' ? 1 : 0)],
    ]),
  matchesScope: () => false,
  chargesUpdate: (_service, _previous, subresource) => subresource === '',
  frees: (service, previous) => service.spec?.type !== previous.spec?.type || nodePorts(service) < nodePorts(previous),
};

/** A load balancer that reaches pods directly has only the requested node ports. */
function nodePorts({ spec }: Service): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  return spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort).length : ports.length;
}
