import { isLabelValue, isQualifiedName } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print, usageError } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt } from '../values.js';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface TaintChanges {
  readonly add: readonly Taint[];
  /** An empty effect stands for all of them. */
  readonly remove: readonly Taint[];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export async function run(context: Context): Promise<void> {
  const { args, flags, factory } = context;
  const isChange = (word: string) => word.includes('=') || word.includes(':') || word.endsWith('-');
  const first = args.findIndex(isChange);
  const resources = first < 0 ? [...args] : args.slice(0, first);
  const words = first < 0 ? [] : args.slice(first);
  if (resources.length === 0) throw new CommandError('one or more resources must be specified as <resource> <name>');
  const changes = parseTaints(context, words);
  const [type = ''] = resources;
  if (!['node', 'nodes', 'no'].includes(type.split('/')[0] ?? ''))
    throw new CommandError(`invalid resource type ${type}, only node types are supported`);
  if (words.length === 0) throw new CommandError('at least one taint update is required');
  const dryRun = dryRunOf(context);
  const { infos, errors } = await findResources(factory, await findOptions(context, { args: resources }));
  const failures = [...errors];
  for (const info of infos) {
    try {
      const { taints, operation } = changeTaints(info, changes, flags.bool('overwrite'));
      const object =
        dryRun === 'client'
          ? { ...info.object, spec: { ...recordAt(info.object, 'spec'), taints } }
          : await new RequestHelper(await factory.client()).patch(
              info,
              { type: 'merge', body: { spec: { taints: taints.length > 0 ? taints : null } } },
              writeParameters(context, dryRun),
            );
      print(context, (await printerOf(context, { operation })).print(object));
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

function parseTaints(context: Context, words: readonly string[]): TaintChanges {
  const add: Taint[] = [];
  const remove: Taint[] = [];
  for (const word of words) {
    if (word.endsWith('-')) {
      const [key = '', effect = ''] = word.slice(0, -1).split(':');
      checkEffect(context, effect, true);
      remove.push({ key: key.split('=')[0] ?? '', effect });
      continue;
    }
    const taint = parseTaint(context, word);
    const twice = add.find((one) => one.key === taint.key && one.effect === taint.effect);
    if (twice)
      throw usageError(
        context,
        `duplicated taints with the same key and effect: {${taint.key} ${taint.value ?? ''} ${taint.effect} <nil>}`,
      );
    add.push(taint);
  }
  return { add, remove };
}

/** `key=value:effect` or `key:effect`. */
function parseTaint(context: Context, word: string): Taint {
  const refuse = (text: string) => usageError(context, `invalid taint spec: ${word}, ${text}`);
  const parts = word.split(':');
  if (parts.length === 1) {
    const [problem] = isQualifiedName(word);
    throw problem ? refuse(problem) : refuse('an effect is required');
  }
  if (parts.length > 2) throw usageError(context, `invalid taint spec: ${word}`);
  const [pair = '', effect = ''] = parts;
  const [key = '', value, ...rest] = pair.split('=');
  checkEffect(context, effect, false);
  if (rest.length > 0) throw usageError(context, `invalid taint spec: ${word}`);
  const [valueProblem] = value === undefined ? [] : isLabelValue(value);
  if (valueProblem) throw refuse(valueProblem);
  const [keyProblem] = isQualifiedName(key);
  if (keyProblem) throw refuse(keyProblem);
  return { key, ...(value !== undefined && value !== '' && { value }), effect };
}

function checkEffect(context: Context, effect: string, mayBeEmpty: boolean): void {
  if (effects.includes(effect) || (mayBeEmpty && effect === '')) return;
  throw usageError(context, `invalid taint effect: ${effect}, unsupported taint effect`);
}

/** The taints of a node after the changes, and the operations for the message. */
export function changeTaints(
  { object = {}, name }: Info,
  { add, remove }: TaintChanges,
  overwrite: boolean,
): { taints: Fields[]; operation: string } {
  const before = recordsAt(object, 'spec', 'taints');
  const same = (taint: Fields, one: Taint) =>
    textAt(taint, 'key') === one.key && (one.effect === '' || textAt(taint, 'effect') === one.effect);
  if (!overwrite) {
    const taken = add.filter((one) => before.some((taint) => same(taint, one))).map(({ key }) => key);
    if (taken.length > 0)
      throw new CommandError(
        `node ${name} already has ${[...new Set(taken)].join(',')} taint(s) with same effect(s) and --overwrite is false`,
      );
  }
  const missing = remove.filter((one) => !before.some((taint) => same(taint, one)));
  throwCollected(
    missing.map(
      ({ key, effect }) =>
        new CommandError(`taint ${JSON.stringify(effect === '' ? key : `${key}:${effect}`)} not found`),
    ),
  );
  const remaining = before.filter(
    (taint) => !remove.some((one) => same(taint, one)) && !add.some((one) => same(taint, one)),
  );
  const replaces = before.some((taint) => add.some((one) => same(taint, one)));
  const operation =
    add.length > 0 && (remove.length > 0 || replaces) ? 'modified' : add.length > 0 ? 'tainted' : 'untainted';
  return { taints: [...add.map((one) => ({ ...one })), ...remaining], operation };
}
