import { formatLabels, loadBalancerAddresses, none, unknown } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text, wide } from '../../columns/table-printer.js';
import type { Service, ServicePort } from '../../generated/types/core-v1.js';

export const servicePrinter = tablePrinter<Service>([
  name,
  text('Type', 'How the service is reached.', ({ spec }) => spec?.type ?? ''),
  text('Cluster-IP', 'The address inside the cluster.', ({ spec }) => spec?.clusterIPs?.[0] ?? none),
  text('External-IP', 'The addresses from outside.', externalAddresses),
  text(
    'Port(s)',
    'The ports, with those on the nodes.',
    ({ spec }) => (spec?.ports ?? []).map(formatPort).join(',') || none,
  ),
  age,
  wide(text('Selector', 'The labels of the pods behind it.', ({ spec }) => formatLabels(spec?.selector))),
]);

function externalAddresses({ spec, status }: Service): string {
  const own = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return own.join(',') || none;
    case 'LoadBalancer':
      return [...loadBalancerAddresses(status?.loadBalancer?.ingress), ...own].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return unknown;
  }
}

function formatPort({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}
