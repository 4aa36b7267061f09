import type { TablePrinter } from '@coracle/apimachinery';
import { none } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../generated/types/flowcontrol-v1.js';

/** In the order in which requests are matched. */
const flowSchemaPrinter = tablePrinter<FlowSchema>(
  [
    name,
    text('PriorityLevel', 'Where its requests wait.', ({ spec }) => spec?.priorityLevelConfiguration.name ?? ''),
    text('MatchingPrecedence', 'Less is tried first.', ({ spec }) => spec?.matchingPrecedence ?? 0),
    text('DistinguisherMethod', 'How flows are distinguished.', ({ spec }) => spec?.distinguisherMethod?.type ?? none),
    age,
    text(
      'MissingPL',
      'Whether the priority level is missing.',
      ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ],
  { compare: compareFlowSchemas },
);

function compareFlowSchemas(left: FlowSchema, right: FlowSchema): number {
  const difference = (left.spec?.matchingPrecedence ?? 0) - (right.spec?.matchingPrecedence ?? 0);
  return difference || ((left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1);
}

const priorityLevelPrinter = tablePrinter<PriorityLevelConfiguration>([
  name,
  text('Type', 'Whether requests are limited.', ({ spec }) => spec?.type ?? ''),
  text('NominalConcurrencyShares', 'Its share of the seats.', ({ spec }) =>
    spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : none,
  ),
  text('Queues', 'How many queues it has.', (level) => queuing(level, 'queues')),
  text('HandSize', 'How many queues a flow may use.', (level) => queuing(level, 'handSize')),
  text('QueueLengthLimit', 'How many requests a queue holds.', (level) => queuing(level, 'queueLengthLimit')),
  age,
]);

function queuing({ spec }: PriorityLevelConfiguration, field: keyof QueuingConfiguration): number | string {
  const settings = spec?.limited?.limitResponse?.queuing;
  return settings ? (settings[field] ?? 0) : none;
}

export const printers: Readonly<Record<string, TablePrinter>> = {
  FlowSchema: flowSchemaPrinter,
  PriorityLevelConfiguration: priorityLevelPrinter,
};
