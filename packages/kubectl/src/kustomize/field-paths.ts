import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, textAt } from '../values.js';
import { groupVersionOf, type KustomizeResource, kindOf } from './resource.js';

/** A field of a transformer. */
export interface FieldSpec {
  /** `spec/template/metadata/labels`; lists on the way stand for all their items. */
  readonly path: string;
  readonly kinds?: readonly string[];
  readonly group?: string;
  readonly version?: string;
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

/** A slash of a key is written `\\/`; `[]` after a name says that it is a list, which is seen anyway. */
export function splitPath(path: string): string[] {
  return (path.match(/(?:\\.|[^/\\])+/g) ?? []).map((part) => part.replace(/\\(.)/g, '$1').replace(/\[\]$/, ''));
}

export function specFits(spec: FieldSpec, object: Fields): boolean {
  const { group, version } = groupVersionOf(object);
  if (spec.kinds && !spec.kinds.includes(kindOf(object))) return false;
  return (spec.group === undefined || spec.group === group) && (spec.version === undefined || spec.version === version);
}

/** The `fieldSpecs` of a transformer's configuration. */
export function readFieldSpecs(value: unknown): FieldSpec[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new CommandError('fieldSpecs must be a list');
  return value.filter(isRecord).map((entry) => {
    const [kind, group, version] = [textAt(entry, 'kind'), textAt(entry, 'group'), textAt(entry, 'version')];
    const path = textAt(entry, 'path');
    if (path === '') throw new CommandError('a field spec needs a path');
    return {
      path,
      create: entry['create'] === true,
      ...(kind !== '' && { kinds: [kind] }),
      ...(group !== '' && { group }),
      ...(version !== '' && { version }),
    };
  });
}

/** Changes the fields that specs name, in all resources that they fit. */
export function changeFields(
  resources: readonly KustomizeResource[],
  specs: readonly FieldSpec[],
  change: (value: unknown, resource: KustomizeResource) => unknown,
): void {
  for (const resource of resources)
    for (const spec of specs)
      if (specFits(spec, resource.object))
        resource.object = changeAt(resource.object, splitPath(spec.path), {
          create: spec.create ?? false,
          change: (value) => change(value, resource),
        });
}

/** The path of the pod spec in each kind. */
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
