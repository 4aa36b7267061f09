const accountPrefix = 'system:serviceaccount:kube-system:';

/**
 * The user agent of a component by the name of its user. What stands before the slash is the field manager of what it
 * writes: controllers have accounts of their own, and are one program.
 */
export function userAgentOf(user: string): string {
  if (user.startsWith(accountPrefix)) return `kube-controller-manager/${user.slice(accountPrefix.length)}`;
  if (user === 'system:coracle:nodes' || user.startsWith('system:node:')) return 'kubelet';
  return user.replace(/^.*:/, '');
}
