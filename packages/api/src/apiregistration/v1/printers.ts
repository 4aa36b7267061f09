import { findCondition, type TablePrinter } from '@coracle/apimachinery';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { APIService } from '../../generated/types/apiregistration-v1.js';

const apiServicePrinter = tablePrinter<APIService>([
  name,
  text('Service', 'The service that serves it, or that this server does.', ({ spec }) =>
    spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
  ),
  text('Available', 'Whether it can be reached.', ({ status }) => {
    const available = findCondition(status?.conditions, 'Available');
    if (!available) return 'Unknown';
    return available.status === 'True' ? 'True' : `${available.status} (${available.reason ?? ''})`;
  }),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = { APIService: apiServicePrinter };
