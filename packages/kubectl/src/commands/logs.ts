import { isNotFound } from '@coracle/apimachinery';
import { type PodLogOptions, podLogs } from '@coracle/client';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, usageError, warn } from '../command/context.js';
import { chooseContainer, containersOf, findObject, podsBehind } from '../remote/find-pod.js';
import { WholeLines } from '../remote/whole-lines.js';
import { findOptions } from '../resources/common-flags.js';
import { requireResources } from '../resources/find-resources.js';
import { type Fields, textAt } from '../values.js';

const usage =
  "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";

interface LogSource {
  readonly pod: Fields;
  readonly container: string;
}

export async function run(context: Context): Promise<void> {
  const { args, flags } = context;
  const selector = flags.string('selector');
  if (args.length === 0 && selector === '') throw usageError(context, usage);
  if (args.length > 0 && selector !== '') throw usageError(context, 'only a selector (-l) or a POD name is allowed');
  if (args.length > 2) throw usageError(context, usage);
  if (args.length === 2) {
    if (flags.string('container') !== '')
      throw usageError(context, 'only one of -c or an inline [CONTAINER] arg is allowed');
    flags.set('container', args[1] ?? '');
  }
  checkFlags(context);
  const pods = selector === '' ? await podsOf(context, args[0] ?? '') : await selectedPods(context);
  const sources = pods.flatMap((pod) => sourcesOf(context, pod));
  await printLogs(context, sources);
}

function checkFlags({ flags }: Context): void {
  if (flags.string('since-time') !== '' && flags.number('since') !== 0)
    throw new CommandError('at most one of `sinceTime` or `sinceSeconds` may be specified');
  if (flags.changed('limit-bytes') && flags.number('limit-bytes') < 0)
    throw new CommandError('--limit-bytes must be greater than 0');
  if (flags.number('tail') < -1) throw new CommandError('--tail must be greater than or equal to -1');
  if (flags.bool('all-containers') && flags.string('container') !== '')
    throw new CommandError(
      `--all-containers=true should not be specified with container name ${flags.string('container')}`,
    );
}

async function podsOf(context: Context, word: string): Promise<Fields[]> {
  const { namespace } = await context.factory.namespace();
  const object = await findObject(context, word).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new CommandError(
      `error from server (NotFound): ${(error as Error).message} in namespace ${JSON.stringify(namespace)}`,
    );
  });
  if (textAt(object, 'kind') === 'Pod') return [object];
  const pods = await podsBehind(context, object, 'get the logs from');
  if (context.flags.bool('all-pods')) return pods;
  const [first] = pods;
  if (pods.length > 1 && first)
    warn(context, `Found ${pods.length} pods, using pod/${textAt(first, 'metadata', 'name')}`);
  return first ? [first] : [];
}

async function selectedPods(context: Context): Promise<Fields[]> {
  const infos = await requireResources(context.factory, await findOptions(context, { args: ['pods'] }));
  if (infos.length === 0)
    warn(context, `No resources found in ${(await context.factory.namespace()).namespace} namespace.`);
  return infos.map(({ object = {} }) => object);
}

function sourcesOf(context: Context, pod: Fields): LogSource[] {
  if (context.flags.bool('all-containers')) {
    const containers = containersOf(pod);
    const inOrder = [
      ...containers.filter(({ kind }) => kind === ' (init)'),
      ...containers.filter(({ kind }) => kind !== ' (init)'),
    ];
    return inOrder.map(({ name }) => ({ pod, container: name }));
  }
  return [{ pod, container: chooseContainer(context, pod) }];
}

async function printLogs(context: Context, sources: readonly LogSource[]): Promise<void> {
  const { flags } = context;
  const most = flags.number('max-log-requests');
  if (flags.bool('follow') && sources.length > most)
    throw new CommandError(
      `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${most}, use --max-log-requests to increase the limit`,
    );
  const failures: unknown[] = [];
  const one = async (source: LogSource) => {
    try {
      await printOne(context, source, sources.length === 1);
    } catch (error) {
      if (flags.bool('ignore-errors')) warn(context, `error: ${(error as Error).message}`);
      else failures.push(error);
    }
  };
  if (flags.bool('follow')) await Promise.all(sources.map(one));
  else for (const source of sources) await one(source);
  throwCollected(failures);
}

async function printOne(context: Context, { pod, container }: LogSource, isAlone: boolean): Promise<void> {
  const { host, flags, factory } = context;
  const name = textAt(pod, 'metadata', 'name');
  const prefix = flags.bool('prefix') || flags.bool('all-pods') ? `[pod/${name}/${container}] ` : '';
  const lines = new WholeLines(prefix, (bytes) => host.stdout.write(bytes));
  try {
    for await (const chunk of podLogs(await factory.client(), logOptions(context, { pod, container }))) {
      if (isAlone && prefix === '') host.stdout.write(chunk);
      else lines.write(chunk);
    }
  } catch (error) {
    if (!host.interrupted.aborted) throw error;
  } finally {
    lines.end();
  }
}

function logOptions({ flags, host }: Context, { pod, container }: LogSource): PodLogOptions {
  const selects = flags.string('selector') !== '' && !flags.changed('tail');
  const tail = selects ? 10 : flags.number('tail');
  return {
    namespace: textAt(pod, 'metadata', 'namespace'),
    pod: textAt(pod, 'metadata', 'name'),
    container,
    ...(flags.bool('follow') && { follow: true }),
    ...(flags.bool('previous') && { previous: true }),
    ...(flags.bool('timestamps') && { timestamps: true }),
    ...(flags.number('since') > 0 && { sinceSeconds: Math.ceil(flags.number('since') / 1000) }),
    ...(flags.string('since-time') !== '' && { sinceTime: flags.string('since-time') }),
    ...(tail >= 0 && { tailLines: tail }),
    ...(flags.number('limit-bytes') > 0 && { limitBytes: flags.number('limit-bytes') }),
    ...(flags.bool('insecure-skip-tls-verify-backend') && { insecureSkipTLSVerifyBackend: true }),
    signal: host.interrupted,
  };
}
