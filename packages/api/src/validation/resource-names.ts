import { type FieldError, type FieldPath, invalidField, isQualifiedName } from '@coracle/apimachinery';
import { checkValue } from './field-checks.js';

const nativeDomain = 'kubernetes.io/';
const hugePages = 'hugepages-';

const containerResources = ['cpu', 'memory', 'ephemeral-storage'];
const quotaResources = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];
const countedResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

const standardResources = new Set([...quotaResources, 'storage']);
const standardContainerResources = new Set(containerResources);
const standardQuotaResources = new Set(quotaResources);
const integerResources = new Set(countedResources);

export function isHugePageResource(name: string): boolean {
  return name.startsWith(hugePages);
}

function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith(`requests.${hugePages}`);
}

export function isStandardQuotaResource(name: string): boolean {
  return standardQuotaResources.has(name) || isQuotaHugePageResource(name);
}

/** Resources of the cluster itself: those without a domain, and those in its own. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(nativeDomain);
}

/** Every device class can be requested by this and its name. */
export const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

/** Devices and the like that a node offers under a domain of their own. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

/** Only whole units of these make sense. */
export function isIntegerResource(name: string): boolean {
  return integerResources.has(name) || isExtendedResource(name);
}

/** Whether a container may request less than it is limited to. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

export function checkResourceName(path: FieldPath, name: string): FieldError[] {
  if (standardResources.has(name)) return [];
  const errors = checkValue(path, name, isQualifiedName);
  if (errors.length > 0 || name.includes('/')) return errors;
  return isQuotaHugePageResource(name)
    ? []
    : [invalidField(path, name, 'must be a standard resource type or fully qualified')];
}

export function checkContainerResourceName(path: FieldPath, name: string): FieldError[] {
  const errors = checkResourceName(path, name);
  if (!name.includes('/')) {
    if (!standardContainerResources.has(name) && !isHugePageResource(name)) {
      errors.push(invalidField(path, name, 'must be a standard resource for containers'));
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalidField(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

export function checkQuotaResourceName(path: FieldPath, name: string): FieldError[] {
  const errors = checkResourceName(path, name);
  if (!name.includes('/') && !isStandardQuotaResource(name)) {
    errors.push(invalidField(path, name, 'must be a standard resource for quota'));
  }
  return errors;
}
