import { describe, expect, test } from 'vitest';
import { problemsOnCreate } from '../../rules.fixture.js';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' }] },
};
const managed = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blob = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const pairs = 'must be a host:port pair or multiple pairs separated by commas';

describe('a volume on another machine', () => {
  const cases: readonly { name: string; source: Readonly<Record<string, object>>; problems: readonly string[] }[] = [
    { name: 'of NFS has a server and an absolute path', source: { nfs: { server: 's', path: '/a' } }, problems: [] },
    {
      name: 'of NFS lacks what is not said',
      source: { nfs: { server: '', path: 'a' } },
      problems: ['nfs.server: Required value', 'nfs.path: Invalid value: "a": must be an absolute path'],
    },
    {
      name: 'of iSCSI has a name that says how it was made',
      source: { iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:disk', lun: 0 } },
      problems: [],
    },
    {
      name: 'of iSCSI has names of known forms, a unit that there can be, and a secret to show',
      source: { iscsi: { targetPortal: '', iqn: 'abc', lun: 256, chapAuthSession: true, initiatorName: 'iqn.x' } },
      problems: [
        'iscsi.targetPortal: Required value',
        'iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
        'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'iscsi.secretRef: Required value',
        'iscsi.initiatorname: Invalid value: "iqn.x": must be valid format',
      ],
    },
    {
      name: 'of Fibre Channel is named in one way',
      source: { fc: { targetWWNs: ['a'], wwids: ['b'] } },
      problems: [
        'fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
        'fc.lun: Required value: lun is required if targetWWNs is specified',
      ],
    },
    {
      name: 'of Fibre Channel is named at all',
      source: { fc: {} },
      problems: ['fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
    },
    { name: 'of Fibre Channel may be named by its own id', source: { fc: { wwids: ['b'] } }, problems: [] },
    {
      name: 'of Azure has a disk of its kind',
      source: { azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed', cachingMode: 'Some' } },
      problems: [
        'azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
        `azureDisk.diskURI: Unsupported value: "https://x": supported values: "${managed}"`,
      ],
    },
    {
      name: 'of Azure has a blob unless it is managed',
      source: { azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Shared' } },
      problems: [`azureDisk.diskURI: Unsupported value: "/subscriptions/x": supported values: "${blob}"`],
    },
    {
      name: 'of Flocker has one name, without a slash',
      source: { flocker: { datasetName: 'a/b', datasetUUID: 'c' } },
      problems: [
        'flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        `flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
      ],
    },
    {
      name: 'of Quobyte has registries with ports',
      source: { quobyte: { registry: 'a:1,b', volume: '' } },
      problems: [`quobyte.registry: Invalid value: "a:1,b": ${pairs}`, 'quobyte.volume: Required value'],
    },
    {
      name: 'of a driver of its own leaves the options of Kubernetes alone',
      source: { flexVolume: { driver: 'd', options: { 'a.k8s.io/b': '', 'k8s.io.example/c': '' } } },
      problems: [
        'flexVolume.options[a.k8s.io/b]: Invalid value: "a.k8s.io/b": kubernetes.io and k8s.io namespaces are reserved',
      ],
    },
    {
      name: 'of StorageOS has names of its own form and a secret with a name',
      source: { storageos: { volumeName: '', volumeNamespace: 'ns', secretRef: {} } },
      problems: ['storageos.volumeName: Required value', 'storageos.secretRef.name: Required value'],
    },
    {
      name: 'of CSI has a driver, and a secret with a name',
      source: { csi: { driver: '', nodePublishSecretRef: {} } },
      problems: ['csi.driver: Required value', 'csi.nodePublishSecretRef.name: Required value'],
    },
    {
      name: 'of Ceph has monitors',
      source: { cephfs: { monitors: [] } },
      problems: ['cephfs.monitors: Required value'],
    },
  ];
  test.each(cases)('$name', ({ source, problems }) => {
    const volumes = [{ name: 'v', ...source }];
    expect(problemsOnCreate(pod, { 'spec.volumes': volumes })).toEqual(
      problems.map((problem) => `spec.volumes[0].${problem}`),
    );
  });
});
