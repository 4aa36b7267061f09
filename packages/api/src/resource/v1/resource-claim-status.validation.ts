import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  tooLongField,
  tooManyField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from '../../generated/types/resource-v1.js';
import { checkConditions } from '../../validation/conditions.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkImmutable, checkRequiredSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkInterfaceAddress } from '../../validation/ip-checks.js';
import { checkNodeSelector } from '../../validation/node-selector.js';
import { checkReference, checkReferences, requestNames } from './device-claim.validation.js';
import {
  checkBindingConditions,
  checkLabel,
  checkLimited,
  checkOpaque,
  checkPoolName,
  checkRawObject,
  checkSet,
  maxItems,
} from './device-parts.validation.js';

const path = FieldPath.of('status');
const maxConsumers = 256;
const maxDataBytes = 10 * 1024;
const maxDeviceConditions = 8;

/** Reservations are added and removed one by one; the allocation is set before any of them, and does not change. */
export function validateResourceClaimStatusUpdate(claim: ResourceClaim, previous: ResourceClaim): FieldError[] {
  const { status = {} } = claim;
  return [
    ...checkSet(path.child('reservedFor'), status.reservedFor, {
      limit: maxConsumers,
      check: checkConsumer,
      keyOf: ({ uid }) => uid,
    }),
    ...checkDevices(path.child('devices'), status),
    ...checkReservation(claim, previous),
    ...checkAllocation(claim, previous.status?.allocation),
  ];
}

function checkConsumer(at: FieldPath, consumer: ResourceClaimConsumerReference): FieldError[] {
  const required = ['resource', 'name', 'uid'] as const;
  return required.filter((field) => !consumer[field]).map((field) => requiredField(at.child(field)));
}

function checkReservation({ metadata, status = {} }: ResourceClaim, previous: ResourceClaim): FieldError[] {
  const consumers = status.reservedFor ?? [];
  const field = path.child('reservedFor');
  if (consumers.length === 0) return [];
  if (!status.allocation) return [forbiddenField(field, 'may not be specified when `allocated` is not set')];
  const before = previous.status?.reservedFor ?? [];
  const isNew = consumers.some((consumer) => !before.some((old) => deepEqual(old, consumer)));
  if (metadata.deletionTimestamp === undefined || !isNew) return [];
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbiddenField(field, detail)];
}

function checkAllocation({ spec, status = {} }: ResourceClaim, before: AllocationResult | undefined): FieldError[] {
  const { allocation } = status;
  if (!allocation) return [];
  const field = path.child('allocation');
  if (before) return checkImmutable(field, allocation, before, goValue('resource-v1/AllocationResult', allocation));
  const names = requestNames(spec?.devices ?? {});
  const { results, config } = allocation.devices ?? {};
  return [
    ...checkLimited(field.child('devices', 'results'), results, {
      limit: maxItems,
      check: (at, one) => checkResult(at, one, names),
    }),
    ...checkLimited(field.child('devices', 'config'), config, {
      limit: 2 * maxItems,
      check: (at, one) => checkConfig(at, one, names),
    }),
    ...(allocation.nodeSelector ? checkNodeSelector(field.child('nodeSelector'), allocation.nodeSelector) : []),
  ];
}

function checkResult(at: FieldPath, result: DeviceRequestAllocationResult, names: ReadonlySet<string>): FieldError[] {
  return [
    ...checkReference(at.child('request'), result.request, names),
    ...checkDriverName(at.child('driver'), result.driver),
    ...checkPoolName(at.child('pool'), result.pool),
    ...checkLabel(at.child('device'), result.device),
    ...checkBindingConditions(at, result),
    ...checkShareId(at.child('shareID'), result.shareID),
  ];
}

function checkConfig(at: FieldPath, config: DeviceAllocationConfiguration, names: ReadonlySet<string>): FieldError[] {
  return [
    ...checkRequiredSupported(at.child('source'), config.source, ['FromClaim', 'FromClass']),
    ...checkReferences(at.child('requests'), config.requests, names),
    ...checkOpaque(at, config),
  ];
}

function checkShareId(at: FieldPath, id: string | undefined): FieldError[] {
  if (id === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return [];
  const detail =
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [invalidField(at, id, detail)];
}

/** The identity of a device, or of a share of one. */
type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

function idOf({ driver, pool, device, shareID }: DeviceId): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

function checkDevices(at: FieldPath, { devices, allocation }: ResourceClaimStatus): FieldError[] {
  const allocated = new Set((allocation?.devices?.results ?? []).map(idOf));
  return checkSet(at, devices, {
    limit: Number.POSITIVE_INFINITY,
    check: (field, device) => checkDevice(field, device, allocated),
    keyOf: idOf,
  });
}

function checkDevice(at: FieldPath, device: AllocatedDeviceStatus, allocated: ReadonlySet<string>): FieldError[] {
  const { data } = device;
  // Go writes `null` where there are none.
  const conditions = device.conditions ?? [];
  const id = idOf(device);
  return [
    ...checkDriverName(at.child('driver'), device.driver),
    ...checkPoolName(at.child('pool'), device.pool),
    ...checkLabel(at.child('device'), device.device),
    ...checkShareId(at.child('shareID'), device.shareID),
    ...(allocated.has(id) ? [] : [invalidField(at, id, 'must be an allocated device in the claim')]),
    ...(conditions.length > maxDeviceConditions
      ? [tooManyField(at.child('conditions'), conditions.length, maxDeviceConditions)]
      : []),
    ...checkConditions(at.child('conditions'), conditions),
    ...(data === undefined || data === null ? [] : checkRawObject(at.child('data'), data, maxDataBytes)),
    ...checkNetworkData(at.child('networkData'), device.networkData),
  ];
}

const maxNetworkBytes = { interfaceName: 256, hardwareAddress: 128 } as const;
const maxAddresses = 16;

function checkNetworkData(at: FieldPath, data: NetworkDeviceData | undefined): FieldError[] {
  if (!data) return [];
  const tooLong = (Object.keys(maxNetworkBytes) as (keyof typeof maxNetworkBytes)[]).filter(
    (field) => (data[field] ?? '').length > maxNetworkBytes[field],
  );
  return [
    ...tooLong.map((field) => tooLongField(at.child(field), maxNetworkBytes[field])),
    ...checkSet(at.child('ips'), data.ips, {
      limit: maxAddresses,
      check: checkInterfaceAddress,
      keyOf: (address) => address,
    }),
  ];
}
