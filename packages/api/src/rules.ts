import type { GroupVersionKind } from '@coracle/apimachinery';
import { apiVersionOf } from '@coracle/apimachinery';
import { rules as admissionregistrationV1 } from './admissionregistration/v1/rules.js';
import { rules as apiextensionsV1 } from './apiextensions/v1/rules.js';
import { rules as apiregistrationV1 } from './apiregistration/v1/rules.js';
import { rules as appsV1 } from './apps/v1/rules.js';
import { rules as authenticationV1 } from './authentication/v1/rules.js';
import { rules as authorizationV1 } from './authorization/v1/rules.js';
import { rules as autoscalingV1 } from './autoscaling/v1/rules.js';
import { rules as autoscalingV2 } from './autoscaling/v2/rules.js';
import { rules as batchV1 } from './batch/v1/rules.js';
import { rules as certificatesV1 } from './certificates/v1/rules.js';
import { rules as certificatesV1beta1 } from './certificates/v1beta1/rules.js';
import { rules as coordinationV1 } from './coordination/v1/rules.js';
import { rules as coreV1 } from './core/v1/rules.js';
import { rules as discoveryV1 } from './discovery/v1/rules.js';
import { rules as eventsV1 } from './events/v1/rules.js';
import { rules as flowcontrolV1 } from './flowcontrol/v1/rules.js';
import type { KindRules, KindRulesTable } from './kind-rules.js';
import { rules as networkingV1 } from './networking/v1/rules.js';
import { rules as nodeV1 } from './node/v1/rules.js';
import { rules as policyV1 } from './policy/v1/rules.js';
import { rules as rbacV1 } from './rbac/v1/rules.js';
import { rules as resourceV1 } from './resource/v1/rules.js';
import { rules as resourceV1beta2 } from './resource/v1beta2/rules.js';
import { rules as schedulingV1 } from './scheduling/v1/rules.js';
import { rules as schedulingV1alpha2 } from './scheduling/v1alpha2/rules.js';
import { rules as storageV1 } from './storage/v1/rules.js';

const rulesByVersion: Readonly<Record<string, KindRulesTable>> = {
  v1: coreV1,
  'apps/v1': appsV1,
  'batch/v1': batchV1,
  'autoscaling/v1': autoscalingV1,
  'autoscaling/v2': autoscalingV2,
  'policy/v1': policyV1,
  'networking.k8s.io/v1': networkingV1,
  'storage.k8s.io/v1': storageV1,
  'rbac.authorization.k8s.io/v1': rbacV1,
  'scheduling.k8s.io/v1': schedulingV1,
  'scheduling.k8s.io/v1alpha2': schedulingV1alpha2,
  'coordination.k8s.io/v1': coordinationV1,
  'discovery.k8s.io/v1': discoveryV1,
  'node.k8s.io/v1': nodeV1,
  'certificates.k8s.io/v1': certificatesV1,
  'certificates.k8s.io/v1alpha1': certificatesV1beta1,
  'certificates.k8s.io/v1beta1': certificatesV1beta1,
  'admissionregistration.k8s.io/v1': admissionregistrationV1,
  'apiextensions.k8s.io/v1': apiextensionsV1,
  'apiregistration.k8s.io/v1': apiregistrationV1,
  'flowcontrol.apiserver.k8s.io/v1': flowcontrolV1,
  'resource.k8s.io/v1': resourceV1,
  'resource.k8s.io/v1alpha3': resourceV1beta2,
  'resource.k8s.io/v1beta2': resourceV1beta2,
  'events.k8s.io/v1': eventsV1,
  'authentication.k8s.io/v1': authenticationV1,
  'authorization.k8s.io/v1': authorizationV1,
};

const none: KindRules<never> = {};

/** The defaults and validation of a built-in kind; empty for a kind that has none. */
export function rulesOf<T>(gvk: GroupVersionKind): KindRules<T> {
  return rulesByVersion[apiVersionOf(gvk)]?.[gvk.kind] ?? (none as KindRules<T>);
}
