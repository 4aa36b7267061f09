import { type authenticationv1, type CSIVolumeSource, type Pod, refs, type Volume } from '@coracle/api';
import { type KubeObject, notFound } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import type { Authorizer } from '../../authorization/authorizer.js';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes } from '../admission.js';

export interface RestrictionDependencies {
  readonly objects: ObjectReader;
  readonly authorizer: Authorizer;
}

/**
 * Why a node gets no token for a service account: the token must be bound to a pod on that node, for an audience that
 * the pod uses.
 */
export function tokenProblem(
  attributes: AdmissionAttributes,
  nodeName: string,
  deps: RestrictionDependencies,
): MaybePromise<string | undefined> {
  const { operation, subresource, object, namespace } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token') return undefined;
  const { spec } = object as KubeObject & authenticationv1.TokenRequest;
  const bound = spec?.boundObjectRef;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    return 'node requested token not bound to a pod';
  if (!bound.uid) return 'node requested token with a pod binding without a uid';
  const pod = deps.objects.get(refs.pods, namespace, bound.name);
  if (!pod) throw notFound({ group: '', resource: 'pods' }, bound.name);
  if (pod.metadata.uid !== bound.uid)
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec?.nodeName !== nodeName) return 'node requested token bound to a pod scheduled on a different node';
  return audienceProblem(attributes, { pod, audiences: spec?.audiences ?? [] }, deps);
}

function audienceProblem(
  { user, namespace, name }: AdmissionAttributes,
  { pod, audiences }: { readonly pod: Pod; readonly audiences: readonly string[] },
  { objects, authorizer }: RestrictionDependencies,
): MaybePromise<string | undefined> {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences;
  if ((pod.spec?.volumes ?? []).some((volume) => audiencesOf(volume, pod, objects).includes(audience)))
    return undefined;
  const attributes = {
    user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    group: '',
    version: 'v1',
    resource: audience,
    subresource: '',
    namespace,
    name,
    path: '',
  };
  return andThen(authorizer.authorize(attributes), ({ kind }) =>
    kind === 'allow' ? undefined : `audience ${JSON.stringify(audience)} not found in pod spec volume`,
  );
}

/** The audiences of tokens in a volume, or of its driver. The empty name means the API server. */
function audiencesOf(volume: Volume, pod: Pod, objects: ObjectReader): string[] {
  const { projected, csi, persistentVolumeClaim, ephemeral } = volume;
  if (projected)
    return (projected.sources ?? []).flatMap(({ serviceAccountToken: token }) => (token ? [token.audience ?? ''] : []));
  if (csi) return audiencesOfDriver(csi, objects);
  const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata.name}-${volume.name}`);
  if (claim === undefined) return [];
  const { spec } = objects.get(refs.persistentVolumeClaims, pod.metadata.namespace ?? '', claim) ?? {};
  const bound = spec?.volumeName ? objects.get(refs.persistentVolumes, '', spec.volumeName) : undefined;
  return bound?.spec?.csi ? audiencesOfDriver(bound.spec.csi, objects) : [];
}

function audiencesOfDriver({ driver }: Pick<CSIVolumeSource, 'driver'>, objects: ObjectReader): string[] {
  const { spec } = objects.get(refs.csiDrivers, '', driver) ?? {};
  return (spec?.tokenRequests ?? []).map(({ audience }) => audience);
}
