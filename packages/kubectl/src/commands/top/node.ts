import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { inUsageOrder, nodeUsage, percentOf, usageCells, usageOrder } from './metrics.js';

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  const selector = flags.string('selector');
  if (args.length > 1) throw usageError(context, 'only one node can be specified');
  if (args.length > 0 && selector !== '') throw new CommandError('only one of NAME or --selector can be provided');
  const order = usageOrder(flags.string('sort-by'));
  const [name] = args;
  const usages = await nodeUsage(factory, { selector, ...(name !== undefined && { name }) });
  if (usages.length === 0) throw new CommandError('metrics not available yet');
  const rows = inUsageOrder(usages, order, ({ node }) => node).map((usage) => {
    const whole = flags.bool('show-capacity') ? usage.capacity : usage.allocatable;
    const [cpu, memory] = usageCells(usage);
    return [
      usage.node,
      cpu,
      percentOf(usage.cpuMilli, whole.cpuMilli),
      memory,
      percentOf(usage.memoryBytes, whole.memoryBytes),
    ];
  });
  const header = flags.bool('no-headers') ? [] : [['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)']];
  print(context, new TableWriter().format([...header, ...rows]));
}
