import type { TablePrinter } from '@coracle/apimachinery';
import { firstThree, unset } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { StorageVersion } from '../../generated/types/apiserverinternal-v1alpha1.js';

const storageVersionPrinter = tablePrinter<StorageVersion>([
  name,
  text(
    'CommonEncodingVersion',
    'The version that all servers write.',
    ({ status }) => status?.commonEncodingVersion ?? unset,
  ),
  text('StorageVersions', 'The version that each server writes.', ({ status }) => {
    const versions = (status?.storageVersions ?? []).map(
      ({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`,
    );
    return firstThree(versions) || unset;
  }),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = { StorageVersion: storageVersionPrinter };
