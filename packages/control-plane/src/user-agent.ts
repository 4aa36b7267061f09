const accountPrefix = 'system:serviceaccount:kube-system:';

/**
 * The user agent of a component by the name of its user. The part before the slash is the field manager of its writes:
 * controllers have their own service accounts, and are one program.
 */
export function userAgentOf(user: string): string {
  if (user.startsWith(accountPrefix)) return `kube-controller-manager/${user.slice(accountPrefix.length)}`;
  if (user === 'system:coracle:nodes' || user.startsWith('system:node:')) return 'kubelet';
  return user.replace(/^.*:/, '');
}
