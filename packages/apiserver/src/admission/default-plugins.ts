import type { Clock, Random } from '@coracle/base';
import type { Authorizer } from '../authorization/authorizer.js';
import type { ObjectReader, ObjectWriter } from '../registry/object-reader.js';
import type { AdmissionPlugin } from './admission.js';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './plugins/certificate-signers.js';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-class.js';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.js';
import { limitRanger } from './plugins/limit-ranger.js';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.js';
import { nodeRestriction } from './plugins/node-restriction.js';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.js';
import { podSecurity } from './plugins/pod-security.js';
import { priority } from './plugins/priority.js';
import { rbacEscalation } from './plugins/rbac-escalation.js';
import { resourceQuota } from './plugins/resource-quota.js';
import { runtimeClass } from './plugins/runtime-class.js';
import { serviceAccount } from './plugins/service-account.js';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.js';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.js';

export interface PluginDependencies {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
}

export interface PluginChoice {
  /** Beyond those that are on by default. */
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

/** The plugins that a server runs, in the order in which they are asked. */
export function defaultPlugins(deps: PluginDependencies, choice: PluginChoice = {}): AdmissionPlugin[] {
  const all: readonly AdmissionPlugin[] = [
    namespaceLifecycle(deps),
    limitRanger(deps),
    serviceAccount(deps),
    nodeRestriction(deps),
    taintNodesByCondition,
    podSecurity(deps),
    priority(deps),
    defaultTolerationSeconds,
    defaultStorageClass(deps),
    storageObjectInUseProtection,
    persistentVolumeClaimResize(deps),
    runtimeClass(deps),
    certificateApproval(deps),
    certificateSigning(deps),
    certificateSubjectRestriction,
    defaultIngressClass(deps),
    rbacEscalation(deps),
    resourceQuota(deps),
  ];
  for (const name of [...(choice.enable ?? []), ...(choice.disable ?? [])]) {
    if (!all.some((plugin) => plugin.name === name))
      throw new Error(`there is no admission plugin named ${JSON.stringify(name)}`);
  }
  return all.filter(({ name }) => !choice.disable?.includes(name));
}
