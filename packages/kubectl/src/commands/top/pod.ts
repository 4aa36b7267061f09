import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError, warn } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import {
  inUsageOrder,
  type PodUsage,
  podUsage,
  sumOf,
  type Usage,
  type UsageOrder,
  usageCells,
  usageOrder,
} from './metrics.js';
import { requireRipePods } from './missing-metrics.js';

interface Row extends Usage {
  readonly names: readonly string[];
}

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  const [selector, fieldSelector] = [flags.string('selector'), flags.string('field-selector')];
  if (args.length > 1) throw usageError(context, 'only one pod can be specified');
  if (args.length > 0 && (selector !== '' || fieldSelector !== ''))
    throw new CommandError('only one of NAME or selector can be provided');
  const order = usageOrder(flags.string('sort-by'));
  const { namespace } = await factory.namespace();
  const all = flags.bool('all-namespaces');
  const [name] = args;
  const query = { namespace: all ? '' : namespace, selector, fieldSelector, ...(name !== undefined && { name }) };
  const pods = await podUsage(factory, query);
  if (pods.length === 0) {
    await requireRipePods(context, query);
    return warn(context, all ? 'No resources found' : `No resources found in ${namespace} namespace.`);
  }
  const [perContainer, showsSwap] = [flags.bool('containers'), flags.bool('show-swap')];
  const rows = inUsageOrder(pods, order, (one) => `${one.namespace}\0${one.pod}`).flatMap((pod) =>
    rowsOf(pod, perContainer, order),
  );
  const columns = [
    ...(all ? ['NAMESPACE'] : []),
    perContainer ? 'POD' : 'NAME',
    ...(perContainer ? ['NAME'] : []),
    'CPU(cores)',
    'MEMORY(bytes)',
    ...(showsSwap ? ['SWAP(bytes)'] : []),
  ];
  const header = flags.bool('no-headers') ? [] : [columns];
  const cells = rows.map((row) => [...row.names.slice(all ? 0 : 1), ...usageCells(row, showsSwap)]);
  const sum = flags.bool('sum') ? sumRows(usageCells(sumOf(pods), showsSwap), columns.length) : [];
  // Every cell ends in a tab, the last one too.
  print(context, new TableWriter().format([...header, ...cells, ...sum].map((row) => [...row, ''])));
}

/** The rows of one pod: containers are in order among themselves, and stay together. */
function rowsOf({ namespace, pod, containers, ...usage }: PodUsage, perContainer: boolean, order: UsageOrder): Row[] {
  if (!perContainer) return [{ names: [namespace, pod], ...usage }];
  return inUsageOrder(containers, order, ({ name }) => name).map(({ name, ...own }) => ({
    names: [namespace, pod, name],
    ...own,
  }));
}

function sumRows(sums: readonly string[], width: number): string[][] {
  const empty = Array.from({ length: width - sums.length }, () => '');
  return [
    [...empty, ...sums.map(() => '________')],
    [...empty, ...sums],
  ];
}
