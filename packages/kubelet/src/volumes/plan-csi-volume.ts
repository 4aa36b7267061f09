import type { CSIDriver, CSIVolumeSource, PersistentVolume, Secret } from '@coracle/api';
import { fromBase64 } from '@coracle/apimachinery';
import { ConfigError } from '../config-error.js';
import { ownershipOf } from './group-ownership.js';
import { claimDirectory } from './volume-directory.js';
import type { CsiPlan, GroupOwnership } from './volume-host.js';
import type { VolumeInput } from './volume-input.js';

export interface InlineCsi {
  readonly name: string;
  readonly csi: CSIVolumeSource;
  readonly target: string;
}

/** An inline volume of a CSI driver. */
export async function planInlineCsi(input: VolumeInput, { name, csi, target }: InlineCsi): Promise<CsiPlan> {
  const driver = await input.references.csiDriver(csi.driver);
  const modes = driver?.spec?.volumeLifecycleModes ?? ['Persistent'];
  if (!modes.includes('Ephemeral'))
    throw new ConfigError(
      `volume mode "Ephemeral" not supported by driver ${csi.driver} (only supports ${JSON.stringify(modes)})`,
    );
  const { namespace = '', uid = '' } = input.pod.metadata;
  const handle = await hashed('csi-', `${csi.driver}${uid}${name}`);
  return {
    kind: 'csi',
    driver: csi.driver,
    volumeHandle: handle,
    specName: name,
    volumeName: name,
    target,
    block: false,
    readOnly: csi.readOnly ?? false,
    accessMode: 'ReadWriteOnce',
    fsType: csi.fsType ?? '',
    mountOptions: [],
    volumeContext: { ...csi.volumeAttributes, ...podInfo(input, driver, true), ...(await tokens(input, driver)) },
    publishContext: {},
    stageSecrets: {},
    publishSecrets: await secretData(input, csi.nodePublishSecretRef && { namespace, ...csi.nodePublishSecretRef }),
    ...groupFor(input, driver, { fsType: csi.fsType ?? '', exclusive: true }),
  };
}

export interface PersistentCsi {
  /** Name of the volume in the pod. */
  readonly volumeName: string;
  readonly volume: PersistentVolume;
  readonly readOnly: boolean;
}

/** A persistent volume of a CSI driver. Throws while it is not attached, if the driver requires attachment. */
export async function planPersistentCsi(
  input: VolumeInput,
  { volume, volumeName, readOnly }: PersistentCsi,
): Promise<CsiPlan> {
  const { csi, accessModes = [], volumeMode, mountOptions = [] } = volume.spec ?? {};
  const { driver: name = '', volumeHandle = '', fsType = '' } = csi ?? {};
  const driver = await input.references.csiDriver(name);
  const block = volumeMode === 'Block';
  const specName = volume.metadata.name ?? '';
  const handleHash = await hashed('', volumeHandle);
  return {
    kind: 'csi',
    driver: name,
    volumeHandle,
    specName,
    volumeName,
    target: block
      ? `${input.root}/plugins/kubernetes.io/csi/volumeDevices/publish/${specName}/${input.pod.metadata.uid}`
      : claimDirectory(input.pod, volume, input.root),
    stagingDirectory: block
      ? `${input.root}/plugins/kubernetes.io/csi/volumeDevices/staging/${specName}`
      : `${input.root}/plugins/kubernetes.io/csi/${name}/${handleHash}/globalmount`,
    block,
    readOnly,
    accessMode: accessModes[0] ?? 'ReadWriteOnce',
    fsType,
    mountOptions,
    volumeContext: { ...csi?.volumeAttributes, ...podInfo(input, driver, false), ...(await tokens(input, driver)) },
    publishContext: await attachment(input, driver, { name, volumeHandle }),
    stageSecrets: await secretData(input, csi?.nodeStageSecretRef),
    publishSecrets: await secretData(input, csi?.nodePublishSecretRef),
    ...(!block &&
      groupFor(input, driver, { fsType, exclusive: accessModes.every((mode) => exclusiveModes.has(mode)) })),
  };
}

const exclusiveModes: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

/** The pod info for a driver with `podInfoOnMount`. */
function podInfo({ pod }: VolumeInput, driver: CSIDriver | undefined, ephemeral: boolean): Record<string, string> {
  if (!driver?.spec?.podInfoOnMount) return {};
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  return {
    'csi.storage.k8s.io/pod.name': name,
    'csi.storage.k8s.io/pod.namespace': namespace,
    'csi.storage.k8s.io/pod.uid': uid,
    'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(ephemeral),
  };
}

/** Tokens of the pod's service account for the audiences that the driver names. */
async function tokens(input: VolumeInput, driver: CSIDriver | undefined): Promise<Record<string, string>> {
  const requests = driver?.spec?.tokenRequests ?? [];
  if (requests.length === 0) return {};
  const tokens = await Promise.all(
    requests.map(async ({ audience, expirationSeconds = 3600 }) => {
      const token = await input.requestToken(input.pod, { path: '', expirationSeconds, ...(audience && { audience }) });
      return [audience, { token }] as const;
    }),
  );
  return { 'csi.storage.k8s.io/serviceAccount.tokens': JSON.stringify(Object.fromEntries(tokens)) };
}

/**
 * Whether the kubelet or the driver sets the group: always with `File`, depending on access mode and fsType with
 * `ReadWriteOnceWithFSType`.
 */
function groupFor(
  { pod }: VolumeInput,
  driver: CSIDriver | undefined,
  { fsType, exclusive }: { readonly fsType: string; readonly exclusive: boolean },
): { readonly ownership?: GroupOwnership } {
  const policy = driver?.spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  const changesOwnership = policy === 'File' || (policy === 'ReadWriteOnceWithFSType' && fsType !== '' && exclusive);
  return changesOwnership ? ownershipOf(pod) : {};
}

async function attachment(
  input: VolumeInput,
  driver: CSIDriver | undefined,
  { name, volumeHandle }: { readonly name: string; readonly volumeHandle: string },
): Promise<Readonly<Record<string, string>>> {
  if (driver?.spec?.attachRequired === false) return {};
  const id = await hashed('csi-', `${volumeHandle}${name}${input.nodeName}`);
  const found = await input.references.volumeAttachment(id);
  if (!found?.status?.attached)
    throw new ConfigError(`volume ${volumeHandle} is not attached: waiting for VolumeAttachment ${id}`);
  return found.status.attachmentMetadata ?? {};
}

interface SecretAddress {
  readonly namespace?: string;
  readonly name?: string;
}

async function secretData(input: VolumeInput, at: SecretAddress | undefined): Promise<Record<string, string>> {
  if (!at?.name) return {};
  const found: Secret | undefined = await input.references.secret(at.namespace ?? '', at.name);
  if (!found) throw new ConfigError(`failed to find the secret ${at.name} in the namespace ${at.namespace}`);
  const decoder = new TextDecoder();
  const entries = Object.entries(found.data ?? {});
  return Object.fromEntries(
    entries.map(([key, base64]) => [key, decoder.decode(fromBase64(base64) ?? new Uint8Array())]),
  );
}

async function hashed(prefix: string, text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return prefix + Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
