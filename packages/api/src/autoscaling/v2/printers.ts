import type { TablePrinter } from '@coracle/apimachinery';
import { age, integer, name, tablePrinter } from '../../columns/table-printer.js';
import type { Scale } from '../../generated/types/autoscaling-v1.js';
import { horizontalPodAutoscalerPrinter } from './horizontal-pod-autoscaler.columns.js';

const scalePrinter = tablePrinter<Scale>([
  { ...name, format: '' },
  integer('Desired', 'How many pods there should be.', ({ spec }) => spec?.replicas ?? 0),
  integer('Available', 'How many pods there are.', ({ status }) => status?.replicas ?? 0),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  HorizontalPodAutoscaler: horizontalPodAutoscalerPrinter,
  Scale: scalePrinter,
};
