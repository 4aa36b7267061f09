import { CommandError } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { intervalOf, lastSeen } from '../describe/tools.js';
import { formatPrinter } from '../printers/print-flags.js';
import { TableWriter } from '../printers/tab-writer.js';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { resolveType } from '../resources/resource-arguments.js';
import { watchEvents } from '../resources/stream-events.js';
import { type Fields, recordsAt, textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const types = flags.strings('types');
  if (types.some((type) => !['normal', 'warning'].includes(type.toLowerCase())))
    throw new CommandError('valid --types are Normal or Warning');
  const fieldSelector = await selectorFor(context);
  const { namespace } = await factory.namespace();
  const path = flags.bool('all-namespaces')
    ? '/api/v1/events'
    : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const helper = new RequestHelper(await factory.client());
  const list = await helper.send('GET', withQuery(path, { fieldSelector, limit: flags.number('chunk-size') }));
  const isWanted = (event: Fields) =>
    types.length === 0 || types.some((type) => type.toLowerCase() === textAt(event, 'type').toLowerCase());
  const events = recordsAt(list, 'items').filter(isWanted);
  events.sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : lastSeen(a) > lastSeen(b) ? 1 : 0));
  const output = flags.string('output');
  const watches = flags.bool('watch');
  if (output !== '' && output !== 'wide') {
    const printer = await formatPrinter(context, output, {});
    const items = events.map((event) => ({ apiVersion: 'v1', kind: 'Event', ...event }));
    if (output === 'name') return;
    print(context, printer.print({ apiVersion: 'v1', kind: 'EventList', metadata: list['metadata'] ?? {}, items }));
    return;
  }
  if (events.length === 0 && !watches) {
    warn(context, flags.bool('all-namespaces') ? 'No events found.' : `No events found in ${namespace} namespace.`);
    return;
  }
  const writer = new TableWriter();
  const header = flags.bool('no-headers') ? [] : [headerOf(context)];
  print(context, writer.format([...header, ...events.map((event) => rowOf(context, event))]));
  if (!watches) return;
  const watchPath = withQuery(path, {
    fieldSelector,
    watch: 'true',
    resourceVersion: textAt(list, 'metadata', 'resourceVersion'),
  });
  for await (const { type, object } of watchEvents(await factory.client(), watchPath, {
    signal: context.host.interrupted,
  }))
    if (type !== 'DELETED' && type !== 'BOOKMARK' && isWanted(object))
      print(context, writer.format([rowOf(context, object)]));
}

async function selectorFor({ flags, factory }: Context): Promise<string> {
  const target = flags.string('for');
  if (target === '') return '';
  const [type = '', name, ...rest] = target.split('/');
  if (name === undefined || rest.length > 0) throw new CommandError('--for must be in resource/name form');
  const mapping = await resolveType(await factory.discovery(), type);
  const apiVersion = mapping.group === '' ? mapping.version : `${mapping.group}/${mapping.version}`;
  return `involvedObject.kind=${mapping.kind},involvedObject.apiVersion=${apiVersion},involvedObject.name=${name}`;
}

function headerOf({ flags }: Context): string[] {
  const columns = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];
  return flags.bool('all-namespaces') ? ['NAMESPACE', ...columns] : columns;
}

function rowOf({ flags, host }: Context, event: Fields): string[] {
  const object = `${textAt(event, 'involvedObject', 'kind')}/${textAt(event, 'involvedObject', 'name')}`;
  const cells = [
    intervalOf(event, { now: host.clock.now() }),
    textAt(event, 'type'),
    textAt(event, 'reason'),
    object,
    textAt(event, 'message').trim().split('\n')[0] ?? '',
  ];
  return flags.bool('all-namespaces') ? [textAt(event, 'metadata', 'namespace'), ...cells] : cells;
}
