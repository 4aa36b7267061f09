import type { ReferenceGrant } from './gateway-types.js';

export interface Reference {
  readonly from: { readonly group: string; readonly kind: string; readonly namespace: string };
  readonly to: { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string };
}

/** Whether an object may name one of another namespace: only a grant there allows it. */
export function isGranted({ from, to }: Reference, grants: readonly ReferenceGrant[]): boolean {
  if (from.namespace === to.namespace) return true;
  return grants.some(
    ({ metadata, spec }) =>
      metadata.namespace === to.namespace &&
      (spec?.from ?? []).some(
        (one) => one.group === from.group && one.kind === from.kind && one.namespace === from.namespace,
      ) &&
      (spec?.to ?? []).some(
        (one) => one.group === to.group && one.kind === to.kind && (one.name === undefined || one.name === to.name),
      ),
  );
}
