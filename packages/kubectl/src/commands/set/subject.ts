import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { type Fields, recordsAt, textAt } from '../../values.js';
import { subjectsOf } from '../create/subjects.js';
import { objectError, updateObjects } from './update-objects.js';

export async function run(context: Context): Promise<void> {
  const added = subjectsOf(context.flags);
  if (added.length === 0)
    throw new CommandError('you must specify at least one value of user, group or serviceaccount');
  await updateObjects(context, {
    operation: 'subjects updated',
    change: (object, info) => {
      if (!['RoleBinding', 'ClusterRoleBinding'].includes(textAt(object, 'kind')))
        throw objectError(info, 'setting subjects is only supported for RoleBinding/ClusterRoleBinding');
      return { ...object, subjects: withSubjects(recordsAt(object, 'subjects'), added) };
    },
  });
}

/** The subjects with those that are not among them. */
export function withSubjects(before: readonly Fields[], added: readonly Fields[]): Fields[] {
  const same = (a: Fields, b: Fields) =>
    ['kind', 'name', 'namespace'].every((field) => textAt(a, field) === textAt(b, field));
  return [...before, ...added.filter((one) => !before.some((other) => same(one, other)))];
}
