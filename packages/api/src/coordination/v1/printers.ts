import type { TablePrinter } from '@coracle/apimachinery';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { Lease } from '../../generated/types/coordination-v1.js';
import type { LeaseCandidate } from '../../generated/types/coordination-v1beta1.js';

const leasePrinter = tablePrinter<Lease>([
  name,
  text('Holder', 'Who has the lease.', ({ spec }) => spec?.holderIdentity ?? ''),
  age,
]);

const leaseCandidatePrinter = tablePrinter<LeaseCandidate>([
  name,
  text('LeaseName', 'The lease that it stands for.', ({ spec }) => spec?.leaseName ?? ''),
  text('BinaryVersion', 'The version that it is.', ({ spec }) => spec?.binaryVersion ?? ''),
  text('EmulationVersion', 'The version that it behaves as.', ({ spec }) => spec?.emulationVersion ?? ''),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  Lease: leasePrinter,
  LeaseCandidate: leaseCandidatePrinter,
};
