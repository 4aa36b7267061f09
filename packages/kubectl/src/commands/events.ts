import { CommandError } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { intervalOf, lastSeen } from '../describe/tools.js';
import type { Factory } from '../factory.js';
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
  const { namespace } = await factory.namespace();
  const query = {
    namespace: flags.bool('all-namespaces') ? '' : namespace,
    about: flags.string('for'),
    types,
    chunkSize: flags.number('chunk-size'),
  };
  const { events, list } = await listEvents(factory, query);
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
  for await (const event of eventsAfter(factory, query, textAt(list, 'metadata', 'resourceVersion')))
    print(context, writer.format([rowOf(context, event)]));
}

/** The filter of events. */
export interface EventQuery {
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** `deploy/web`: the object of the events; empty for all. */
  readonly about: string;
  /** `Normal`, `Warning`; none means both. */
  readonly types: readonly string[];
  readonly chunkSize: number;
}

/** Events, the oldest first, and their list. */
export async function listEvents(
  factory: Factory,
  query: EventQuery,
): Promise<{ readonly events: Fields[]; readonly list: Fields }> {
  const helper = new RequestHelper(await factory.client());
  const fieldSelector = await selectorFor(factory, query.about);
  const pages: Fields[] = [];
  for (let more = ''; ; ) {
    const parameters = { fieldSelector, limit: query.chunkSize, continue: more };
    const page = await helper.send('GET', withQuery(pathFor(query), parameters));
    pages.push(page);
    more = textAt(page, 'metadata', 'continue');
    if (more === '') break;
  }
  const events = pages.flatMap((page) => recordsAt(page, 'items')).filter((event) => isWanted(event, query));
  events.sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : lastSeen(a) > lastSeen(b) ? 1 : 0));
  return { events, list: pages.at(-1) ?? {} };
}

/** Events after a version, as they come. */
export async function* eventsAfter(factory: Factory, query: EventQuery, version: string): AsyncGenerator<Fields> {
  const fieldSelector = await selectorFor(factory, query.about);
  const path = withQuery(pathFor(query), { fieldSelector, watch: 'true', resourceVersion: version });
  const signal = factory.host.interrupted;
  for await (const { type, object } of watchEvents(await factory.client(), path, { signal }))
    if (type !== 'DELETED' && type !== 'BOOKMARK' && isWanted(object, query)) yield object;
}

function pathFor({ namespace }: EventQuery): string {
  return namespace === '' ? '/api/v1/events' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}

function isWanted(event: Fields, { types }: EventQuery): boolean {
  return types.length === 0 || types.some((type) => type.toLowerCase() === textAt(event, 'type').toLowerCase());
}

async function selectorFor(factory: Factory, target: string): Promise<string> {
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
