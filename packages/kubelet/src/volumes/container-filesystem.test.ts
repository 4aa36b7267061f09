import type { PodSpec } from '@coracle/api';
import { ContainerState } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { containerFilesystem } from './container-filesystem.js';
import { fakeVolumeHost } from './fake-volume-host.fixture.js';
import { terminationMessage } from './termination-message.js';

const container = { name: 'web', terminationMessagePath: '/dev/termination-log' };
const directory = '/var/lib/kubelet/pods/uid-1';

async function filesystemOf(spec: Partial<PodSpec> = {}, own: object = {}) {
  const host = fakeVolumeHost({ files: true });
  host.written.set('/etc/hosts', '127.0.0.1\tmachine\n');
  const pod = makePod({ hostname: 'web', ...spec });
  const input = {
    pod,
    container: { ...container, ...own },
    attempt: 2,
    variables: new Map(),
    podIps: ['10.0.0.5', 'fd01::5'],
  };
  const made = await containerFilesystem(input, { host, pathOf: ({ name }) => `/volumes/${name}` });
  return { ...made, host, pod, hosts: host.written.get(`${directory}/etc-hosts`) };
}

describe('a volume that is an image', () => {
  const volumeImages = new Map([['data', { id: 'sha256:1' }]]);
  const pod = makePod({ volumes: [{ name: 'data', image: { reference: 'registry/data:1' } }] });
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'part' }];
  const input = {
    pod,
    container: { name: 'web', volumeMounts },
    attempt: 0,
    variables: new Map(),
    podIps: [],
    volumeImages,
  };
  const pathOf = () => '/volumes/data';

  test('is mounted by the runtime', async () => {
    const { mounts } = await containerFilesystem(input, { host: fakeVolumeHost(), pathOf });
    const image = { image: 'sha256:1', userSpecifiedImage: 'registry/data:1' };
    expect(mounts).toMatchObject([{ containerPath: '/data', image, imageSubPath: 'part' }]);
  });

  test('is mounted on the node where the runtime cannot mount it', async () => {
    const host = fakeVolumeHost({ mountsImages: true });
    const { mounts } = await containerFilesystem(input, { host, pathOf });
    expect(host.images).toEqual([['sha256:1', '/volumes/data']]);
    expect(mounts).toMatchObject([{ readonly: true, hostPath: `${directory}/volume-subpaths/data/web/0` }]);
    expect(mounts[0]).not.toHaveProperty('image');
  });
});

test('a sub-path that cannot be prepared is named by its volume mount', async () => {
  const host = { ...fakeVolumeHost(), prepareSubPath: () => Promise.reject(new Error('it leads out')) };
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'evil' }];
  const pod = makePod({ volumes: [{ name: 'data', emptyDir: {} }] });
  const input = { pod, container: { name: 'web', volumeMounts }, attempt: 0, variables: new Map(), podIps: [] };
  await expect(containerFilesystem(input, { host, pathOf: () => '/volumes/data' })).rejects.toThrow(
    'failed to prepare subPath for volumeMount "data" of container "web"',
  );
});

describe('the files of a container', () => {
  test('have the hosts file and the termination log', async () => {
    const { mounts } = await filesystemOf();
    expect(mounts).toMatchObject([
      { containerPath: '/etc/hosts', hostPath: `${directory}/etc-hosts` },
      { containerPath: '/dev/termination-log', hostPath: `${directory}/containers/web/2` },
    ]);
  });

  test('the hosts file names the pod and its aliases', async () => {
    const { hosts } = await filesystemOf({
      subdomain: 'shop',
      hostAliases: [{ ip: '1.2.3.4', hostnames: ['one', 'two'] }],
    });
    expect(hosts).toBe(`# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
10.0.0.5\tweb.shop.shop.svc.cluster.local\tweb
fd01::5\tweb.shop.shop.svc.cluster.local\tweb

# Entries added by HostAliases.
1.2.3.4\tone\ttwo
`);
  });

  test.each([
    [{ hostnameOverride: 'over.example.host', subdomain: 'shop' }, '10.0.0.5\tover.example.host'],
    [{ hostname: '', subdomain: 'shop' }, '10.0.0.5\tweb.shop.shop.svc.cluster.local\tweb'],
  ])('the hosts file has the names that the pod is called by: %j', async (spec, line) => {
    expect((await filesystemOf(spec)).hosts?.split('\n')).toContain(line);
  });

  test('a pod in the network of the node has the hosts file of the node', async () => {
    const { hosts } = await filesystemOf({ hostNetwork: true });
    expect(hosts).toBe('# Kubernetes-managed hosts file (host network).\n127.0.0.1\tmachine\n');
  });

  test('a container that mounts its own hosts file keeps it', async () => {
    const volumes = [{ name: 'own', emptyDir: {} }];
    const { mounts } = await filesystemOf(
      { volumes },
      { volumeMounts: [{ name: 'own', mountPath: '/etc/hosts', subPath: 'hosts' }] },
    );
    expect(mounts.map(({ containerPath, hostPath }) => [containerPath, hostPath])).toEqual([
      ['/etc/hosts', `${directory}/volume-subpaths/own/web/0`],
      ['/dev/termination-log', `${directory}/containers/web/2`],
    ]);
  });
});

describe('termination messages', () => {
  const ended = {
    state: ContainerState.CONTAINER_EXITED,
    metadata: { name: 'web', attempt: 2 },
    exitCode: 1,
    logPath: '/log',
    annotations: { 'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError' },
  };
  const readLogEnd = async () => 'from the log';

  test('are what the container wrote', async () => {
    const { host, pod } = await filesystemOf();
    host.written.set(`${directory}/containers/web/2`, 'bye');
    expect(await terminationMessage(host, ended, { pod, readLogEnd })).toBe('bye');
  });

  test.each([
    ['the log', ended, 'from the log'],
    ['nothing after success', { ...ended, exitCode: 0 }, ''],
    ['nothing unless the pod requests it', { ...ended, annotations: {} }, ''],
  ])('otherwise %s', async (_, status, message) => {
    const { host, pod } = await filesystemOf();
    expect(await terminationMessage(host, status, { pod, readLogEnd })).toBe(message);
  });
});
