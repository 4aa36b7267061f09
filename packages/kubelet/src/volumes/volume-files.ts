import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret, Volume } from '@coracle/api';
import { fromBase64 } from '@coracle/apimachinery';
import { ConfigError } from '../config-error.js';
import { podField } from '../environment/pod-field.js';
import { resourceField } from '../environment/resource-field.js';
import { configMapOf, type ReferenceTo, secretOf } from '../pod-references.js';
import { certificateFiles } from './certificate-files.js';
import { commonUser } from './group-ownership.js';
import { trustBundleFile } from './trust-bundle-file.js';
import type { VolumeFile, VolumeFiles } from './volume-file.js';
import type { VolumeInput } from './volume-input.js';

const readable = 0o644;

/**
 * The files of a volume that come from other objects; `undefined` for volumes without such files, such as those on
 * disks. Throws a `ConfigError` if one of these objects, or a key of it, is missing and not optional.
 */
export async function volumeFiles(input: VolumeInput, volume: Volume): Promise<VolumeFiles | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) return configMapFiles(input, configMap, configMap.defaultMode);
  if (secret) return secretFiles(input, { ...secret, name: secret.secretName ?? '' }, secret.defaultMode);
  if (downwardAPI) return downwardFiles(input, downwardAPI.items, downwardAPI.defaultMode);
  if (!projected) return undefined;
  const files = new Map<string, VolumeFile>();
  const problems: string[] = [];
  for (const [index, source] of (projected.sources ?? []).entries()) {
    const place = { volume: volume.name, index, mode: projected.defaultMode };
    try {
      for (const [path, file] of await projectedFiles(input, source, place)) files.set(path, file);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
  return files;
}

type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];

/** The path of a source, and the mode of files without one. */
interface ProjectionPlace {
  readonly volume: string;
  readonly index: number;
  readonly mode: number | undefined;
}

async function projectedFiles(input: VolumeInput, source: Projection, place: ProjectionPlace): Promise<VolumeFiles> {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const { mode } = place;
  if (configMap) return configMapFiles(input, configMap, mode);
  if (secret) return secretFiles(input, secret, mode);
  if (downwardAPI) return downwardFiles(input, downwardAPI.items, mode);
  if (clusterTrustBundle) return trustBundleFile(input, clusterTrustBundle, mode);
  if (podCertificate)
    return certificateFiles(input, { ...place, projection: podCertificate }, privateAccess(input.pod, mode));
  if (!serviceAccountToken) return new Map();
  const content = async () => bytesOf(await input.requestToken(input.pod, serviceAccountToken));
  return new Map([[serviceAccountToken.path, { ...privateAccess(input.pod, mode), content }]]);
}

/** Tokens and keys are readable only by the user or the group of the pod, if there is one. */
function privateAccess(pod: Pod, mode: number = readable): Pick<VolumeFile, 'mode' | 'owner'> {
  const owner = commonUser(pod);
  const isPrivate = owner !== undefined || pod.spec?.securityContext?.fsGroup !== undefined;
  return { mode: isPrivate ? 0o600 : mode, ...(owner !== undefined && { owner }) };
}

/** The fields of volumes that refer to an object. */
interface Shown extends ReferenceTo {
  readonly items?: readonly KeyToPath[];
}

async function configMapFiles(input: VolumeInput, shown: Shown, mode: number | undefined): Promise<VolumeFiles> {
  const found = await configMapOf(input.references, input.pod, shown);
  return pick(found ? configMapBytes(found) : new Map(), shown, { mode, kind: 'config' });
}

async function secretFiles(input: VolumeInput, shown: Shown, mode: number | undefined): Promise<VolumeFiles> {
  const found = await secretOf(input.references, input.pod, shown);
  return pick(found ? secretBytes(found) : new Map(), shown, { mode, kind: 'secret' });
}

type Content = VolumeFile['content'];

function configMapBytes({ data = {}, binaryData = {} }: ConfigMap): Map<string, Content> {
  const texts = Object.entries(data).map(([key, text]) => [key, () => bytesOf(text)] as const);
  const binaries = Object.entries(binaryData).map(([key, base64]) => [key, () => decode(base64)] as const);
  return new Map([...texts, ...binaries]);
}

function secretBytes({ data = {} }: Secret): Map<string, Content> {
  return new Map(Object.entries(data).map(([key, base64]) => [key, () => decode(base64)]));
}

/** All keys under their own names, or the listed items at their paths. */
function pick(
  contents: ReadonlyMap<string, Content>,
  { items, optional = false }: Shown,
  { mode = readable, kind }: { readonly mode: number | undefined; readonly kind: string },
): VolumeFiles {
  if (!items) return new Map([...contents].map(([key, content]) => [key, { mode, content }]));
  const files = new Map<string, VolumeFile>();
  for (const item of items) {
    const content = contents.get(item.key);
    if (content) files.set(item.path, { mode: item.mode ?? mode, content });
    else if (!optional) throw new ConfigError(`references non-existent ${kind} key: ${item.key}`);
  }
  return files;
}

function downwardFiles(
  input: VolumeInput,
  items: readonly DownwardAPIVolumeFile[] = [],
  mode: number | undefined,
): VolumeFiles {
  return new Map(
    items.map((item) => {
      const text = downwardText(input, item);
      return [item.path, { mode: item.mode ?? mode ?? readable, content: () => bytesOf(text) }];
    }),
  );
}

function downwardText(input: VolumeInput, { fieldRef, resourceFieldRef }: DownwardAPIVolumeFile): string {
  if (fieldRef) return podField(input, fieldRef.fieldPath);
  const container = input.pod.spec?.containers.find(({ name }) => name === resourceFieldRef?.containerName);
  if (!resourceFieldRef || !container)
    throw new ConfigError(`container ${resourceFieldRef?.containerName ?? ''} not found`);
  return resourceField(container, resourceFieldRef, input.allocatable);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(base64: string): Uint8Array {
  return fromBase64(base64) ?? new Uint8Array();
}
