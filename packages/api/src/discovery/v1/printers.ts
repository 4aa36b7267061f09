import type { TablePrinter } from '@coracle/apimachinery';
import { firstThree, unset } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { EndpointSlice } from '../../generated/types/discovery-v1.js';

const endpointSlicePrinter = tablePrinter<EndpointSlice>([
  name,
  text('AddressType', 'IPv4, IPv6 or FQDN.', ({ addressType }) => addressType),
  text(
    'Ports',
    'The ports.',
    ({ ports }) => firstThree((ports ?? []).map(({ port, name: own }) => String(port ?? own ?? '*'))) || unset,
  ),
  text(
    'Endpoints',
    'The addresses.',
    ({ endpoints }) => firstThree((endpoints ?? []).flatMap(({ addresses }) => addresses)) || unset,
  ),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = { EndpointSlice: endpointSlicePrinter };
