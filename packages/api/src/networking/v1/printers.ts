import { qualifiedResource, type TablePrinter } from '@coracle/apimachinery';
import { formatSelector, loadBalancerAddresses, none } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type {
  Ingress,
  IngressClass,
  IngressRule,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from '../../generated/types/networking-v1.js';

const ingressPrinter = tablePrinter<Ingress>([
  name,
  text('Class', 'The ingress class.', ({ spec }) => spec?.ingressClassName ?? none),
  text('Hosts', 'The hosts of its rules.', ({ spec }) => hosts(spec?.rules ?? [])),
  text('Address', 'The addresses of its load balancer.', ({ status }) =>
    loadBalancerAddresses(status?.loadBalancer?.ingress).join(','),
  ),
  text('Ports', 'The ports that it opens.', ({ spec }) => (spec?.tls?.length ? '80, 443' : '80')),
  age,
]);

const shownHosts = 3;

/** Once enough hosts are found, all further rules count as more, with or without a host. */
function hosts(rules: readonly IngressRule[]): string {
  const found: string[] = [];
  for (const { host } of rules) {
    if (found.length === shownHosts) return `${found.join(',')} + ${rules.length - shownHosts} more...`;
    if (host) found.push(host);
  }
  return found.join(',') || '*';
}

const ingressClassPrinter = tablePrinter<IngressClass>([
  name,
  text('Controller', 'The controller that serves the class.', ({ spec }) => spec?.controller ?? ''),
  text('Parameters', 'The object that configures it.', ({ spec }) => {
    if (!spec?.parameters) return none;
    const { kind, apiGroup, name: parameters } = spec.parameters;
    return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${parameters}`;
  }),
  age,
]);

const networkPolicyPrinter = tablePrinter<NetworkPolicy>([
  name,
  text('Pod-Selector', 'The labels of the pods that it is for.', ({ spec }) => formatSelector(spec?.podSelector)),
  age,
]);

const ipAddressPrinter = tablePrinter<IPAddress>([
  name,
  text('ParentRef', 'What has the address.', ({ spec }) => {
    if (!spec?.parentRef) return none;
    const { group = '', resource, namespace, name: parent } = spec.parentRef;
    const place = namespace ? `/${namespace}` : '';
    return `${qualifiedResource({ group, resource }).toLowerCase()}${place}/${parent}`;
  }),
]);

const serviceCidrPrinter = tablePrinter<ServiceCIDR>([
  name,
  text('CIDRs', 'The ranges of addresses for services.', ({ spec }) => (spec?.cidrs ?? []).join(',')),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  Ingress: ingressPrinter,
  IngressClass: ingressClassPrinter,
  IPAddress: ipAddressPrinter,
  NetworkPolicy: networkPolicyPrinter,
  ServiceCIDR: serviceCidrPrinter,
};
