import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { type DescribeWriter, writeAnnotations, writeLabels } from './writer.js';

interface VolumeKind {
  readonly title: string;
  /** Label and field, with the text for a missing value. */
  readonly fields: readonly (readonly [label: string, path: string, kind?: 'bool' | 'unset' | 'ref' | 'list'])[];
}

/** The sources of volumes, in the order in which they are looked for. */
const kinds: Readonly<Record<string, VolumeKind>> = {
  hostPath: {
    title: 'HostPath (bare host directory volume)',
    fields: [
      ['Path', 'path'],
      ['HostPathType', 'type'],
    ],
  },
  emptyDir: {
    title: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: [
      ['Medium', 'medium'],
      ['SizeLimit', 'sizeLimit', 'unset'],
    ],
  },
  gcePersistentDisk: {
    title: 'GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)',
    fields: [
      ['PDName', 'pdName'],
      ['FSType', 'fsType'],
      ['Partition', 'partition'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  awsElasticBlockStore: {
    title: 'AWSElasticBlockStore (a Persistent Disk resource in AWS)',
    fields: [
      ['VolumeID', 'volumeID'],
      ['FSType', 'fsType'],
      ['Partition', 'partition'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  gitRepo: {
    title: 'GitRepo (a volume that is pulled from git when the pod is created)',
    fields: [
      ['Repository', 'repository'],
      ['Revision', 'revision'],
    ],
  },
  secret: {
    title: 'Secret (a volume populated by a Secret)',
    fields: [
      ['SecretName', 'secretName'],
      ['Optional', 'optional', 'bool'],
    ],
  },
  configMap: {
    title: 'ConfigMap (a volume populated by a ConfigMap)',
    fields: [
      ['Name', 'name'],
      ['Optional', 'optional', 'bool'],
    ],
  },
  nfs: {
    title: 'NFS (an NFS mount that lasts the lifetime of a pod)',
    fields: [
      ['Server', 'server'],
      ['Path', 'path'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  iscsi: {
    title: "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    fields: [
      ['TargetPortal', 'targetPortal'],
      ['IQN', 'iqn'],
      ['Lun', 'lun'],
      ['ISCSIInterface', 'iscsiInterface'],
      ['FSType', 'fsType'],
      ['ReadOnly', 'readOnly', 'bool'],
      ['Portals', 'portals', 'list'],
      ['DiscoveryCHAPAuth', 'chapAuthDiscovery', 'bool'],
      ['SessionCHAPAuth', 'chapAuthSession', 'bool'],
      ['SecretRef', 'secretRef', 'ref'],
      ['InitiatorName', 'initiatorName'],
    ],
  },
  glusterfs: {
    title: "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
    fields: [
      ['EndpointsName', 'endpoints'],
      ['Path', 'path'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  persistentVolumeClaim: {
    title: 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
    fields: [
      ['ClaimName', 'claimName'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  rbd: {
    title: "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
    fields: [
      ['CephMonitors', 'monitors', 'list'],
      ['RBDImage', 'image'],
      ['FSType', 'fsType'],
      ['RBDPool', 'pool'],
      ['RadosUser', 'user'],
      ['Keyring', 'keyring'],
      ['SecretRef', 'secretRef', 'ref'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  azureDisk: {
    title: 'AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)',
    fields: [
      ['DiskName', 'diskName'],
      ['DiskURI', 'diskURI'],
      ['Kind', 'kind'],
      ['FSType', 'fsType'],
      ['CachingMode', 'cachingMode'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  cephfs: {
    title: "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
    fields: [
      ['Monitors', 'monitors', 'list'],
      ['Path', 'path'],
      ['User', 'user'],
      ['SecretFile', 'secretFile'],
      ['SecretRef', 'secretRef', 'ref'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  fc: {
    title: 'FC (a Fibre Channel disk)',
    fields: [
      ['TargetWWNs', 'targetWWNs', 'list'],
      ['LUN', 'lun'],
      ['FSType', 'fsType'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  azureFile: {
    title: 'AzureFile (an Azure File Service mount on the host and bind mount to the pod)',
    fields: [
      ['SecretName', 'secretName'],
      ['SecretNamespace', 'secretNamespace'],
      ['ShareName', 'shareName'],
      ['ReadOnly', 'readOnly', 'bool'],
    ],
  },
  flexVolume: {
    title: 'FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)',
    fields: [
      ['Driver', 'driver'],
      ['FSType', 'fsType'],
      ['SecretRef', 'secretRef', 'ref'],
      ['ReadOnly', 'readOnly', 'bool'],
      ['Options', 'options', 'list'],
    ],
  },
  local: { title: 'LocalVolume (a persistent volume backed by local storage on a node)', fields: [['Path', 'path']] },
  image: {
    title: 'Image (a container image or OCI artifact)',
    fields: [
      ['Reference', 'reference'],
      ['PullPolicy', 'pullPolicy'],
    ],
  },
};

/** The volumes of a pod or of a pod template. */
export function writeVolumes(w: DescribeWriter, volumes: readonly Fields[], inTemplate = false): void {
  const indent = inTemplate ? '  ' : '';
  if (volumes.length === 0) {
    w.write(0, `${indent}Volumes:\t<none>`);
    return;
  }
  w.write(0, `${indent}Volumes:`);
  for (const volume of volumes) {
    w.write(0, `${inTemplate ? '   ' : '  '}${textAt(volume, 'name')}:`);
    writeVolumeSource(w, volume, 2);
  }
}

/** Where a volume's content comes from. */
export function writeVolumeSource(w: DescribeWriter, volume: Fields, level: number): void {
  for (const [field, kind] of Object.entries(kinds)) {
    const source = volume[field];
    if (source === undefined || source === null) continue;
    w.write(level, `Type:\t${kind.title}`);
    for (const [label, path, how] of kind.fields)
      w.write(level, `${label}:\t${fieldText(source as Fields, path, how)}`);
    return;
  }
  if (volume['downwardAPI']) writeDownward(w, recordAt(volume, 'downwardAPI'), level);
  else if (volume['projected']) writeProjected(w, recordsAt(volume, 'projected', 'sources'), level);
  else if (volume['csi']) writeCsi(w, recordAt(volume, 'csi'), level);
  else if (volume['ephemeral']) writeEphemeral(w, recordAt(volume, 'ephemeral', 'volumeClaimTemplate'), level);
  else w.write(level, '<unknown>');
}

function fieldText(source: Fields, path: string, how: string | undefined): string {
  if (how === 'bool') return String(source[path] === true);
  if (how === 'unset') return textAt(source, path) || '<unset>';
  if (how === 'ref') return source[path] ? `&LocalObjectReference{Name:${textAt(source, path, 'name')},}` : '<nil>';
  if (how === 'list') return `[${textsAt(source, path).join(' ')}]`;
  return textAt(source, path);
}

function writeDownward(w: DescribeWriter, source: Fields, level: number): void {
  w.write(level, 'Type:\tDownwardAPI (a volume populated by information about the pod)');
  w.write(level, 'Items:');
  for (const item of recordsAt(source, 'items')) {
    const from = textAt(item, 'fieldRef', 'fieldPath') || textAt(item, 'resourceFieldRef', 'resource');
    w.write(level + 1, `${from} -> ${textAt(item, 'path')}`);
  }
}

function writeProjected(w: DescribeWriter, sources: readonly Fields[], level: number): void {
  w.write(level, 'Type:\tProjected (a volume that contains injected data from multiple sources)');
  for (const source of sources) {
    const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = source as Record<
      string,
      Fields | undefined
    >;
    if (secret) {
      w.write(level, `SecretName:\t${textAt(secret, 'name')}`);
      w.write(level, `Optional:\t${secret['optional'] === true}`);
    } else if (downwardAPI) w.write(level, 'DownwardAPI:\ttrue');
    else if (configMap) {
      w.write(level, `ConfigMapName:\t${textAt(configMap, 'name')}`);
      w.write(level, `Optional:\t${configMap['optional'] === true}`);
    } else if (serviceAccountToken)
      w.write(level, `TokenExpirationSeconds:\t${textAt(serviceAccountToken, 'expirationSeconds')}`);
    else if (clusterTrustBundle)
      w.write(
        level,
        `ClusterTrustBundle:\t${textAt(clusterTrustBundle, 'name') || textAt(clusterTrustBundle, 'signerName')}`,
      );
  }
}

function writeCsi(w: DescribeWriter, source: Fields, level: number): void {
  w.write(level, 'Type:\tCSI (a Container Storage Interface (CSI) volume source)');
  w.write(level, `Driver:\t${textAt(source, 'driver')}`);
  w.write(level, `FSType:\t${textAt(source, 'fsType')}`);
  if ('volumeHandle' in source) w.write(level, `VolumeHandle:\t${textAt(source, 'volumeHandle')}`);
  w.write(level, `ReadOnly:\t${source['readOnly'] === true}`);
  const attributes = recordAt(source, 'volumeAttributes');
  const lines = Object.keys(attributes)
    .sort()
    .map((key) => `${key}=${textAt(attributes, key)}`);
  if (lines.length === 0) w.write(level, 'VolumeAttributes:\t<none>');
  lines.forEach((line, i) => {
    w.write(level, i === 0 ? `VolumeAttributes:\t${line}` : `\t${line}`);
  });
}

function writeEphemeral(w: DescribeWriter, template: Fields, level: number): void {
  w.write(
    level,
    'Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)',
  );
  w.write(level, `StorageClass:\t${textAt(template, 'spec', 'storageClassName')}`);
  w.write(level, `Volume:\t${textAt(template, 'spec', 'volumeName')}`);
  const indent = '  '.repeat(level);
  writeLabels(w, 'Labels', stringMapAt(template, 'metadata', 'labels'), { indent });
  writeAnnotations(w, 'Annotations', stringMapAt(template, 'metadata', 'annotations'), { indent });
  // The capacity and access modes of a bound claim; a template has none.
  w.write(level, 'Capacity:\t');
  w.write(level, 'Access Modes:\t');
  w.optional(level, 'VolumeMode', textAt(template, 'spec', 'volumeMode'));
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessMode(mode: string): string {
  return shortModes[mode] ?? mode;
}

/** Modes in the order of their strength, each once. */
export function accessModesText(modes: readonly string[]): string {
  return Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map(accessMode)
    .join(',');
}
