import { type FieldError, forbiddenField, invalid, notSupportedField } from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import { isTrue } from '../parse-request-info.js';
import { parseInteger } from './write-options.js';

export type VersionMatch = '' | 'Exact' | 'NotOlderThan';

export interface ListOptions {
  readonly resourceVersion: string;
  readonly match: VersionMatch;
  /** Zero for no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const nothingAsked: ListOptions = {
  resourceVersion: '',
  match: '',
  limit: 0,
  continueToken: '',
  timeoutSeconds: undefined,
  allowBookmarks: false,
  sendInitialEvents: undefined,
};

/** Options of a list, or of a watch, which may begin with a list. */
type ListRequest = 'list' | { readonly streamsLists: boolean };

const withoutWatchList = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';

export function parseListOptions({ request, query }: RequestContext, listRequest: ListRequest): ListOptions {
  if (request.query === '') return nothingAsked;
  const initial = query.get('sendInitialEvents');
  const options: ListOptions = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: (query.get('resourceVersionMatch') ?? '') as VersionMatch,
    limit: parseInteger(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: parseInteger(query, 'timeoutSeconds'),
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  const errors = listRequest === 'list' ? validateList(options) : validateWatch(options, listRequest.streamsLists);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

function validateWatch({ match, sendInitialEvents }: ListOptions, streamsLists: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match === '') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  }
  if (sendInitialEvents !== undefined && !streamsLists)
    errors.push(forbiddenField('sendInitialEvents', withoutWatchList));
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    return [
      forbiddenField(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    ];
  }
  if (match !== 'NotOlderThan') errors.push(notSupportedField('resourceVersionMatch', match, ['NotOlderThan']));
  return errors;
}

function validateList({ match, resourceVersion, continueToken, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (match === '') return errors;
  if (resourceVersion === '') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  }
  if (continueToken !== '') {
    errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(notSupportedField('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  }
  return errors;
}
