/** A parameter of a request, as both versions of OpenAPI describe it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const query = (type: Parameter['type'], description: string) => ({ in: 'query', type, description }) as const;
const path = (description: string) => ({ in: 'path', type: 'string', description }) as const;

/** Every parameter by name; where two that differ share a name, the key says more than the name. */
const parameters = {
  allowWatchBookmarks: query('boolean', 'Requests BOOKMARK events in a watch.'),
  command: query('string', 'The command to run, one argument each time that it is given.'),
  container: query('string', 'The container of the pod; may be left out if there is only one.'),
  continue: query('string', 'The token of the previous page of a list.'),
  dryRun: query('string', 'All: do everything but keep the result.'),
  fieldManager: query('string', 'The name under which the changed fields are owned.'),
  fieldSelector: query('string', 'Limits the objects by their fields.'),
  fieldValidation: query('string', 'Ignore, Warn or Strict: what becomes of unknown and duplicate fields.'),
  follow: query('boolean', 'Goes on with the log as it is written.'),
  force: query('boolean', 'Takes fields over from other managers in an apply.'),
  gracePeriodSeconds: query('integer', 'How long the object may take to end; zero means at once.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: query(
    'boolean',
    'Deletes an object that can no longer be read, whatever depends on it.',
  ),
  insecureSkipTLSVerifyBackend: query('boolean', 'Does not check the certificate of the node that has the log.'),
  labelSelector: query('string', 'Limits the objects by their labels.'),
  limit: query('integer', 'The largest number of objects in one answer.'),
  limitBytes: query('integer', 'The largest number of bytes of the log.'),
  logpath: path('The path of the log.'),
  name: path('The name of the object.'),
  namespace: path('The namespace of the object.'),
  orphanDependents: query('boolean', 'Use propagationPolicy instead.'),
  path: path('The path of the request that is passed on.'),
  pathQuery: query('string', 'The path of the request that is passed on.'),
  ports: query('integer', 'The ports to forward.'),
  pretty: query('string', 'Requests an answer with line breaks.'),
  previous: query('boolean', 'The log of the container that ended before this one.'),
  propagationPolicy: query('string', 'Orphan, Background or Foreground: what becomes of dependents.'),
  resourceVersion: query('string', 'The version from which to read.'),
  resourceVersionMatch: query('string', 'How resourceVersion is meant in a list.'),
  sendInitialEvents: query('boolean', 'Begins a watch with the objects that there are.'),
  shardSelector: query('string', 'Limits the objects to a share of them.'),
  sinceSeconds: query('integer', 'Only the log of this many seconds.'),
  stderr: query('boolean', 'Connects the standard error of the container.'),
  stdin: query('boolean', 'Connects the standard input of the container.'),
  stdout: query('boolean', 'Connects the standard output of the container.'),
  stream: query('string', 'All, Stdout or Stderr: which output the log has.'),
  tailLines: query('integer', 'Only the last lines of the log.'),
  timeoutSeconds: query('integer', 'The time after which a list or watch ends.'),
  timestamps: query('boolean', 'Begins each line of the log with its time.'),
  tty: query('boolean', 'Gives the command a terminal.'),
  watch: query('boolean', 'Requests changes instead of a list.'),
} as const;

export type ParameterKey = keyof typeof parameters;

export function parameterOf(key: ParameterKey): Parameter {
  return { name: key === 'pathQuery' ? 'path' : key, ...parameters[key] };
}

const listing: readonly ParameterKey[] = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
];
const deletion: readonly ParameterKey[] = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const watching: readonly ParameterKey[] = [...listing, 'allowWatchBookmarks', 'pretty', 'watch'];
const writing: readonly ParameterKey[] = ['dryRun', 'fieldManager', 'fieldValidation', 'pretty'];

/** The parameters of an action, without path parameters. */
export const parametersOfAction: Readonly<Record<string, readonly ParameterKey[]>> = {
  get: ['pretty'],
  list: watching,
  watch: watching,
  watchlist: watching,
  post: writing,
  put: writing,
  patch: [...writing, 'force'],
  delete: [...deletion, 'pretty'],
  deletecollection: [...deletion, ...listing, 'pretty'],
  connect: [],
};

const streams: readonly ParameterKey[] = ['container', 'stderr', 'stdin', 'stdout', 'tty'];

/** Additional parameters of a subresource. */
export const parametersOfSubresource: Readonly<Record<string, readonly ParameterKey[]>> = {
  'pods/attach': streams,
  'pods/exec': ['command', ...streams],
  'pods/portforward': ['ports'],
  'pods/proxy': ['pathQuery'],
  'services/proxy': ['pathQuery'],
  'nodes/proxy': ['pathQuery'],
  'pods/log': [
    'container',
    'follow',
    'insecureSkipTLSVerifyBackend',
    'limitBytes',
    'previous',
    'sinceSeconds',
    'stream',
    'tailLines',
    'timestamps',
  ],
};
