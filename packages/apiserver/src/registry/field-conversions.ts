import { type ConvertObject, type KubeObject, writeJson } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import { inServedVersion, toServedVersion, toStoredVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';

/**
 * Runs a pure computation about field managers, which may have written in other versions of the resource and are
 * compared in those. With remote conversion the computation stops at the first object that is not converted yet, and is
 * started again with each converted object.
 */
export function withConversions<T>(resource: ServedResource, compute: (convert: ConvertObject) => T): MaybePromise<T> {
  return hasRemoteVersions(resource) ? withAnswers(resource, compute) : compute(localConverter(resource));
}

function hasRemoteVersions({ stored: { versions } }: ServedResource): boolean {
  if (versions.size > 1) for (const { conversion } of versions.values()) if (conversion?.kind === 'remote') return true;
  return false;
}

function localConverter(resource: ServedResource): ConvertObject {
  return (object, apiVersion) => {
    const other = resource.stored.versions.get(apiVersion);
    if (!other) return undefined;
    // For a resource that is written in its own version, the conversion to the stored one.
    const { conversion = resource.stored.conversion } = sourceOf(resource, object);
    if (conversion?.kind !== 'local')
      return { object: inServedVersion(other, object as KubeObject), schema: other.schema };
    const stored = conversion.toStored(object as KubeObject);
    if (conversion.prune) return { object: renamed(stored, apiVersion), schema: other.schema, isRenamed: true };
    return { object: inServedVersion(other, stored), schema: other.schema };
  };
}

/** The version of an object: while fields are pruned, it is converted from one version to the next. */
function sourceOf(resource: ServedResource, object: unknown): ServedResource {
  return resource.stored.versions.get((object as KubeObject).apiVersion ?? '') ?? resource;
}

function renamed(object: object, apiVersion: string): object {
  return { ...object, apiVersion };
}

/** Thrown to stop a computation that needs an object in a version to which it is not converted yet. */
class Unconverted {
  readonly object: KubeObject;
  readonly to: ServedResource;

  constructor(object: KubeObject, to: ServedResource) {
    this.object = object;
    this.to = to;
  }
}

async function withAnswers<T>(resource: ServedResource, compute: (convert: ConvertObject) => T): Promise<T> {
  const answers = new Map<string, KubeObject>();
  const convert: ConvertObject = (object, apiVersion) => {
    const to = resource.stored.versions.get(apiVersion);
    if (!to) return undefined;
    const answer = answers.get(keyOf(object, apiVersion));
    if (!answer) throw new Unconverted(object as KubeObject, to);
    return { object: answer, schema: to.schema };
  };
  for (;;) {
    try {
      return compute(convert);
    } catch (stop) {
      if (!(stop instanceof Unconverted)) throw stop;
      const stored = await toStoredVersion(sourceOf(resource, stop.object), stop.object);
      answers.set(keyOf(stop.object, stop.to.apiVersion), await toServedVersion(stop.to, stored));
    }
  }
}

function keyOf(object: unknown, apiVersion: string): string {
  return `${apiVersion} ${writeJson(object)}`;
}
