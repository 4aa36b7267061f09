import { ContainerState, PodSandboxState } from '@coracle/cri';
import { type CriClient, createCriClient, negotiateVersion } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox, TestContainerd, whyNoContainerd } from './containerd.js';

const whyNot = whyNoContainerd();

describe.skipIf(whyNot)(`CRI on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  let containerd: TestContainerd;
  let client: CriClient;
  beforeAll(async () => {
    containerd = await TestContainerd.start();
    client = createCriClient({ endpoint: containerd.endpoint });
  }, 180_000);
  afterAll(async () => {
    client?.[Symbol.dispose]();
    await containerd?.[Symbol.asyncDispose]();
  }, 120_000);

  test('the runtime reports its name and version', async () => {
    expect(await negotiateVersion(client)).toMatchObject({ runtimeName: 'containerd', runtimeApiVersion: 'v1' });
  });

  test('a container runs, is executed in, survives a SIGKILL of the daemon, and ends', async () => {
    const { runtime } = client;
    const sandboxConfig = {
      metadata: { name: 'p', namespace: 'default', uid: 'u', attempt: 0 },
      logDirectory: `${containerd.folder}/logs`,
      linux: { cgroupParent: containerd.cgroupRoot },
    };
    const { podSandboxId = '' } = await runtime.runPodSandbox({ config: sandboxConfig });
    const config = {
      metadata: { name: 'c', attempt: 0 },
      image: { image: busybox },
      command: ['sh', '-c', 'trap "exit 5" TERM; while :; do sleep 0.1; done'],
      logPath: 'c.log',
      linux: {},
    };
    const { containerId = '' } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
    await runtime.startContainer({ containerId });
    const { exitCode, stdout } = await runtime.execSync({ containerId, cmd: ['sh', '-c', 'echo $$; exit 3'] });
    expect(exitCode).toBe(3);
    expect(new TextDecoder().decode(stdout)).toMatch(/^\d+\n$/);

    await containerd.kill();
    await expect(runtime.status({})).rejects.toMatchObject({ code: 'Unavailable' });
    await containerd.launch();
    const answers = async () => (await runtime.status({}).catch(() => undefined)) !== undefined;
    await expect.poll(answers, { timeout: 60_000 }).toBe(true);
    const before = await runtime.containerStatus({ containerId });
    expect(before.status?.state).toBe(ContainerState.CONTAINER_RUNNING);

    await runtime.stopContainer({ containerId, timeout: 5 });
    const after = await runtime.containerStatus({ containerId });
    expect(after.status).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 5 });
    await runtime.stopPodSandbox({ podSandboxId });
    const stopped = await runtime.podSandboxStatus({ podSandboxId });
    expect(stopped.status?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
    await runtime.removePodSandbox({ podSandboxId });
    expect(await containerd.containers()).toEqual([]);
  }, 180_000);

  test('errors carry their codes', async () => {
    await expect(client.runtime.containerStatus({ containerId: 'none' })).rejects.toMatchObject({ code: 'NotFound' });
    await expect(client.images.pullImage({ image: { image: '127.0.0.1:1/none:1' } })).rejects.toThrow(/127\.0\.0\.1:1/);
    using unreachable = createCriClient({ endpoint: 'unix:///nowhere.sock' });
    await expect(negotiateVersion(unreachable)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
