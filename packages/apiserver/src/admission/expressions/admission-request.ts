import type { KubeObject } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import type { UserInfo } from '../../user-info.js';
import type { AdmissionAttributes, AdmissionVersion } from '../admission.js';

/** Fields of an `AdmissionRequest` besides its objects, for webhooks and expressions. */
export interface RequestFields {
  readonly kind: AdmissionVersion['kind'];
  readonly resource: AdmissionVersion['resource'];
  readonly subResource?: string;
  readonly requestKind: AdmissionVersion['kind'];
  readonly requestResource: AdmissionVersion['resource'];
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly userInfo: object;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>> | null;
}

export function requestFields(attributes: AdmissionAttributes, version: AdmissionVersion): RequestFields {
  const { requested, subresource, name, namespace, operation, user, dryRun, options } = attributes;
  return {
    kind: version.kind,
    resource: version.resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: requested.kind,
    requestResource: requested.resource,
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userFields(user),
    dryRun,
    options: options['kind'] === undefined ? null : options,
  };
}

function userFields({ name, uid, groups, extra }: UserInfo): object {
  return { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) };
}

/** The objects of a request in the version in which a rule matched it. */
export interface VersionedObjects {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

export function objectsIn(attributes: AdmissionAttributes, version: AdmissionVersion): MaybePromise<VersionedObjects> {
  return andThen(seenIn(attributes, version, attributes.object), (object) =>
    andThen(seenIn(attributes, version, attributes.oldObject), (oldObject) => ({ object, oldObject })),
  );
}

function seenIn(
  { view }: AdmissionAttributes,
  version: AdmissionVersion,
  object: KubeObject | undefined,
): MaybePromise<KubeObject | undefined> {
  if (!object) return undefined;
  return view ? view.of(object) : version.fromStored(object);
}

/** An object changed in a version, converted to the stored version. */
export function restoredFrom(
  { view, object }: AdmissionAttributes,
  version: AdmissionVersion,
  changed: KubeObject,
): MaybePromise<KubeObject> {
  return view && object ? view.restore(changed, object) : version.toStored(changed);
}
