import type { TablePrinter } from '@coracle/apimachinery';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { RuntimeClass } from '../../generated/types/node-v1.js';

const runtimeClassPrinter = tablePrinter<RuntimeClass>([
  name,
  text('Handler', 'What the container runtime calls it.', ({ handler }) => handler),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = { RuntimeClass: runtimeClassPrinter };
