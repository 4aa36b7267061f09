import { readJson, StatusError } from '@coracle/apimachinery';
import { type Client, failureOfResponse } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, textAt } from '../values.js';
import type { Info } from './info.js';

/** Parameters of a write that end up in the query. */
export interface WriteParameters {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly force?: boolean;
  readonly subresource?: string;
}

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<PatchKind, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

type Target = Pick<Info, 'mapping' | 'namespace'> & { readonly name?: string };

/** Requests on objects of whatever resource an info names. */
export class RequestHelper {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  get(target: Target, options: { readonly subresource?: string; readonly accept?: string } = {}): Promise<Fields> {
    const path = pathOf(target, options.subresource);
    return this.send('GET', path, options.accept ? { accept: options.accept } : {});
  }

  create(target: Target, object: Fields, parameters: WriteParameters = {}): Promise<Fields> {
    const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
    const { resourceVersion: _, ...rest } = metadata;
    const body = 'resourceVersion' in metadata ? { ...object, metadata: rest } : object;
    return this.send('POST', withQuery(collectionPath(target), queryOf(parameters)), { body });
  }

  /** An object without a resourceVersion replaces whatever is there. */
  async replace(target: Target, object: Fields, parameters: WriteParameters = {}): Promise<Fields> {
    const body = textAt(object, 'metadata', 'resourceVersion') === '' ? await this.#inPlace(target, object) : object;
    return this.send('PUT', withQuery(pathOf(target, parameters.subresource), queryOf(parameters)), { body });
  }

  /** The object with the resourceVersion that the server has, if it has the object: most custom resources need it. */
  async #inPlace(target: Target, object: Fields): Promise<Fields> {
    const resourceVersion = await this.get(target).then(
      (current) => textAt(current, 'metadata', 'resourceVersion'),
      () => '',
    );
    return resourceVersion === ''
      ? object
      : { ...object, metadata: { ...recordAt(object, 'metadata'), resourceVersion } };
  }

  patch(
    target: Target,
    patch: { readonly type: PatchKind; readonly body: unknown },
    parameters: WriteParameters = {},
  ): Promise<Fields> {
    return this.send('PATCH', withQuery(pathOf(target, parameters.subresource), queryOf(parameters)), {
      body: patch.body,
      contentType: patchTypes[patch.type],
    });
  }

  delete(target: Target, options: Fields): Promise<Fields> {
    return this.send('DELETE', pathOf(target), { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...options } });
  }

  /** Any path: the answer's body, or the server's failure thrown. */
  async send(
    method: string,
    path: string,
    options: {
      readonly body?: unknown;
      readonly contentType?: string;
      readonly accept?: string;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Fields> {
    const { body, contentType, accept, signal } = options;
    const response = await this.#client.raw(method, path, {
      ...(body !== undefined && { body }),
      ...(contentType && { contentType }),
      ...(accept && { headers: { accept } }),
      ...(signal && { signal }),
    });
    if (response.status >= 400) throw failureOfResponse(response);
    return recordOf(response.body);
  }
}

/** Servers send the index of OpenAPI documents, which is JSON, as plain text. */
function recordOf(body: unknown): Fields {
  if (isRecord(body)) return body;
  if (typeof body !== 'string' || !body.startsWith('{')) return {};
  const read: unknown = readJson(body);
  return isRecord(read) ? read : {};
}

export function collectionPath({ mapping, namespace }: Target): string {
  if (!mapping) throw new CommandError('the object has no resource on the server');
  const root = mapping.group === '' ? `/api/${mapping.version}` : `/apis/${mapping.group}/${mapping.version}`;
  const scope = mapping.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${mapping.resource}`;
}

export function pathOf(target: Target, subresource = ''): string {
  if (!target.name) throw new CommandError('resource name may not be empty');
  const problem = nameProblem(target.name);
  if (problem) throw new CommandError(`invalid resource name ${JSON.stringify(target.name)}: [${problem}]`);
  return `${collectionPath(target)}/${encodeURIComponent(target.name)}${subresource ? `/${subresource}` : ''}`;
}

/** Why a name cannot be part of a path. */
function nameProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const bad = ['/', '%'].filter((letter) => name.includes(letter));
  return bad.length > 0 ? bad.map((letter) => `may not contain '${letter}'`).join(' ') : undefined;
}

export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

function queryOf({
  dryRun,
  fieldManager,
  fieldValidation,
  force,
}: WriteParameters): Record<string, string | undefined> {
  return {
    ...(dryRun && { dryRun: 'All' }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
    ...(force && { force: 'true' }),
  };
}

/** The failure with another message and the same reason. */
export function reworded(error: StatusError, message: string): StatusError {
  return new StatusError({ ...error.status, message });
}
