import { formatHumanDuration, isNotFound } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { type Fields, numberAt, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import type { DescribeWriter } from './writer.js';

/** Reads of a description besides the object itself. */
export interface DescribeTools {
  readonly client: Client;
  readonly now: number;
  readonly showEvents: boolean;
  readonly chunkSize: number;
}

/** Writes the description of an object; events are added after it. */
export type Describer = (object: Fields, w: DescribeWriter, tools: DescribeTools) => Promise<void> | void;

export function ask({ client }: DescribeTools, path: string): Promise<Fields> {
  return new RequestHelper(client).send('GET', path);
}

/** The items of a list; none if there is no such list. */
export async function askForItems(tools: DescribeTools, path: string): Promise<Fields[]> {
  try {
    return recordsAt(await ask(tools, path), 'items');
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

export function ageOf(timestamp: string, { now }: DescribeTools): string {
  return timestamp === '' ? '<unknown>' : formatHumanDuration(now - Date.parse(timestamp));
}

/** The pods that a selector picks in a namespace. */
export function podsOf(tools: DescribeTools, namespace: string, selector: string): Promise<Fields[]> {
  return askForItems(tools, withQuery(`/api/v1/namespaces/${namespace}/pods`, { labelSelector: selector }));
}

/** How many pods of a controller are in which phase. */
export function podStatus(pods: readonly Fields[], uid: string): string {
  const own = pods.filter((pod) =>
    recordsAt(pod, 'metadata', 'ownerReferences').some((one) => one['uid'] === uid && one['controller'] === true),
  );
  const count = (phase: string) => own.filter((pod) => textAt(pod, 'status', 'phase') === phase).length;
  return `${count('Running')} Running / ${count('Pending')} Waiting / ${count('Succeeded')} Succeeded / ${count('Failed')} Failed`;
}

/** The events of an object, in a table or `<none>`. */
export async function writeEvents(w: DescribeWriter, object: Fields, tools: DescribeTools): Promise<void> {
  if (!tools.showEvents) return;
  const events = await eventsOf(object, tools);
  if (events.length === 0) {
    w.write(0, 'Events:\t<none>');
    return;
  }
  w.write(0, 'Events:');
  w.write(1, 'Type\tReason\tAge\tFrom\tMessage');
  w.write(1, '----\t------\t----\t----\t-------');
  for (const event of events) {
    const message = textAt(event, 'message').trim().split('\n')[0] ?? '';
    w.write(
      1,
      `${textAt(event, 'type')}\t${textAt(event, 'reason')}\t${intervalOf(event, tools)}\t${sourceOf(event)}\t${message}`,
    );
  }
}

/** The kubelet identifies its node by name alone; a static pod has a uid from its kubelet. */
function uidsOf(object: Fields): readonly string[] {
  const uid = textAt(object, 'metadata', 'uid');
  if (object['kind'] === 'Node') return [uid, textAt(object, 'metadata', 'name')];
  if (object['kind'] === 'Pod')
    return [stringMapAt(object, 'metadata', 'annotations')['kubernetes.io/config.mirror'] ?? uid];
  return [uid];
}

async function eventsOf(object: Fields, tools: DescribeTools): Promise<Fields[]> {
  const found = await Promise.all(uidsOf(object).map((uid) => eventsByUid(object, uid, tools)));
  return found.flat().sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : lastSeen(a) > lastSeen(b) ? 1 : 0));
}

async function eventsByUid(object: Fields, uid: string, tools: DescribeTools): Promise<Fields[]> {
  const metadata = recordAt(object, 'metadata');
  const [name, namespace] = [textAt(metadata, 'name'), textAt(metadata, 'namespace')];
  const fields = [
    `involvedObject.name=${name}`,
    `involvedObject.namespace=${namespace}`,
    `involvedObject.kind=${textAt(object, 'kind')}`,
    `involvedObject.uid=${uid}`,
  ].filter((field) => !field.endsWith('='));
  const path = namespace === '' ? '/api/v1/events' : `/api/v1/namespaces/${namespace}/events`;
  try {
    return await askForItems(
      tools,
      withQuery(path, { fieldSelector: fields.join(','), limit: tools.chunkSize || 500 }),
    );
  } catch {
    return [];
  }
}

export function lastSeen(event: Fields): string {
  return (
    textAt(event, 'series', 'lastObservedTime') ||
    textAt(event, 'lastTimestamp') ||
    textAt(event, 'eventTime') ||
    textAt(event, 'metadata', 'creationTimestamp')
  );
}

/** `4s`, or `4s (x2 over 10s)` for what happened more than once. */
export function intervalOf(event: Fields, { now }: Pick<DescribeTools, 'now'>): string {
  const since = (time: string) => (time === '' ? '<unknown>' : formatHumanDuration(now - Date.parse(time)));
  const first = textAt(event, 'eventTime') || textAt(event, 'firstTimestamp');
  const series = numberAt(event, 'series', 'count');
  if (series !== undefined)
    return `${since(textAt(event, 'series', 'lastObservedTime'))} (x${series} over ${since(first)})`;
  const count = numberAt(event, 'count') ?? 0;
  if (count > 1) return `${since(textAt(event, 'lastTimestamp'))} (x${count} over ${since(first)})`;
  return since(first);
}

function sourceOf(event: Fields): string {
  return textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
}
