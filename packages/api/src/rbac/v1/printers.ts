import type { TablePrinter } from '@coracle/apimachinery';
import { age, name, plainPrinter, tablePrinter, text, wide } from '../../columns/table-printer.js';
import type { RoleBinding, Subject } from '../../generated/types/rbac-v1.js';

/** For bindings of both scopes, which have the same fields. */
const bindingPrinter = tablePrinter<RoleBinding>([
  name,
  text('Role', 'The role that is given.', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  age,
  wide(text('Users', 'The users who have it.', ({ subjects }) => namesOf(subjects, 'User'))),
  wide(text('Groups', 'The groups that have it.', ({ subjects }) => namesOf(subjects, 'Group'))),
  wide(
    text('ServiceAccounts', 'The service accounts that have it.', ({ subjects }) =>
      namesOf(subjects, 'ServiceAccount'),
    ),
  ),
]);

function namesOf(subjects: readonly Subject[] | undefined, kind: string): string {
  const subjectsOfKind = (subjects ?? []).filter((subject) => subject.kind === kind);
  return subjectsOfKind.map(({ namespace, name: own }) => (namespace ? `${namespace}/${own}` : own)).join(', ');
}

export const printers: Readonly<Record<string, TablePrinter>> = {
  ClusterRole: plainPrinter,
  ClusterRoleBinding: bindingPrinter,
  Role: plainPrinter,
  RoleBinding: bindingPrinter,
};
