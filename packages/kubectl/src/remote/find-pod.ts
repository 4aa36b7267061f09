import { CommandError, throwCollected } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { formatMap, formatSelector } from '../describe/writer.js';
import { findOptions } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';

/** An argument such as `web` or `deployment/web`, and the action for error messages. */
export interface PodWord {
  readonly word: string;
  /** `attach to`, `get the logs from`. */
  readonly action: string;
}

/** The pod of an argument: itself, or one of a workload or service. */
export async function findPod(context: Context, { word, action }: PodWord): Promise<{ pod: Fields; object: Fields }> {
  const object = await findObject(context, word);
  if (textAt(object, 'kind') === 'Pod') return { pod: object, object };
  const pods = await podsBehind(context, object, action);
  const [first] = pods;
  if (!first) throw new CommandError('timed out waiting for the condition');
  return { pod: first, object };
}

export async function findObject(context: Context, word: string): Promise<Fields> {
  const args = word.includes('/') ? [word] : ['pods', word];
  const filenames = context.flags.has('filename') ? context.flags.strings('filename') : [];
  const options = await findOptions(context, {
    args: filenames.length > 0 ? [] : args,
    filenames,
    latest: true,
    labelSelector: '',
  });
  const { infos, errors } = await findResources(context.factory, options);
  throwCollected(errors);
  return infos[0]?.object ?? {};
}

/** The pods of a workload or service, the best one first. Waits until there is one. */
export async function podsBehind(context: Context, object: Fields, action: string): Promise<Fields[]> {
  const { factory, host, flags } = context;
  const selector = selectorOf(object);
  const version = textAt(object, 'apiVersion').split('/').at(-1) ?? 'v1';
  const type = `*${version}.${textAt(object, 'kind')}`;
  if (selector === undefined) throw new CommandError(`cannot ${action} ${type}: selector for ${type} not implemented`);
  const helper = new RequestHelper(await factory.client());
  const path = withQuery(`/api/v1/namespaces/${textAt(object, 'metadata', 'namespace')}/pods`, {
    labelSelector: selector,
  });
  const deadline = host.clock.now() + flags.number('pod-running-timeout');
  for (;;) {
    const pods = recordsAt(await helper.send('GET', path), 'items').map((pod) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      ...pod,
    }));
    if (pods.length > 0) return pods.sort(byReadiness);
    if (host.clock.now() + 200 > deadline) throw new CommandError('timed out waiting for the condition');
    await sleep(host, 200);
  }
}

function selectorOf(object: Fields): string | undefined {
  switch (textAt(object, 'kind')) {
    case 'Deployment':
    case 'ReplicaSet':
    case 'DaemonSet':
    case 'StatefulSet':
    case 'Job':
      return formatSelector(recordAt(object, 'spec', 'selector'));
    case 'ReplicationController':
    case 'Service':
      return formatMap(stringMapAt(object, 'spec', 'selector'));
    default:
      return undefined;
  }
}

function byReadiness(a: Fields, b: Fields): number {
  const rank = (pod: Fields) =>
    textAt(pod, 'status', 'phase') === 'Running' ? 0 : textAt(pod, 'status', 'phase') === 'Pending' ? 1 : 2;
  return rank(a) - rank(b);
}

/** All containers of a pod, with what they are. */
export function containersOf(pod: Fields): { name: string; kind: '' | ' (init)' | ' (ephem)' }[] {
  const list = (field: string, kind: '' | ' (init)' | ' (ephem)') =>
    recordsAt(pod, 'spec', field).map((one) => ({ name: textAt(one, 'name'), kind }));
  return [...list('containers', ''), ...list('ephemeralContainers', ' (ephem)'), ...list('initContainers', ' (init)')];
}

/** The container that is requested, or the one that a pod means by default, with a hint about it. */
export function chooseContainer(context: Context, pod: Fields, quiet = false): string {
  const containers = containersOf(pod);
  const shown = containers.map(({ name, kind }) => name + kind).join(', ');
  const containerName = context.flags.string('container');
  if (containerName !== '') {
    if (!containers.some(({ name }) => name === containerName))
      throw new CommandError(
        `container ${containerName} is not valid for pod ${textAt(pod, 'metadata', 'name')} out of: ${shown}`,
      );
    return containerName;
  }
  const annotated = stringMapAt(pod, 'metadata', 'annotations')['kubectl.kubernetes.io/default-container'];
  if (annotated && containers.some(({ name }) => name === annotated)) return annotated;
  const first = containers[0]?.name ?? '';
  if (containers.length > 1 && !quiet)
    context.host.stderr.write(`Defaulted container ${JSON.stringify(first)} out of: ${shown}\n`);
  return first;
}
