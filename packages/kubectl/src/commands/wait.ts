import { isNotFound, JsonPath } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { relaxedPath } from '../printers/custom-columns.js';
import { printerOf } from '../printers/print-flags.js';
import { findOptions } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { type Info, resourceName } from '../resources/info.js';
import { RequestHelper } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, recordsAt, textAt } from '../values.js';

/** The condition of a wait. */
export type Goal =
  | { readonly kind: 'delete' }
  | { readonly kind: 'create' }
  | { readonly kind: 'state'; readonly holds: (object: Fields) => boolean };

const week = 168 * 3_600_000;
const pause = 200;

export async function run(context: Context): Promise<void> {
  const { flags, host } = context;
  const goals = flags.strings('for').map(parseGoal);
  if (goals.length === 0) throw new CommandError('unrecognized condition: []');
  const timeout = flags.number('timeout');
  const deadline = host.clock.now() + (timeout < 0 ? week : timeout);
  const printer = await printerOf(context, { operation: 'condition met' });
  for (const goal of goals) {
    const infos = await targetsFor(context, goal, deadline);
    const failures: unknown[] = [];
    for (const info of infos) {
      try {
        const object = await waitFor(context, info, { goal, deadline, asksOnce: timeout === 0 });
        if (object) print(context, printer.print(object));
      } catch (error) {
        failures.push(error);
      }
    }
    throwCollected(failures);
  }
}

/** `delete`, `create`, `condition=Ready[=True]` or `jsonpath='{.path}'[=value]`. */
export function parseGoal(text: string): Goal {
  if (text.toLowerCase() === 'delete') return { kind: 'delete' };
  if (text.toLowerCase() === 'create') return { kind: 'create' };
  if (text.startsWith('condition=')) {
    const [name = '', value = 'true'] = text.slice('condition='.length).split(/=(.*)/s);
    return { kind: 'state', holds: (object) => hasCondition(object, name, value) };
  }
  if (text.startsWith('jsonpath=')) return { kind: 'state', holds: pathGoal(text.slice('jsonpath='.length)) };
  throw new CommandError(`unrecognized condition: ${JSON.stringify(text)}`);
}

function hasCondition(object: Fields, name: string, value: string): boolean {
  const condition = recordsAt(object, 'status', 'conditions').find(
    (one) => textAt(one, 'type').toLowerCase() === name.toLowerCase(),
  );
  if (!condition || textAt(condition, 'status').toLowerCase() !== value.toLowerCase()) return false;
  const observed = condition['observedGeneration'] ?? (object['status'] as Fields | undefined)?.['observedGeneration'];
  const generation = (object['metadata'] as Fields | undefined)?.['generation'];
  return typeof observed !== 'number' || typeof generation !== 'number' || observed >= generation;
}

/** A path with a value holds when it has that value; a path alone when it has any. */
function pathGoal(text: string): (object: Fields) => boolean {
  const trimmed = text.replace(/^'|'$/g, '');
  const split = /^(.*\})'?(?:=(.*))?$/s.exec(trimmed) ?? /^([^=]*)(?:=(.*))?$/s.exec(trimmed);
  const [, pathText = '', value] = split ?? [];
  const path = new JsonPath(relaxedPath(pathText.replace(/'$/, '')), { allowMissing: true, indexesMustExist: false });
  const expected = value?.replace(/^(['"])(.*)\1$/s, '$2');
  return (object) => {
    const found = path.find(object);
    if (found.length === 0) return false;
    if (found.length > 1) throw new CommandError('given jsonpath expression matches more than one value');
    const [first] = found;
    if (expected === undefined) return first !== null && first !== undefined && first !== '';
    if (typeof first === 'object' && first !== null)
      throw new CommandError('jsonpath leads to a nested object or list which is not supported');
    return String(first) === expected;
  };
}

/** The objects to wait for. With `create` they may not be there yet. */
async function targetsFor(context: Context, goal: Goal, deadline: number): Promise<Info[]> {
  const { flags, factory, host } = context;
  const selects = flags.string('selector') !== '' || flags.string('field-selector') !== '' || flags.bool('all');
  const options = await findOptions(context, {
    latest: true,
    ...(goal.kind === 'create' && selects && { listsTypes: true }),
  });
  for (;;) {
    const { infos, errors } = await findResources(factory, options);
    if (goal.kind === 'delete') {
      const real = errors.filter((error) => !isNotFound(error));
      throwCollected(real);
      return infos;
    }
    const isMissing = errors.length > 0 && errors.every((error) => isNotFound(error));
    if (goal.kind === 'create' && (isMissing || infos.length === 0)) {
      if (host.clock.now() + pause > deadline) throw new CommandError('timed out waiting for the condition');
      await sleep(host, pause);
      continue;
    }
    throwCollected(errors);
    if (infos.length === 0) throw new CommandError('no matching resources found');
    return infos;
  }
}

export interface Waiting {
  readonly goal: Goal;
  readonly deadline: number;
  /** Fails at once where the goal is not reached. */
  readonly asksOnce?: boolean;
}

/** Waits for one object. Returns its state when the condition was met. */
export async function waitFor(
  { factory, host }: Pick<Context, 'factory' | 'host'>,
  info: Info,
  { goal, deadline, asksOnce = false }: Waiting,
): Promise<Fields | undefined> {
  const helper = new RequestHelper(await factory.client());
  const uid = textAt(info.object, 'metadata', 'uid');
  let object: Fields | undefined = info.object;
  for (;;) {
    if (goal.kind === 'create' && object) return object;
    if (goal.kind === 'delete' && (!object || textAt(object, 'metadata', 'uid') !== uid)) return info.object;
    if (goal.kind === 'state' && object && goal.holds(object)) return object;
    if (goal.kind === 'state' && !object) throw new CommandError(`${resourceName(info)} was deleted`);
    if (asksOnce) throw new CommandError(`condition not met for ${resourceName(info)}`);
    if (host.clock.now() + pause > deadline)
      throw new CommandError(`timed out waiting for the condition on ${resourceName(info)}`);
    await sleep(host, pause);
    object = await helper.get(info).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }
}
