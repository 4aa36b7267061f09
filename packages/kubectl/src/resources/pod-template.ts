import { type Fields, isRecord, recordAt, recordsAt, textAt } from '../values.js';

/** The path of the pod spec in an object; `undefined` if it has none. */
export function podSpecPath(object: Fields): readonly string[] | undefined {
  switch (textAt(object, 'kind')) {
    case 'Pod':
      return ['spec'];
    case 'CronJob':
      return ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
    case 'Deployment':
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'ReplicationController':
    case 'Job':
      return ['spec', 'template', 'spec'];
    case 'PodTemplate':
      return ['template', 'spec'];
    default:
      return undefined;
  }
}

/** The object with its pod spec changed. */
export function withPodSpec(object: Fields, change: (spec: Fields) => Fields): Fields | undefined {
  const path = podSpecPath(object);
  if (!path) return undefined;
  return replaceAt(object, path, change);
}

function replaceAt(object: Fields, path: readonly string[], change: (value: Fields) => Fields): Fields {
  const [first, ...rest] = path;
  if (first === undefined) return change(object);
  return { ...object, [first]: replaceAt(recordAt(object, first), rest, change) };
}

/** Changes the containers of a pod spec that `wanted` picks, init containers too. */
export function mapContainers(spec: Fields, change: (container: Fields, isInit: boolean) => Fields): Fields {
  const map = (key: string, isInit: boolean) =>
    Array.isArray(spec[key])
      ? { [key]: spec[key].map((one: unknown) => (isRecord(one) ? change(one, isInit) : one)) }
      : {};
  return { ...spec, ...map('initContainers', true), ...map('containers', false) };
}

/** The containers that `mapContainers` changes. */
export function containersOf(spec: Fields): readonly Fields[] {
  return [...recordsAt(spec, 'initContainers'), ...recordsAt(spec, 'containers')];
}
