import { Activity, type Logger, silentLogger, VirtualClock } from '@coracle/base';
import { type Container, ContainerState, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { containerLabels } from '../runtime-labels.js';
import { fakeLogFiles } from './fake-log-files.fixture.js';
import { PodLogs } from './pod-logs.js';

const pod = makePod();
const { name = '', namespace = '', uid = '' } = pod.metadata;
const directory = `/data/pods/${namespace}_${name}_${uid}`;
const prefix = `/data/containers/${name}_${namespace}_app-`;

function linkOf(containerId: string) {
  return { namespace, pod: name, container: 'app', containerId };
}

function containerOf(id: string, attempt: number, state: ContainerState = ContainerState.CONTAINER_RUNNING): Container {
  return { id, state, metadata: { name: 'app', attempt }, labels: containerLabels(pod, { name: 'app' }) };
}

/** A node with these files, links and containers. */
function logsOf(paths: readonly string[], linked: Readonly<Record<string, string>> = {}, has: Container[] = []) {
  const files = new Map(paths.map((path) => [path, 1]));
  const links = new Map(Object.entries(linked));
  const runtime: Partial<RuntimeService> = { listContainers: async () => ({ containers: has }) };
  const logged: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void logged.push(message) };
  const podLogFiles = fakeLogFiles(files, links);
  const podLogs = new PodLogs({
    podLogFiles,
    runtime: runtime as RuntimeService,
    settings: { podLogsDir: '/data/pods' },
    logger,
    activity: new Activity(),
  });
  return { podLogs, podLogFiles, files, links, logged, clock: new VirtualClock() };
}

describe('logs of pods', () => {
  test('a container that has started gets a link to its log', async () => {
    const { podLogs, links, clock } = logsOf([`${directory}/app/0.log`]);
    podLogs.link(linkOf('c0'), `${directory}/app/0.log`);
    podLogs.link(linkOf('c1'), `${directory}/app/1.log`);
    await clock.settle();
    expect([...links]).toEqual([[`${prefix}c0.log`, `${directory}/app/0.log`]]);
  });

  test('a link that cannot be made is logged', async () => {
    const { podLogs, podLogFiles, logged, clock } = logsOf([]);
    podLogFiles.link = () => Promise.reject(new Error('read-only file system'));
    podLogs.link(linkOf('c0'), `${directory}/app/0.log`);
    await clock.settle();
    expect(logged).toEqual(['No link to a log could be made']);
  });

  test('removing a container removes its logs and its link', async () => {
    const [first, second] = [`${directory}/app/1.log`, `${directory}/app/11.log`];
    const links = { [`${prefix}c1.log`]: first, [`${prefix}c11.log`]: second };
    const logs = logsOf([first, `${first}.20260101-000010.gz`, second], links);
    await logs.podLogs.forgetContainer(containerOf('c1', 1));
    expect([...logs.files.keys()]).toEqual([second]);
    expect([...logs.links.keys()]).toEqual([`${prefix}c11.log`]);
  });

  test('deleting a pod removes its logs and links, but not those of a new pod of its name', async () => {
    const other = `/data/pods/${namespace}_${name}_newer/app/0.log`;
    const links = { [`${prefix}c0.log`]: `${directory}/app/0.log`, [`${prefix}c1.log`]: other };
    const logs = logsOf([`${directory}/app/0.log`, other], links);
    await logs.podLogs.forget(pod);
    expect([...logs.files.keys()]).toEqual([other]);
    expect([...logs.links.keys()]).toEqual([`${prefix}c1.log`]);
  });

  test('logs of pods that the node does not have are removed, and links to them', async () => {
    const [own, gone] = [`${directory}/app/0.log`, '/data/pods/a_b_gone/c/0.log'];
    const links = { [`${prefix}c0.log`]: own, '/data/containers/b_a_c-c9.log': gone };
    const logs = logsOf([own, gone, '/data/pods/other', '/data/containers/file.log'], links);
    await logs.podLogs.removeOrphans((one) => one === uid);
    expect([...logs.files.keys()]).toEqual([own, '/data/pods/other', '/data/containers/file.log']);
    expect([...logs.links.keys()]).toEqual([`${prefix}c0.log`]);
  });

  test('the link of a container whose log is being rotated stays, that of one that has ended does not', async () => {
    const links = { [`${prefix}c0.log`]: `${directory}/app/0.log`, [`${prefix}c1.log`]: `${directory}/app/1.log` };
    const ended = containerOf('c0', 0, ContainerState.CONTAINER_EXITED);
    const logs = logsOf([], links, [ended, containerOf('c1', 1)]);
    await logs.podLogs.removeOrphans(() => true);
    expect([...logs.links.keys()]).toEqual([`${prefix}c1.log`]);
  });
});
