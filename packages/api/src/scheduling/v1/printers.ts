import type { TablePrinter } from '@coracle/apimachinery';
import { none } from '../../columns/cell-text.js';
import { age, boolean, integer, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { PriorityClass } from '../../generated/types/scheduling-v1.js';
import type { PodGroup } from '../../generated/types/scheduling-v1alpha2.js';

const priorityClassPrinter = tablePrinter<PriorityClass>([
  name,
  integer('Value', 'The priority; more goes first.', ({ value }) => value),
  boolean('Global-Default', 'Whether pods without a class have it.', ({ globalDefault }) => globalDefault ?? false),
  age,
  text('PreemptionPolicy', 'Whether its pods displace others.', ({ preemptionPolicy }) => preemptionPolicy ?? ''),
]);

const podGroupPrinter = tablePrinter<PodGroup>([
  name,
  text('Policy', 'Whether the pods are scheduled together.', ({ spec: { schedulingPolicy } }) => {
    if (schedulingPolicy.gang) return 'Gang';
    return schedulingPolicy.basic ? 'Basic' : none;
  }),
  text(
    'Workload',
    'The workload that it belongs to.',
    ({ spec }) => spec.podGroupTemplateRef?.workload?.workloadName ?? none,
  ),
  text('Status', 'Whether its pods are scheduled.', ({ status }) => {
    const scheduled = status?.conditions?.find(({ type }) => type === 'PodGroupScheduled');
    if (!scheduled) return 'Pending';
    return scheduled.status === 'True' ? 'Scheduled' : scheduled.reason;
  }),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  PodGroup: podGroupPrinter,
  PriorityClass: priorityClassPrinter,
  Workload: tablePrinter([name, age]),
};
