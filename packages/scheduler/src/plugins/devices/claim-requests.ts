import { type Node, type resourcev1, toleratesDeviceTaint } from '@coracle/api';
import type { DeviceUse } from './allocated-devices.js';
import type { NodeDevices, PoolDevice } from './device-pools.js';
import type { DeviceSelectors } from './device-selectors.js';

export interface AllocationInput {
  readonly claims: readonly resourcev1.ResourceClaim[];
  readonly node: Node;
  readonly available: NodeDevices;
  /** What other claims have of the devices. */
  readonly use: DeviceUse;
  /** Names the shares of devices. */
  readonly shareId: () => string;
  readonly selectors: DeviceSelectors;
  readonly classOf: (name: string) => resourcev1.DeviceClass | undefined;
}

/** One request of a claim: the first of its choices that can be had is taken. */
export interface ClaimRequest {
  /** The uid of the claim. */
  readonly claim: string;
  readonly constraints: readonly resourcev1.DeviceConstraint[];
  readonly choices: readonly RequestChoice[];
}

export interface RequestChoice {
  /** `request`, or `request/subrequest`. */
  readonly name: string;
  readonly className: string;
  readonly selectors: readonly resourcev1.DeviceSelector[];
  readonly tolerations: readonly resourcev1.DeviceToleration[];
  readonly mode: 'All' | 'ExactCount';
  readonly count: number;
  readonly adminAccess: boolean;
  /** Requested capacities of the device, by name. */
  readonly capacity: Readonly<Record<string, string>>;
}

export function readRequests({ metadata, spec }: resourcev1.ResourceClaim): ClaimRequest[] {
  const { requests = [], constraints = [] } = spec.devices ?? {};
  return requests.map(({ name, exactly, firstAvailable = [] }) => ({
    claim: metadata.uid ?? '',
    constraints,
    choices: exactly
      ? [choiceOf(name, exactly, exactly.adminAccess)]
      : firstAvailable.map((one) => choiceOf(`${name}/${one.name}`, one, false)),
  }));
}

function choiceOf(
  name: string,
  request: resourcev1.ExactDeviceRequest | resourcev1.DeviceSubRequest,
  adminAccess = false,
): RequestChoice {
  const { deviceClassName, selectors = [], tolerations = [], allocationMode, count = 1, capacity } = request;
  const mode = allocationMode === 'All' ? 'All' : 'ExactCount';
  return {
    name,
    className: deviceClassName,
    selectors,
    tolerations,
    mode,
    count,
    adminAccess,
    capacity: capacity?.requests ?? {},
  };
}

/** The devices that a request may have, allocated or not. */
export function candidatesOf({ available, selectors, classOf }: AllocationInput, choice: RequestChoice): PoolDevice[] {
  const deviceClass = classOf(choice.className);
  if (!deviceClass) return [];
  const expressions = [...(deviceClass.spec.selectors ?? []), ...choice.selectors].flatMap(({ cel }) =>
    cel ? [cel.expression] : [],
  );
  return available.devices.filter(
    (device) =>
      toleratesTaints(choice, device) && expressions.every((expression) => selectors.matches(expression, device)),
  );
}

/** A claim that looks after devices sees them whatever their taints are. */
function toleratesTaints({ tolerations, adminAccess }: RequestChoice, { device }: PoolDevice): boolean {
  if (adminAccess) return true;
  return (device.taints ?? []).every(
    (taint) => taint.effect === 'None' || tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)),
  );
}
