import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError, warn } from '../../command/context.js';
import { TableWriter } from '../../printers/tab-writer.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../../values.js';
import { requireMetrics, usageCells } from './metrics.js';

interface Row {
  readonly names: readonly string[];
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  if (args.length > 1) throw usageError(context, 'only one pod can be specified');
  if (args.length > 0 && (flags.string('selector') !== '' || flags.string('field-selector') !== ''))
    throw new CommandError('only one of NAME or selector can be provided');
  await requireMetrics(context);
  const { namespace } = await factory.namespace();
  const all = flags.bool('all-namespaces');
  const root = `/apis/metrics.k8s.io/v1beta1${all ? '' : `/namespaces/${namespace}`}/pods`;
  const helper = new RequestHelper(await factory.client());
  const [name] = args;
  const query = { labelSelector: flags.string('selector'), fieldSelector: flags.string('field-selector') };
  const pods =
    name === undefined
      ? recordsAt(await helper.send('GET', withQuery(root, query)), 'items')
      : [await helper.send('GET', `${root}/${name}`)];
  if (pods.length === 0)
    return warn(context, all ? 'No resources found' : `No resources found in ${namespace} namespace.`);
  const rows = sorted(
    pods.flatMap((pod) => rowsOf(pod, flags.bool('containers'))),
    flags.string('sort-by'),
  );
  const text = (row: Row) => [
    ...row.names.slice(all ? 0 : 1),
    `${row.cpuMilli}m`,
    `${Math.floor(row.memoryBytes / 1_048_576)}Mi`,
  ];
  const columns = [
    ...(all ? ['NAMESPACE'] : []),
    flags.bool('containers') ? 'POD' : 'NAME',
    ...(flags.bool('containers') ? ['NAME'] : []),
    'CPU(cores)',
    'MEMORY(bytes)',
  ];
  const header = flags.bool('no-headers') ? [] : [columns];
  print(
    context,
    new TableWriter().format([
      ...header,
      ...rows.map(text),
      ...(flags.bool('sum') ? sumRows(rows, columns.length) : []),
    ]),
  );
}

function rowsOf(pod: Fields, perContainer: boolean): Row[] {
  const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')];
  const containers = recordsAt(pod, 'containers').map((one) => ({
    name: textAt(one, 'name'),
    ...usageCells(recordAt(one, 'usage')),
  }));
  if (perContainer)
    return containers.map((one) => ({
      names: [namespace, name, one.name],
      cpuMilli: one.cpuMilli,
      memoryBytes: one.memoryBytes,
    }));
  const sum = (field: 'cpuMilli' | 'memoryBytes') => containers.reduce((total, one) => total + one[field], 0);
  return [{ names: [namespace, name], cpuMilli: sum('cpuMilli'), memoryBytes: sum('memoryBytes') }];
}

function sorted(rows: readonly Row[], by: string): Row[] {
  return [...rows].sort((a, b) => {
    if (by === 'cpu') return b.cpuMilli - a.cpuMilli;
    if (by === 'memory') return b.memoryBytes - a.memoryBytes;
    return a.names.join('/') < b.names.join('/') ? -1 : 1;
  });
}

function sumRows(rows: readonly Row[], width: number): string[][] {
  const sum = (field: 'cpuMilli' | 'memoryBytes') => rows.reduce((total, row) => total + row[field], 0);
  const empty = Array.from({ length: width - 2 }, () => '');
  return [
    [...empty, '________', '________'],
    [...empty, `${sum('cpuMilli')}m`, `${Math.floor(sum('memoryBytes') / 1_048_576)}Mi`],
  ];
}
