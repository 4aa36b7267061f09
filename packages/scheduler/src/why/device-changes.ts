import { nodeSelectorMatches, type resourcev1 } from '@coracle/api';
import { keyOf } from '@coracle/apimachinery';
import { readRequests } from '../plugins/devices/claim-requests.js';
import type { DeviceListers } from '../plugins/devices/device-listers.js';
import type { Situation } from './explain-pod.js';
import { refusalsAfter } from './refusals-after.js';
import { requestChanges } from './request-changes.js';
import { type Change, type Trial, withDevices, withSpec } from './trial.js';

type PodClaim = NonNullable<NonNullable<Trial['pod']['pod']['spec']>['resourceClaims']>[number];

/** Changes that would give the claims of a pod devices on the node. */
export function deviceChanges(trial: Trial, situation: Situation): readonly Change[] {
  const own = trial.pod.pod.spec?.resourceClaims ?? [];
  const { devices } = situation;
  if (!devices) return dropAll(own);
  const claims = own.map((one) => ({ one, claim: claimOf(trial, one, devices) }));
  const existing = claims.flatMap(({ claim }) => claim ?? []);
  return [
    ...claims.flatMap(({ one, claim }) => (claim ? [] : [createClaim(trial, one)])),
    ...existing.flatMap((claim) => missingClasses(claim, devices)),
    ...existing.flatMap((claim) => comeBack(trial, claim, devices)),
    ...existing.filter((claim) => !devices.allocations.of(claim)).flatMap((claim) => requestChanges(claim, helps)),
    ...freeDevices(trial, existing, devices).filter(helps).slice(0, 1),
    ...dropAll(own),
  ];

  /** Whether the plugin accepts the node after the change; others may not. */
  function helps(change: Change): boolean {
    return refusalsAfter(situation, change.apply(trial)).every(({ plugin }) => plugin !== 'DynamicResources');
  }
}

function claimNameOf({ pod }: Trial['pod'], { name, resourceClaimName }: PodClaim): string | undefined {
  return (
    resourceClaimName ?? pod.status?.resourceClaimStatuses?.find((status) => status.name === name)?.resourceClaimName
  );
}

function claimOf(
  { pod }: Trial,
  podClaim: PodClaim,
  devices: Pick<DeviceListers, 'claim'>,
): resourcev1.ResourceClaim | undefined {
  const claim = devices.claim(`${pod.namespace}/${claimNameOf(pod, podClaim)}`);
  return claim?.metadata.deletionTimestamp ? undefined : claim;
}

/** Simulates that the pod does not need the claim, whose requests are unknown. */
function createClaim({ pod }: Trial, podClaim: PodClaim): Change {
  const name = claimNameOf(pod, podClaim);
  const { resourceClaimTemplateName } = podClaim;
  const text =
    resourceClaimTemplateName && name === undefined
      ? `let the resource claim ${podClaim.name} be created from the template ${resourceClaimTemplateName}`
      : `create the resource claim ${name}`;
  return {
    text,
    cost: 2,
    apply: (trial) =>
      withSpec(trial, ({ resourceClaims = [], ...spec }) => ({
        ...spec,
        resourceClaims: resourceClaims.filter((one) => one.name !== podClaim.name),
      })),
  };
}

/** Simulates that each class has every device. */
function missingClasses(claim: resourcev1.ResourceClaim, devices: Pick<DeviceListers, 'deviceClass'>): Change[] {
  const names = readRequests(claim)
    .flatMap(({ choices }) => choices.map(({ className }) => className))
    .filter((name, index, all) => all.indexOf(name) === index && !devices.deviceClass(name));
  if (claim.status?.allocation || names.length === 0) return [];
  return [
    {
      text: `create the device class ${names.join(', ')}, which the resource claim ${claim.metadata.name} requests`,
      cost: 2,
      apply: (trial) => withDevices(trial, { classes: names.map((name) => ({ metadata: { name }, spec: {} })) }),
    },
  ];
}

/** A claim that has devices which the node cannot reach. */
function comeBack({ node }: Trial, claim: resourcev1.ResourceClaim, { allocations }: DeviceListers): Change[] {
  const selector = allocations.of(claim)?.nodeSelector;
  if (!selector || nodeSelectorMatches(selector, node.node)) return [];
  const { allocation: _allocation, ...status } = claim.status ?? {};
  return [
    {
      text: `${endUsers(claim)}: its devices are not on the node ${node.name}`,
      cost: 4,
      apply: (trial) => withDevices(trial, { claims: [{ ...claim, status }], freed: [keyOf(claim)] }),
    },
  ];
}

/** Releases each claim with devices of the node; or the first two, three, … together, the smallest first. */
function freeDevices(trial: Trial, own: readonly resourcev1.ResourceClaim[], devices: DeviceListers): Change[] {
  const ownKeys = new Set(own.map(keyOf));
  const size = (claim: resourcev1.ResourceClaim) => devices.allocations.of(claim)?.devices?.results?.length ?? 0;
  const holders = devices
    .holders(trial.node.node)
    .filter((claim) => !ownKeys.has(keyOf(claim)))
    .sort((a, b) => size(a) - size(b) || (keyOf(a) < keyOf(b) ? -1 : 1))
    .slice(0, mostHolders);
  const together = holders.map((_, index) => holders.slice(0, index + 1)).slice(1);
  return [...holders.map((claim) => [claim]), ...together].map((some) => ({
    text: some.map(endUsers).join(', '),
    cost: 3 + some.length,
    apply: (state) => withDevices(state, { freed: some.map(keyOf) }),
  }));
}

/** Maximum number of claims that are tried. */
const mostHolders = 16;

/** `end the pod shop/a, which uses the resource claim shop/gpu` */
function endUsers({ metadata, status }: resourcev1.ResourceClaim): string {
  const key = `${metadata.namespace}/${metadata.name}`;
  const users = (status?.reservedFor ?? []).map(({ name }) => `${metadata.namespace}/${name}`);
  if (users.length === 0) return `delete the resource claim ${key}`;
  const verb = users.length === 1 ? 'uses' : 'use';
  return `end the pod${users.length === 1 ? '' : 's'} ${users.join(' and ')}, which ${verb} the resource claim ${key}`;
}

function dropAll(claims: readonly PodClaim[]): Change[] {
  if (claims.length === 0) return [];
  const names = claims.map(({ name, resourceClaimName }) =>
    resourceClaimName ? `${name} (${resourceClaimName})` : name,
  );
  return [
    {
      text: `request other devices than those of the resource claim ${names.join(', ')}: without it the pod would run`,
      cost: 9,
      apply: (trial) => withSpec(trial, ({ resourceClaims: _claims, ...spec }) => spec),
    },
  ];
}
