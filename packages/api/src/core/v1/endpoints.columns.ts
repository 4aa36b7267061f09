import { firstThree, none } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { EndpointSubset, Endpoints } from '../../generated/types/core-v1.js';

export const endpointsPrinter = tablePrinter<Endpoints>([
  name,
  text('Endpoints', 'The addresses that are ready, with their ports.', ({ subsets }) =>
    subsets?.length ? firstThree(subsets.flatMap(addressesOf)) : none,
  ),
  age,
]);

/** Every port with every address; the addresses alone where there are no ports, as of headless services. */
function addressesOf({ addresses = [], ports = [] }: EndpointSubset): string[] {
  if (ports.length === 0) return addresses.map(({ ip }) => ip);
  return ports.flatMap(({ port }) =>
    addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
  );
}
