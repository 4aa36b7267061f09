import type { resourcev1 } from '@coracle/api';
import { type Change, withDevices } from './trial.js';

type Exactly = resourcev1.ExactDeviceRequest;

/** Changes with which the requests of a claim can be satisfied: fewer devices, tolerated taints, or no selectors. */
export function requestChanges(claim: resourcev1.ResourceClaim, helps: (change: Change) => boolean): readonly Change[] {
  return (claim.spec.devices?.requests ?? []).flatMap(({ name, exactly }) => {
    if (!exactly) return [];
    const about = `the request ${name} of the resource claim ${claim.metadata.name}`;
    const changed = (text: string, cost: number, other: Exactly) => ({
      text,
      cost,
      apply: (trial: Parameters<Change['apply']>[0]) =>
        withDevices(trial, { claims: [withRequest(claim, name, other)] }),
    });
    const { count: stated = 1, allocationMode, tolerations = [], selectors = [], ...rest } = exactly;
    const count = Number(stated);
    const fewer =
      allocationMode === 'All'
        ? []
        : counts(count).map((n) =>
            changed(`request ${n} instead of ${count} devices in ${about}`, 1, { ...exactly, count: n }),
          );
    const tolerant = changed(`tolerate the taints of devices in ${about}`, 1, {
      ...exactly,
      tolerations: [...tolerations, { operator: 'Exists' }],
    });
    const any = changed(`select other devices in ${about}: there are free ones of its class`, 2, {
      ...rest,
      count,
      tolerations,
      ...(allocationMode && { allocationMode }),
    });
    return [
      ...fewer.filter(helps).slice(0, 1),
      ...[tolerant].filter(helps),
      ...(selectors.length > 0 ? [any].filter(helps) : []),
    ];
  });
}

/** Smaller counts, the largest first. */
function counts(count: number): number[] {
  return Array.from({ length: Math.min(count - 1, mostTried) }, (_, index) => count - 1 - index);
}

const mostTried = 16;

function withRequest(claim: resourcev1.ResourceClaim, name: string, exactly: Exactly): resourcev1.ResourceClaim {
  const requests = claim.spec.devices?.requests?.map((one) => (one.name === name ? { ...one, exactly } : one));
  return { ...claim, spec: { ...claim.spec, devices: { ...claim.spec.devices, ...(requests && { requests }) } } };
}
