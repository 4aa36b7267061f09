import type { AuditEvent } from './audit-event.js';

/** One line of text, as `--audit-log-format=legacy` writes it. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs } = event;
  const quote = (text: string) => JSON.stringify(text);
  const groups = (list: readonly string[] | undefined) => list?.map(quote).join(',') || '"<none>"';
  const fields = [
    `id=${quote(event.auditID)}`,
    `stage=${quote(event.stage)}`,
    `ip=${quote(sourceIPs?.[0] ?? '<unknown>')}`,
    `method=${quote(event.verb)}`,
    `user=${quote(user.username ?? '<none>')}`,
    `groups=${groups(user.groups)}`,
    `as=${quote(impersonatedUser?.username ?? '<self>')}`,
    `asgroups=${impersonatedUser ? groups(impersonatedUser.groups) : '"<lookup>"'}`,
    `user-agent=${quote(event.userAgent ?? '')}`,
    `namespace=${quote(objectRef?.namespace ?? '<none>')}`,
    `uri=${quote(event.requestURI)}`,
    `response="${responseStatus?.code ?? '<deferred>'}"`,
  ];
  return `${event.requestReceivedTimestamp} AUDIT: ${fields.join(' ')}`;
}
