import type { TablePrinter } from '@coracle/apimachinery';
import { name, tablePrinter, text } from '../../columns/table-printer.js';
import type { StorageVersionMigration } from '../../generated/types/storagemigration-v1beta1.js';

const storageVersionMigrationPrinter = tablePrinter<StorageVersionMigration>([
  { ...name, format: '' },
  text('Resource', 'What is written again.', ({ spec }) => `${spec?.resource.resource}.${spec?.resource.group ?? ''}`),
  text(
    'Status',
    'How far it has come.',
    ({ status }) => status?.conditions?.findLast((condition) => condition.status === 'True')?.type ?? '',
  ),
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  StorageVersionMigration: storageVersionMigrationPrinter,
};
