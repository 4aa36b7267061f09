import { isNotFound } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { withSource } from '../command/format-error.js';
import { operationText } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import { dryRunOf, findOptions } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { type Info, kindName } from '../resources/info.js';
import { RequestHelper } from '../resources/request-helper.js';
import { waitUntilDeleted } from '../resources/wait-deleted.js';
import { type Fields, textAt } from '../values.js';

export interface Deletion {
  readonly cascade: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriod: number;
  readonly force: boolean;
  readonly dryRun: DryRun;
}

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (flags.string('raw') !== '') {
    if (args.length > 0) throw new CommandError('arguments may not be passed when --raw is specified');
    const { sendRaw } = await import('../resources/raw-request.js');
    return sendRaw(context, 'DELETE');
  }
  const deletion = deletionOf(context);
  const output = flags.string('output');
  if (output !== '' && output !== 'name')
    throw new CommandError(`unexpected -o output mode: ${output}. We only support '-o name'.`);
  const options = await findOptions(context, {
    namesOnly: true,
    ignoreNotFound: flags.bool('ignore-not-found') || flags.bool('all'),
    validate: true,
  });
  const { infos, errors } = await findResources(context.factory, options);
  if (errors.length > 0) throwCollected(errors);
  if (flags.has('preview') && flags.bool('preview')) {
    const { previewDeletion } = await import('./delete-preview.js');
    return previewDeletion(context, infos);
  }
  if (deletion.gracePeriod === 0 && deletion.force)
    warn(
      context,
      'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.',
    );
  if (flags.bool('interactive') && infos.length > 0 && !(await confirm(context, infos))) {
    print(context, 'deletion is cancelled\n');
    return;
  }
  await warnOfScope(context, infos);
  await deleteAll(context, infos, deletion);
}

/** With a namespace, the user may not expect that objects outside of it are deleted. */
async function warnOfScope(context: Context, infos: readonly Info[]): Promise<void> {
  const { enforced } = await context.factory.namespace();
  if (enforced && infos.some(({ mapping }) => mapping && !mapping.namespaced))
    warn(context, 'Warning: deleting cluster-scoped resources, not scoped to the provided namespace');
}

/** How objects are deleted, from the flags. */
function deletionOf(context: Context): Deletion {
  const { flags } = context;
  const dryRun = dryRunOf(context);
  const cascade = cascadeOf(flags.string('cascade'));
  const [period, now, force] = [
    flags.number('grace-period'),
    flags.has('now') && flags.bool('now'),
    flags.bool('force'),
  ];
  if (now && period !== -1) throw new CommandError('--now and --grace-period cannot be specified together');
  if (force && period > 0)
    throw new CommandError('--force and --grace-period greater than 0 cannot be specified together');
  // 0 means now only with --force: without it, it is as close to now as objects can be.
  const gracePeriod = now ? 1 : period === 0 && !force ? 1 : period < 0 && force ? 0 : period;
  return { cascade, gracePeriod, force, dryRun };
}

export function cascadeOf(value: string): Deletion['cascade'] {
  switch (value) {
    case 'background':
    case 'true':
      return 'Background';
    case 'foreground':
      return 'Foreground';
    case 'orphan':
    case 'false':
      return 'Orphan';
    default:
      throw new CommandError(`invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`);
  }
}

async function confirm(context: Context, infos: readonly Info[]): Promise<boolean> {
  print(context, `You are about to delete the following ${infos.length} resource(s):\n`);
  for (const info of infos) print(context, `${typeOf(info)}/${info.name}\n`);
  print(context, 'Do you want to continue? (y/N): ');
  const { readLine } = await import('../resources/read-line.js');
  return (await readLine(context.host)).trim().toLowerCase() === 'y';
}

async function deleteAll(context: Context, infos: readonly Info[], deletion: Deletion): Promise<void> {
  const { flags } = context;
  const ignoresMissing = flags.bool('ignore-not-found') || flags.bool('all');
  const deleted: { info: Info; uid: string }[] = [];
  const failures: unknown[] = [];
  let count = 0;
  for (const info of infos) {
    try {
      const answer = await deleteOne(context, info, deletion);
      count++;
      if (answer) deleted.push({ info, uid: uidOf(answer) });
    } catch (error) {
      if (ignoresMissing && isNotFound(error)) continue;
      failures.push(withSource(error, 'deleting', info.source));
    }
  }
  throwCollected(failures);
  const isFromFiles = infos.some(({ source }) => source !== '');
  if (
    count === 0 &&
    infos.length === 0 &&
    !isFromFiles &&
    flags.strings('filename').length === 0 &&
    flags.string('kustomize') === ''
  )
    print(context, 'No resources found\n');
  if (!flags.bool('wait') || deletion.dryRun !== 'none') return;
  await waitUntilDeleted(context, deleted, flags.number('timeout'));
}

/** Deletes one object and prints it. */
export async function deleteOne(context: Context, info: Info, deletion: Deletion): Promise<Fields | undefined> {
  const { factory, flags } = context;
  const say = () => print(context, deletedText(info, deletion, flags.has('output') ? flags.string('output') : ''));
  const answer = await sendDeletion(new RequestHelper(await factory.client()), info, deletion);
  say();
  return answer;
}

/** Deletes one object. The response is the object, or a Status about it; a client-side dry run has none. */
export async function sendDeletion(helper: RequestHelper, info: Info, deletion: Deletion): Promise<Fields | undefined> {
  if (deletion.dryRun === 'client') {
    await helper.get(info);
    return undefined;
  }
  return helper.delete(info, {
    ...(deletion.gracePeriod >= 0 && { gracePeriodSeconds: deletion.gracePeriod }),
    propagationPolicy: deletion.cascade,
    ...(deletion.dryRun === 'server' && { dryRun: ['All'] }),
  });
}

function deletedText(info: Info, { dryRun, force, gracePeriod }: Deletion, output: string): string {
  if (output === 'name') return `${typeOf(info)}/${info.name}\n`;
  const operation = gracePeriod === 0 && force ? 'force deleted' : 'deleted';
  const place = info.namespace === '' ? '' : ` from ${info.namespace} namespace`;
  return `${typeOf(info)} "${info.name}" ${operationText(`${operation}${place}`, dryRun)}\n`;
}

function typeOf({ mapping, object }: Info): string {
  return mapping ? kindName(mapping.kind, mapping.group) : kindName(textAt(object, 'kind'), '');
}

/** The response is the object, or a Status about it. */
export function uidOf(answer: Fields): string {
  return textAt(answer, 'metadata', 'uid') || textAt(answer, 'details', 'uid');
}
