import { type corev1, isTerminalPod, type Pod, type resourcev1 } from '@coracle/api';
import { controllerOf } from '@coracle/apimachinery';

export const podClaimName = 'resource.kubernetes.io/pod-claim-name';

/**
 * Whether the pod will not run again, so that its claims can be released. A pod that is deleted before it has a node
 * never ran.
 */
export function isDone(pod: Pod): boolean {
  return isTerminalPod(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName);
}

/** The references of a pod to a claim template. */
export function templateClaims({ spec }: Pod): corev1.PodResourceClaim[] {
  return (spec?.resourceClaims ?? []).filter(
    ({ resourceClaimTemplateName }) => resourceClaimTemplateName !== undefined,
  );
}

/** The claim that was generated for one of a pod's references, whether or not it is in the pod's status yet. */
export function generatedClaim(
  pod: Pod,
  reference: string,
  owned: readonly resourcev1.ResourceClaim[],
): resourcev1.ResourceClaim | undefined {
  return owned.find(
    (claim) =>
      controllerOf(claim)?.uid === pod.metadata.uid && claim.metadata.annotations?.[podClaimName] === reference,
  );
}

/** Maximum length of the prefix: a hyphen and five random characters are added, up to 63. */
const longestBase = 57;

/** Long names of pods and claims are truncated proportionally, because the server would truncate only the end. */
function generatedBase(pod: string, reference: string): string {
  const base = `${pod}-${reference}-`;
  if (base.length <= longestBase) return base;
  const start = (name: string) => name.slice(0, Math.trunc((name.length * longestBase) / base.length));
  return `${start(pod)}-${start(reference)}`;
}

export function claimFromTemplate(
  pod: Pod,
  reference: string,
  { spec }: resourcev1.ResourceClaimTemplate,
): resourcev1.ResourceClaim {
  const { name = '', namespace, uid = '' } = pod.metadata;
  const { labels, annotations } = spec?.metadata ?? {};
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generatedBase(name, reference),
      ...(namespace && { namespace }),
      ...(labels && { labels }),
      annotations: { ...annotations, [podClaimName]: reference },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: spec?.spec ?? {},
  };
}

/** The name of the claim behind a reference of a pod; `undefined` while it has not been made. */
export function claimNameOf({ status }: Pod, reference: corev1.PodResourceClaim): string | undefined {
  if (reference.resourceClaimName !== undefined) return reference.resourceClaimName;
  return status?.resourceClaimStatuses?.find(({ name }) => name === reference.name)?.resourceClaimName;
}
