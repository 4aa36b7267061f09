import { CommandError } from '../command/command-error.js';
import { type Context, print, usageError } from '../command/context.js';
import { intervalOf, lastSeen } from '../describe/tools.js';
import { formatSelector } from '../describe/writer.js';
import { findObject } from '../remote/find-pod.js';
import { RequestHelper, withQuery } from '../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../values.js';
import { explainAccess } from '../why/explain-access.js';
import { reasonsOfPod } from '../why/reasons-of-pod.js';

/** `why POD`, `why TYPE/NAME` and `why can-i VERB TYPE[/NAME]`. */
export async function run(context: Context): Promise<void> {
  const { args } = context;
  const [word, verb, target] = args;
  if (word === undefined) throw usageError(context, 'POD, TYPE/NAME or can-i VERB TYPE is required for why');
  if (word === 'can-i') {
    if (verb === undefined || target === undefined) throw usageError(context, 'why can-i needs a verb and a resource');
    return print(context, await explainAccess(context, verb, target));
  }
  if (args.length > 1) throw new CommandError('We accept only this format: why (POD | TYPE/NAME)');
  const object = await findObject(context, word);
  const pods = textAt(object, 'kind') === 'Pod' ? [object] : await podsOf(context, object);
  if (pods.length === 0)
    print(context, `${textAt(object, 'kind').toLowerCase()}/${textAt(object, 'metadata', 'name')} has no pods\n`);
  for (const pod of pods) print(context, await explainPod(context, pod));
  if (textAt(object, 'kind') !== 'Pod') print(context, await eventsText(context, object));
}

async function podsOf({ factory }: Context, object: Fields): Promise<Fields[]> {
  const labelSelector = formatSelector(recordAt(object, 'spec', 'selector'));
  if (labelSelector === '') throw new CommandError(`a ${textAt(object, 'kind')} has no pods`);
  const helper = new RequestHelper(await factory.client());
  const path = `/api/v1/namespaces/${textAt(object, 'metadata', 'namespace')}/pods`;
  return recordsAt(await helper.send('GET', withQuery(path, { labelSelector })), 'items').map((pod) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    ...pod,
  }));
}

async function explainPod(context: Context, pod: Fields): Promise<string> {
  const name = `pod/${textAt(pod, 'metadata', 'name')}`;
  const reasons = reasonsOfPod(pod);
  if (reasons.length === 0)
    return `${name} is ${textAt(pod, 'status', 'phase').toLowerCase() || 'unknown'} and ready\n`;
  return `${name}: ${reasons.join(`\n${' '.repeat(name.length + 2)}`)}\n${await eventsText(context, pod)}`;
}

/** The last warnings about an object. */
async function eventsText({ factory, host }: Context, object: Fields): Promise<string> {
  const helper = new RequestHelper(await factory.client());
  const path = `/api/v1/namespaces/${textAt(object, 'metadata', 'namespace')}/events`;
  const fieldSelector = `involvedObject.uid=${textAt(object, 'metadata', 'uid')}`;
  const events = recordsAt(await helper.send('GET', withQuery(path, { fieldSelector })), 'items').filter(
    (event) => event['type'] === 'Warning',
  );
  const latest = events.sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : 1)).slice(-3);
  return latest
    .map(
      (event) =>
        `  ${intervalOf(event, { now: host.clock.now() })} ago: ${textAt(event, 'reason')}: ${textAt(event, 'message')}\n`,
    )
    .join('');
}
