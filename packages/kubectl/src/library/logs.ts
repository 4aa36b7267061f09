import { type PodLogOptions, podLogs } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { containersOf } from '../remote/find-pod.js';
import { textAt } from '../values.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';

export type LogOptions = Omit<PodLogOptions, 'namespace' | 'pod'> & { readonly namespace?: string };

/** The lines of a container, the first one of the pod unless another is named. `web` and `pod/web` name the pod. */
export async function* logs(session: Session, pod: string, options: LogOptions = {}): AsyncGenerator<string> {
  const { factory, host } = session.context;
  const {
    object = {},
    namespace,
    name,
  } = await infoOf(session, pod.includes('/') ? pod : `pod/${pod}`, options.namespace);
  if (textAt(object, 'kind') !== 'Pod') throw new CommandError(`${pod} is not a pod`);
  const container = options.container ?? containersOf(object).find(({ kind }) => kind === '')?.name ?? '';
  const decoder = new TextDecoder();
  let rest = '';
  const chunks = podLogs(await factory.client(), {
    signal: host.interrupted,
    ...options,
    namespace,
    pod: name,
    container,
  });
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
