import type { KubeObject } from '@coracle/apimachinery';

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/**
 * The finalizers that select how the garbage collector handles dependents, or `undefined` if they stay as they
 * are.
 */
export function finalizersAfter(
  { metadata }: KubeObject,
  options: { readonly propagationPolicy?: PropagationPolicy; readonly orphanDependents?: boolean },
  fallback: 'Background' | 'Orphan' = 'Background',
): string[] | undefined {
  const present = metadata.finalizers ?? [];
  const policy = explicitPolicy(options) ?? impliedPolicy(present) ?? fallback;
  const finalizers = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (policy === 'Orphan') finalizers.push(orphanFinalizer);
  if (policy === 'Foreground') finalizers.push(foregroundFinalizer);
  const same = finalizers.length === present.length && finalizers.every((name) => present.includes(name));
  return same ? undefined : finalizers;
}

function explicitPolicy(options: {
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
}): PropagationPolicy | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  return options.propagationPolicy;
}

function impliedPolicy(present: readonly string[]): PropagationPolicy | undefined {
  if (present.includes(orphanFinalizer)) return 'Orphan';
  return present.includes(foregroundFinalizer) ? 'Foreground' : undefined;
}
