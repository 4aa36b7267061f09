import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { recordAt, recordsAt, textAt } from '../../values.js';
import { allocatableOf, percentOf, requireMetrics, usageCells } from './metrics.js';

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  const selector = flags.string('selector');
  if (args.length > 1) throw usageError(context, 'only one node can be specified');
  if (args.length > 0 && selector !== '') throw new CommandError('only one of NAME or --selector can be provided');
  await requireMetrics(context);
  const helper = new RequestHelper(await factory.client());
  const [name] = args;
  const get = async (root: string) =>
    name === undefined
      ? recordsAt(await helper.send('GET', withQuery(root, { labelSelector: selector })), 'items')
      : [await helper.send('GET', `${root}/${encodeURIComponent(name)}`)];
  const metrics = await get('/apis/metrics.k8s.io/v1beta1/nodes');
  const nodes = new Map((await get('/api/v1/nodes')).map((node) => [textAt(node, 'metadata', 'name'), node]));
  if (metrics.length === 0) throw new CommandError('metrics not available yet');
  const rows = metrics.map((one) => {
    const own = textAt(one, 'metadata', 'name');
    const usage = usageCells(recordAt(one, 'usage'));
    const whole = allocatableOf(nodes.get(own) ?? {}, flags.bool('show-capacity'));
    return {
      own,
      usage,
      cells: [
        own,
        usage.cpu,
        percentOf(usage.cpuMilli, whole.cpuMilli),
        usage.memory,
        percentOf(usage.memoryBytes, whole.memoryBytes),
      ],
    };
  });
  const by = flags.string('sort-by');
  rows.sort((a, b) => {
    if (by === 'cpu') return b.usage.cpuMilli - a.usage.cpuMilli;
    if (by === 'memory') return b.usage.memoryBytes - a.usage.memoryBytes;
    return a.own < b.own ? -1 : 1;
  });
  const header = flags.bool('no-headers') ? [] : [['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)']];
  print(context, new TableWriter().format([...header, ...rows.map(({ cells }) => cells)]));
}
