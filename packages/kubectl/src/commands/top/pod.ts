import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError, warn } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { inUsageOrder, type PodUsage, podUsage, sumOf, type Usage, usageCells, usageOrder } from './metrics.js';

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
  const pods = await podUsage(factory, {
    namespace: all ? '' : namespace,
    selector,
    fieldSelector,
    ...(name !== undefined && { name }),
  });
  if (pods.length === 0)
    return warn(context, all ? 'No resources found' : `No resources found in ${namespace} namespace.`);
  const perContainer = flags.bool('containers');
  const rows = inUsageOrder(
    pods.flatMap((pod) => rowsOf(pod, perContainer)),
    order,
    ({ names }) => names.join('/'),
  );
  const columns = [
    ...(all ? ['NAMESPACE'] : []),
    perContainer ? 'POD' : 'NAME',
    ...(perContainer ? ['NAME'] : []),
    'CPU(cores)',
    'MEMORY(bytes)',
  ];
  const header = flags.bool('no-headers') ? [] : [columns];
  const cells = rows.map((row) => [...row.names.slice(all ? 0 : 1), ...usageCells(row)]);
  const sum = flags.bool('sum') ? sumRows(rows, columns.length) : [];
  print(context, new TableWriter().format([...header, ...cells, ...sum]));
}

function rowsOf({ namespace, pod, containers, ...usage }: PodUsage, perContainer: boolean): Row[] {
  if (!perContainer) return [{ names: [namespace, pod], ...usage }];
  return containers.map(({ name, ...own }) => ({ names: [namespace, pod, name], ...own }));
}

function sumRows(rows: readonly Row[], width: number): string[][] {
  const empty = Array.from({ length: width - 2 }, () => '');
  return [
    [...empty, '________', '________'],
    [...empty, ...usageCells(sumOf(rows))],
  ];
}
