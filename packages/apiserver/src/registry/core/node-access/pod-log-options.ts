import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidField,
  notSupportedField,
  parseTime,
} from '@coracle/apimachinery';
import { isTrue } from '../../../parse-request-info.js';

/** The query of a log request to a kubelet, in the order in which kube-apiserver writes it. */
const passedOn = [
  'follow',
  'previous',
  'sinceSeconds',
  'sinceTime',
  'timestamps',
  'tailLines',
  'limitBytes',
  'insecureSkipTLSVerifyBackend',
  'stream',
] as const;

/** Boolean options. */
const flags: ReadonlySet<string> = new Set(['follow', 'previous', 'timestamps', 'insecureSkipTLSVerifyBackend']);

/** Upstream's name of the options in errors that concern no single field. */
const wholeQuery = '[]';

const streams = ['All', 'Stderr', 'Stdout'];

export interface LogRequest {
  readonly podName: string;
  readonly query: URLSearchParams;
  /** Whether a client may request one of the two output streams. */
  readonly splitsStreams: boolean;
}

/** Checks the query of a log request, and returns the query for the kubelet. */
export function podLogQuery({ podName, query, splitsStreams }: LogRequest): string {
  const errors = [
    ...atLeast('sinceSeconds', query, { minimum: 1, detail: 'must be greater than 0' }),
    ...atLeast('tailLines', query, { minimum: 0, detail: 'must be greater than or equal to 0' }),
    ...atLeast('limitBytes', query, { minimum: 1, detail: 'must be greater than 0' }),
    ...sinceOnce(query),
    ...(splitsStreams ? knownStream(query) : noStream(query)),
  ];
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, podName, errors);
  const parameters = new URLSearchParams();
  for (const name of passedOn) {
    const value = query.get(name);
    if (value !== null && (!flags.has(name) || isTrue(value))) parameters.set(name, flags.has(name) ? 'true' : value);
  }
  return parameters.toString();
}

function atLeast(
  name: string,
  query: URLSearchParams,
  { minimum, detail }: { readonly minimum: number; readonly detail: string },
): FieldError[] {
  const value = query.get(name);
  if (value === null || (/^-?\d+$/.test(value) && Number(value) >= minimum)) return [];
  return [invalidField(name, Number.isNaN(Number(value)) ? value : Number(value), detail)];
}

function sinceOnce(query: URLSearchParams): FieldError[] {
  const time = query.get('sinceTime');
  if (time === null) return [];
  if (query.get('sinceSeconds') !== null)
    return [forbiddenField(wholeQuery, 'at most one of `sinceTime` or `sinceSeconds` may be specified')];
  return parseTime(time) === undefined ? [invalidField('sinceTime', time, 'must be a time')] : [];
}

function noStream(query: URLSearchParams): FieldError[] {
  return query.has('stream') ? [forbiddenField('stream', 'may not be specified')] : [];
}

/** `tailLines` cannot be combined with one output stream. */
function knownStream(query: URLSearchParams): FieldError[] {
  const stream = query.get('stream');
  if (stream === null || stream === 'All') return [];
  if (!streams.includes(stream)) return [notSupportedField('stream', stream, streams)];
  if (query.get('tailLines') === null) return [];
  return [forbiddenField(wholeQuery, '`tailLines` and specific `stream` are mutually exclusive for now')];
}
