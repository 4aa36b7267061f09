import { typedName } from '../printers/name-printer.js';
import { dependentsOf, type OwnedObject, statusOf } from '../resources/owned-objects.js';
import { tableAccept } from '../resources/table-accept.js';
import { type Fields, listAt, recordAt, recordsAt, textAt } from '../values.js';
import type { Session } from './session.js';
import { infosOf, type Query } from './targets.js';

/** The objects of a query, as the server has them. */
export async function get(session: Session, query: Query): Promise<Fields[]> {
  return (await infosOf(session, query)).map(({ object = {} }) => object);
}

/** Objects as the server would show them. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly description: string; readonly wide: boolean }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Fields }[];
}

/** The tables of a query, one for each resource. */
export async function getTables(session: Session, query: Query): Promise<Table[]> {
  return (await infosOf(session, query, { accept: tableAccept })).map(({ object = {} }) => ({
    columns: recordsAt(object, 'columnDefinitions').map((column) => ({
      name: textAt(column, 'name'),
      description: textAt(column, 'description'),
      wide: Number(column['priority'] ?? 0) > 0,
    })),
    rows: recordsAt(object, 'rows').map((row) => ({ cells: listAt(row, 'cells'), object: recordAt(row, 'object') })),
  }));
}

/** Objects with everything that they own, directly and through others. */
export async function getTree(session: Session, query: Query): Promise<OwnedObject[]> {
  const infos = await infosOf(session, query);
  return Promise.all(
    infos.map(async ({ object = {}, namespace }) => ({
      name: typedName(object),
      status: statusOf(object),
      owned: await dependentsOf(session.context, textAt(object, 'metadata', 'uid'), namespace),
    })),
  );
}
