import type { TablePrinter } from '@coracle/apimachinery';
import { age, integer, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.js';

const notSet = 'N/A';

const podDisruptionBudgetPrinter = tablePrinter<PodDisruptionBudget>([
  name,
  text('Min Available', 'How many pods must stay.', ({ spec }) => String(spec?.minAvailable ?? notSet)),
  text('Max Unavailable', 'How many pods may go.', ({ spec }) => String(spec?.maxUnavailable ?? notSet)),
  integer('Allowed Disruptions', 'How many pods may go now.', ({ status }) => status?.disruptionsAllowed ?? 0),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = { PodDisruptionBudget: podDisruptionBudgetPrinter };
