import { schemaOfKind } from '@coracle/api';
import { decodeOwnedObject, type GroupVersionKind, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import type { AdmissionVersion } from '../admission/admission.js';
import { toServedVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';
import { toStored } from './to-stored.js';

export interface AdmissionVersions {
  readonly requested: AdmissionVersion;
  readonly equivalents: readonly AdmissionVersion[];
}

/** By subresource. A cache: it is replaced when versions are added or removed. */
interface VersionsOfResource {
  readonly count: number;
  readonly bySubresource: Map<string, AdmissionVersions>;
}

const caches = new WeakMap<ServedResource, VersionsOfResource>();

/** The versions in which admission may see a write to a resource or to one of its subresources. */
export function admissionVersions(resource: ServedResource, subresource: string): AdmissionVersions {
  const count = resource.stored.versions.size;
  let versionsOf = caches.get(resource);
  if (versionsOf?.count !== count) {
    versionsOf = { count, bySubresource: new Map() };
    caches.set(resource, versionsOf);
  }
  let versions = versionsOf.bySubresource.get(subresource);
  if (!versions) {
    versions = makeVersions(resource, subresource);
    versionsOf.bySubresource.set(subresource, versions);
  }
  return versions;
}

function makeVersions(resource: ServedResource, subresource: string): AdmissionVersions {
  const others = [...resource.stored.versions.values()].filter(
    (other) => other !== resource && other.apiVersion !== resource.apiVersion && serves(other, subresource),
  );
  return {
    requested: versionOf(resource, subresource),
    equivalents: others.map((other) => versionOf(other, subresource)),
  };
}

function serves({ info }: ServedResource, subresource: string): boolean {
  return subresource === '' || info.subresources.some(({ name }) => name === subresource);
}

function versionOf(resource: ServedResource, subresource: string): AdmissionVersion {
  const { group, version, resource: name } = resource.info;
  const kind = kindOf(resource.info, subresource);
  const schema = kind.kind === resource.info.kind ? resource.schema : (schemaOfKind(kind) ?? resource.schema);
  return {
    resource: { group, version, resource: name },
    kind,
    schema,
    fromStored: (object) => toServedVersion(resource, object),
    toStored: (object) => {
      const decoded = decodeOwnedObject<KubeObject>(deepCopy(object), schema).object;
      return schema === resource.schema ? toStored(resource, decoded) : decoded;
    },
  };
}

/** The kind of the body of the resource or the subresource. */
export function kindOf(info: ResourceInfo, subresource: string): GroupVersionKind {
  const { group, version, kind } = info.subresources.find(({ name }) => name === subresource) ?? info;
  return { group, version, kind };
}
