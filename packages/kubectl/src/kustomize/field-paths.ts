import { type Fields, isRecord } from '../values.js';

/** Where a transformer finds its fields. */
export interface FieldSpec {
  /** `spec/template/metadata/labels`; lists on the way stand for all their items. */
  readonly path: string;
  readonly kinds?: readonly string[];
  readonly group?: string;
  /** Makes what is missing on the way. */
  readonly create?: boolean;
}

/** The object with the value at a path changed, in every item of lists on the way. */
export function changeAt(
  object: Fields,
  path: readonly string[],
  { change, create = false }: { readonly change: (value: unknown) => unknown; readonly create?: boolean },
): Fields {
  const [first = '', ...rest] = path;
  const value = object[first];
  if (rest.length === 0) {
    if (value === undefined && !create) return object;
    const changed = change(value);
    return changed === undefined ? object : { ...object, [first]: changed };
  }
  if (Array.isArray(value))
    return {
      ...object,
      [first]: value.map((item) => (isRecord(item) ? changeAt(item, rest, { change, create }) : item)),
    };
  if (isRecord(value)) return { ...object, [first]: changeAt(value, rest, { change, create }) };
  return value === undefined && create ? { ...object, [first]: changeAt({}, rest, { change, create }) } : object;
}

export function splitPath(path: string): string[] {
  return path.split('/').filter(Boolean);
}

export function specFits(spec: FieldSpec, kind: string, group: string): boolean {
  if (spec.kinds && !spec.kinds.includes(kind)) return false;
  return spec.group === undefined || spec.group === group;
}

/** Where the pod spec of each kind stands. */
export const podSpecs: Readonly<Record<string, string>> = {
  Pod: 'spec',
  PodTemplate: 'template/spec',
  Deployment: 'spec/template/spec',
  ReplicaSet: 'spec/template/spec',
  DaemonSet: 'spec/template/spec',
  StatefulSet: 'spec/template/spec',
  ReplicationController: 'spec/template/spec',
  Job: 'spec/template/spec',
  CronJob: 'spec/jobTemplate/spec/template/spec',
};
