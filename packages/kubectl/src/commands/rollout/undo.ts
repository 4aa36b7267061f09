import { writeJson } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { podTemplateText } from '../../describe/pods.js';
import { printerOf } from '../../printers/print-flags.js';
import type { DryRun } from '../../resources/common-flags.js';
import { dryRunOf } from '../../resources/common-flags.js';
import type { Info } from '../../resources/info.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { at, type Fields, recordAt, sortKeys, stringMapAt, textAt } from '../../values.js';
import { groupKindText, groupOf, isBuiltInWorkload, type Revision, revisionsOf } from './revisions.js';
import { rolloutTargets } from './targets.js';

export async function run(context: Context): Promise<void> {
  const dryRun = dryRunOf(context);
  const { infos, errors } = await rolloutTargets(context);
  const failures = [...errors];
  for (const info of infos) {
    try {
      const operation = await undo(context, info, { dryRun, revision: context.flags.number('to-revision') });
      const printer = await printerOf(context, { operation, dryRun });
      print(context, printer.print(info.object ?? {}));
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

/** Rolls back to a revision, by default the previous one, and returns the message. */
export async function undo(
  context: Pick<Context, 'factory'>,
  info: Info,
  { dryRun, revision: targetRevision }: { readonly dryRun: DryRun; readonly revision: number },
): Promise<string> {
  const object = info.object ?? {};
  const kind = textAt(object, 'kind');
  if (!['Deployment', 'DaemonSet', 'StatefulSet'].includes(kind)) throw noRollback(object);
  const revision = chosen(await revisionsOf(context, info), targetRevision, object);
  if (dryRun === 'client') return podTemplateText(revision.template);
  if (kind === 'Deployment' && at(object, 'spec', 'paused') === true)
    throw new CommandError(
      "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    );
  if (isCurrent(object, revision))
    return `skipped rollback (current template already matches revision ${revision.number})`;
  const helper = new RequestHelper(await context.factory.client());
  const parameters = dryRun === 'server' ? { dryRun: true } : {};
  if (kind === 'Deployment')
    await helper.patch(info, { type: 'json', body: deploymentPatch(object, revision) }, parameters);
  else await helper.patch(info, { type: 'strategic', body: recordAt(revision.object, 'data') }, parameters);
  return 'rolled back';
}

function noRollback(object: Fields): CommandError {
  const text = JSON.stringify(groupKindText(object));
  if (isBuiltInWorkload(object)) return new CommandError(`no rollbacker has been implemented for ${text}`);
  const visited = `{${groupOf(object)} ${textAt(object, 'kind')}}`;
  return new CommandError(`error retrieving rollbacker for ${text}, no visitor method exists for ${visited}`);
}

function chosen(revisions: readonly Revision[], target: number, workload: Fields): Revision {
  if (target > 0) {
    const found = revisions.find(({ number }) => number === target);
    if (!found) throw new CommandError(`unable to find specified revision ${target} in history`);
    return found;
  }
  const previous = revisions.at(-2);
  if (previous) return previous;
  if (textAt(workload, 'kind') !== 'Deployment') throw new CommandError('no last revision to roll back to');
  const name = JSON.stringify(textAt(workload, 'metadata', 'name'));
  throw new CommandError(`no rollout history found for deployment ${name}`);
}

function withoutHash(template: Fields): Fields {
  const { 'pod-template-hash': _, ...labels } = stringMapAt(template, 'metadata', 'labels');
  return { ...template, metadata: { ...recordAt(template, 'metadata'), labels } };
}

function isCurrent(object: Fields, { template }: Revision): boolean {
  const text = (one: Fields) => writeJson(sortKeys(withoutHash(one)));
  return text(recordAt(object, 'spec', 'template')) === text(template);
}

const keptAnnotations = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
];

/** The template of the revision, and the annotations that went with it. */
function deploymentPatch(object: Fields, { template, object: set }: Revision): Fields[] {
  const own = stringMapAt(object, 'metadata', 'annotations');
  const theirs = stringMapAt(set, 'metadata', 'annotations');
  const annotations: Record<string, string> = {};
  for (const key of keptAnnotations) if (own[key] !== undefined) annotations[key] = own[key];
  for (const [key, value] of Object.entries(theirs)) if (!keptAnnotations.includes(key)) annotations[key] = value;
  return [
    { op: 'replace', path: '/spec/template', value: withoutHash(template) },
    { op: 'replace', path: '/metadata/annotations', value: annotations },
  ];
}
