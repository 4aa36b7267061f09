import { isNotFound } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { infoOfDocument } from '../resources/read-infos.js';
import { type Fields, textAt } from '../values.js';
import type { Session } from './session.js';

/** Selects objects as on a command line. */
export interface Query {
  /** `pods`, `deploy/web`, `pods,services` or a list of these. */
  readonly resource: string | readonly string[];
  /** Names of the one type that `resource` is. */
  readonly names?: readonly string[];
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The limit of a list request; 500 by default. */
  readonly chunkSize?: number;
  /** Names that are not there are left out. */
  readonly ignoreNotFound?: boolean;
}

interface QueryForm {
  /** Names are not looked up: named objects need not exist. */
  readonly namesOnly?: boolean;
  readonly accept?: string;
}

/** The objects of a query. What cannot be found is thrown. */
export async function infosOf(session: Session, query: Query, form: QueryForm = {}): Promise<Info[]> {
  const words = typeof query.resource === 'string' ? [query.resource] : query.resource;
  const { infos, errors } = await findResources(session.context.factory, {
    args: [...words, ...(query.names ?? [])],
    namespace: query.namespace ?? session.namespace,
    allNamespaces: query.allNamespaces ?? false,
    labelSelector: query.labelSelector ?? '',
    fieldSelector: query.fieldSelector ?? '',
    chunkSize: query.chunkSize ?? 500,
    ignoreNotFound: query.ignoreNotFound ?? false,
    listsTypes: true,
    latest: true,
    ...(form.namesOnly && { namesOnly: true }),
    ...(form.accept && { accept: form.accept, keepLists: true }),
  });
  throwCollected(query.ignoreNotFound ? errors.filter((error) => !isNotFound(error)) : errors);
  return infos;
}

/** The one object of a word such as `deploy/web`. */
export async function infoOf(session: Session, resource: string, namespace?: string): Promise<Info> {
  const [info] = await infosOf(session, { resource, ...(namespace !== undefined && { namespace }) });
  if (!info || !resource.includes('/')) throw new CommandError(`${resource} does not name an object: TYPE/NAME does`);
  return info;
}

/** An object of the caller, with its resource on the server. */
export function infoOfObject(session: Session, object: Fields, namespace = session.namespace): Promise<Info> {
  if (textAt(object, 'kind') === '' || textAt(object, 'apiVersion') === '')
    throw new CommandError('an object needs an apiVersion and a kind');
  return infoOfDocument(session.context.factory, { source: 'object', value: object }, { namespace });
}
