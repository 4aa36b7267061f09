import { apiVersionOf, type GroupVersionKind, type TablePrinter } from '@coracle/apimachinery';
import { printers as appsV1 } from './apps/v1/printers.js';
import { plainPrinter } from './columns/table-printer.js';
import { printers as coreV1 } from './core/v1/printers.js';

const printersByVersion: Readonly<Record<string, Readonly<Record<string, TablePrinter>>>> = {
  v1: coreV1,
  'apps/v1': appsV1,
};

/** How objects of a built-in kind are shown, in the version in which they are stored; name and time of creation for others. */
export function tablePrinterOf(gvk: GroupVersionKind): TablePrinter {
  return printersByVersion[apiVersionOf(gvk)]?.[gvk.kind] ?? plainPrinter;
}
