import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { parseTimeout } from '../factory/parse-timeout.js';
import type { ObjectPrinter } from '../printers/object-printer.js';
import { TablePrinter } from '../printers/table-printer.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { collectionPath, withQuery } from '../resources/request-helper.js';
import { watchEvents } from '../resources/stream-events.js';
import { tableAccept } from '../resources/table-accept.js';
import { type Fields, recordAt, recordsAt, textAt } from '../values.js';
import { findOptionsOf, isHumanReadable, objectPrinterOf, tableOf, tableOptions } from './get.js';

/** `get --watch`: lists objects, then prints each change until it is interrupted. */
export async function watch(context: Context): Promise<void> {
  const { flags, factory } = context;
  const options = { ...(await findOptionsOf(context)), singleType: true, chunkSize: 0, keepLists: true };
  const { infos, errors, single } = await findResources(factory, options);
  throwCollected(errors);
  const [first] = infos;
  if (!first?.mapping) return;
  if (infos.length > 1)
    throw new CommandError(
      `watch is only supported on individual resources and resource collections - more than 1 resource was found`,
    );
  const show = isHumanReadable(context)
    ? tableShower(context, options.allNamespaces === true)
    : objectShower(context, await objectPrinterOf(context));
  if (!flags.bool('watch-only')) await show.initial(first);
  const name = single ? nameOf(first) : '';
  await follow(context, { first, name, show, options });
}

interface Shower {
  initial(info: Info): Promise<void> | void;
  event(type: string, object: Fields): void;
}

function tableShower(context: Context, allNamespaces: boolean): Shower {
  const withEvents = context.flags.bool('output-watch-events');
  const printer = new TablePrinter({ ...tableOptions(context), withEvents, withNamespace: allNamespaces });
  return {
    initial: (info) => {
      const table = tableOf(context, info);
      if (recordsAt(table, 'rows').length > 0) print(context, printer.print([table], 'ADDED'));
    },
    event: (type, object) => {
      const table = tableOf(context, { name: '', namespace: '', source: '', object });
      if (recordsAt(table, 'rows').length > 0) print(context, printer.print([table], type));
    },
  };
}

function objectShower(context: Context, printer: ObjectPrinter): Shower {
  const withEvents = context.flags.bool('output-watch-events');
  const show = (type: string, object: Fields) => print(context, printer.print(withEvents ? { type, object } : object));
  return {
    initial: ({ object = {} }) => {
      const items = Array.isArray(object['items']) ? recordsAt(object, 'items') : [object];
      const kind = textAt(object, 'kind').replace(/List$/, '');
      for (const item of items) show('ADDED', { apiVersion: object['apiVersion'], kind, ...item });
    },
    event: show,
  };
}

function nameOf({ name, object = {} }: Info): string {
  return (
    name || textAt(object, 'metadata', 'name') || textAt(recordsAt(object, 'rows')[0], 'object', 'metadata', 'name')
  );
}

interface Following {
  readonly first: Info;
  readonly name: string;
  readonly show: Shower;
  readonly options: Awaited<ReturnType<typeof findOptionsOf>>;
}

async function follow(context: Context, { first, name, show, options }: Following): Promise<void> {
  const { factory, host, flags } = context;
  const timeoutMs = parseTimeout(flags.string('request-timeout'));
  const stop = new AbortController();
  host.interrupted.addEventListener('abort', () => stop.abort());
  if (timeoutMs > 0) host.clock.schedule(timeoutMs, () => stop.abort());
  const { labelSelector = '', fieldSelector = '' } = options;
  const byName = name === '' ? fieldSelector : `metadata.name=${name}`;
  const path = withQuery(collectionPath(first), {
    ...(options.query ?? {}),
    labelSelector,
    fieldSelector: byName,
    resourceVersion: textAt(recordAt(first.object, 'metadata'), 'resourceVersion'),
    watch: 'true',
  });
  const accept = options.accept ?? 'application/json';
  try {
    for await (const { type, object } of watchEvents(await factory.client(), path, { accept, signal: stop.signal })) {
      if (type !== 'BOOKMARK') show.event(type, object);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

export { tableAccept };
