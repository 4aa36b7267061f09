import type { GroupResource, KubeObject } from '@coracle/apimachinery';
import { strategies as admissionregistration } from './admissionregistration/strategies.js';
import { strategies as apiextensions } from './apiextensions/strategies.js';
import { strategies as apiregistration } from './apiregistration/strategies.js';
import { strategies as apps } from './apps/strategies.js';
import { strategies as authentication } from './authentication/strategies.js';
import { strategies as authorization } from './authorization/strategies.js';
import { strategies as autoscaling } from './autoscaling/strategies.js';
import { strategies as batch } from './batch/strategies.js';
import { strategies as certificates } from './certificates/strategies.js';
import { strategies as coordination } from './coordination/strategies.js';
import { strategies as core } from './core/strategies.js';
import { strategies as discovery } from './discovery/strategies.js';
import { strategies as events } from './events/strategies.js';
import { strategies as flowcontrol } from './flowcontrol/strategies.js';
import { strategies as networking } from './networking/strategies.js';
import { strategies as node } from './node/strategies.js';
import { strategies as policy } from './policy/strategies.js';
import { strategies as rbac } from './rbac/strategies.js';
import { strategies as resource } from './resource/strategies.js';
import { strategies as scheduling } from './scheduling/strategies.js';
import { strategies as storage } from './storage/strategies.js';
import type { Strategy, StrategyTable } from './strategy.js';

const strategiesByGroup: Readonly<Record<string, StrategyTable>> = {
  '': core,
  'admissionregistration.k8s.io': admissionregistration,
  'apiextensions.k8s.io': apiextensions,
  'apiregistration.k8s.io': apiregistration,
  apps: apps,
  'authentication.k8s.io': authentication,
  'authorization.k8s.io': authorization,
  autoscaling: autoscaling,
  batch: batch,
  'certificates.k8s.io': certificates,
  'coordination.k8s.io': coordination,
  'discovery.k8s.io': discovery,
  'events.k8s.io': events,
  'flowcontrol.apiserver.k8s.io': flowcontrol,
  'networking.k8s.io': networking,
  'node.k8s.io': node,
  policy: policy,
  'rbac.authorization.k8s.io': rbac,
  'resource.k8s.io': resource,
  'scheduling.k8s.io': scheduling,
  'storage.k8s.io': storage,
};

const plain: Strategy = {};

/** The strategy of a built-in resource; most have none. */
export function strategyOf({ group, resource }: GroupResource): Strategy<KubeObject> {
  return (strategiesByGroup[group]?.[resource] as Strategy | undefined) ?? plain;
}
