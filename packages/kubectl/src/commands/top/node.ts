import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import {
  inUsageOrder,
  mebibytes,
  type NodeUsage,
  nodeUsageAndGaps,
  percentOf,
  type Usage,
  usageOrder,
  wholeMilli,
} from './metrics.js';

const unknown = '<unknown>';

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  const selector = flags.string('selector');
  if (args.length > 1) throw usageError(context, 'only one node can be specified');
  if (args.length > 0 && selector !== '') throw new CommandError('only one of NAME or --selector can be provided');
  const order = usageOrder(flags.string('sort-by'));
  const [name] = args;
  const { usages, unmeasured } = await nodeUsageAndGaps(factory, { selector, ...(name !== undefined && { name }) });
  if (usages.length === 0) throw new CommandError('metrics not available yet');
  const swap = flags.bool('show-swap') ? ['SWAP(bytes)', 'SWAP(%)'] : [];
  const columns = ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)', ...swap];
  const rows = inUsageOrder(usages, order, ({ node }) => node).map((usage) =>
    rowOf(usage, flags.bool('show-capacity') ? usage.capacity : usage.allocatable).slice(0, columns.length),
  );
  const gaps = unmeasured.map((node) => [node, ...columns.slice(1).map(() => unknown)]);
  const header = flags.bool('no-headers') ? [] : [columns];
  // Every cell ends in a tab, the last one too.
  print(context, new TableWriter().format([...header, ...rows, ...gaps].map((row) => [...row, ''])));
}

function rowOf(usage: NodeUsage, whole: Usage): string[] {
  const cpu = wholeMilli(usage.cpuMilli);
  return [
    usage.node,
    `${cpu}m`,
    percentOf(cpu, whole.cpuMilli),
    mebibytes(usage.memoryBytes),
    percentOf(usage.memoryBytes, whole.memoryBytes),
    whole.swapBytes === 0 ? unknown : mebibytes(usage.swapBytes),
    percentOf(usage.swapBytes, whole.swapBytes),
  ];
}
