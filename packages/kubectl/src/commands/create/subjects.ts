import { CommandError } from '../../command/command-error.js';
import type { FlagValues } from '../../command/flag-values.js';
import type { Fields } from '../../values.js';

const apiGroup = 'rbac.authorization.k8s.io';

/** The subjects that `--user`, `--group` and `--serviceaccount` name. */
export function subjectsOf(flags: FlagValues): Fields[] {
  return [
    ...flags.strings('user').map((name) => ({ kind: 'User', apiGroup, name })),
    ...flags.strings('group').map((name) => ({ kind: 'Group', apiGroup, name })),
    ...flags.strings('serviceaccount').map(serviceAccount),
  ];
}

function serviceAccount(text: string): Fields {
  const [namespace = '', name = '', ...rest] = text.split(':');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new CommandError('serviceaccount must be <namespace>:<name>');
  return { kind: 'ServiceAccount', name, namespace };
}
