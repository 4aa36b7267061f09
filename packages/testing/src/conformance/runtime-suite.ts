import {
  type ContainerConfig,
  ContainerState,
  CriError,
  type ImageService,
  type PodSandboxConfig,
  PodSandboxState,
  type RuntimeService,
} from '@coracle/cri';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A container runtime, and how to wait for it. */
export interface RuntimeHarness extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** One that can be pulled, and whose containers run until they are stopped. */
  readonly image: string;
  /** A command of a container that runs until it is stopped. */
  readonly command?: readonly string[];
  /** Additional settings of its sandboxes. */
  readonly sandbox?: Partial<PodSandboxConfig>;
  /** Lets work in progress finish: time passes. */
  settle(): Promise<void>;
}

const metadata = { name: 'pod', namespace: 'suite', uid: 'uid-1', attempt: 0 };

/** Real ones do their work on machines that may be busy. */
const patience = { timeout: 120_000 };

/** Requirements of the kubelet on every container runtime: a simulated one, or containerd behind its socket. */
export function describeRuntime(name: string, start: () => Promise<RuntimeHarness>): void {
  describe(`container runtime contract: ${name}`, patience, () => {
    let harness: RuntimeHarness;
    beforeEach(async () => {
      harness = await start();
    });
    afterEach(() => harness[Symbol.asyncDispose]());

    const sandboxConfig = (): PodSandboxConfig => ({
      metadata,
      hostname: 'pod',
      logDirectory: '',
      labels: { suite: 'yes' },
      ...harness.sandbox,
    });
    const runSandbox = async () =>
      (await harness.runtime.runPodSandbox({ config: sandboxConfig() })).podSandboxId ?? '';
    const pull = async () => {
      const pulling = harness.images.pullImage({ image: { image: harness.image } });
      await harness.settle();
      return await pulling;
    };
    const createContainer = async (podSandboxId: string) => {
      const { runtime, image, command = [] } = harness;
      await pull();
      const config: ContainerConfig = {
        metadata: { name: 'c', attempt: 0 },
        image: { image },
        command: [...command],
        labels: { suite: 'yes' },
        logPath: '',
      };
      return (
        (await runtime.createContainer({ podSandboxId, config, sandboxConfig: sandboxConfig() })).containerId ?? ''
      );
    };
    const stateOf = async (containerId: string) =>
      (await harness.runtime.containerStatus({ containerId })).status?.state ?? ContainerState.CONTAINER_CREATED;

    test('reports its name, and that it is ready', async () => {
      expect((await harness.runtime.version({})).runtimeName).not.toBe('');
      const { status } = await harness.runtime.status({});
      expect(status?.conditions?.find(({ type }) => type === 'RuntimeReady')?.status).toBe(true);
    });

    test('an image exists after it was pulled, and not after it was removed, also for repeated calls', async () => {
      const { images, image } = harness;
      const { imageRef = '' } = await pull();
      expect(imageRef).not.toBe('');
      expect((await images.imageStatus({ image: { image } })).image?.id).not.toBe('');
      expect((await images.listImages({})).images?.length).toBeGreaterThan(0);
      await images.removeImage({ image: { image } });
      await images.removeImage({ image: { image } });
      expect((await images.imageStatus({ image: { image } })).image).toBeUndefined();
    });

    test('a sandbox is ready, is found by its labels, stops and is removed; each step may be repeated', async () => {
      const { runtime } = harness;
      const podSandboxId = await runSandbox();
      const { status } = await runtime.podSandboxStatus({ podSandboxId });
      expect({ state: status?.state ?? PodSandboxState.SANDBOX_READY, uid: status?.metadata?.uid }).toEqual({
        state: PodSandboxState.SANDBOX_READY,
        uid: 'uid-1',
      });
      const found = async (labelSelector: Record<string, string>) =>
        (await runtime.listPodSandbox({ filter: { labelSelector } })).items?.map(({ id }) => id) ?? [];
      expect(await found({ suite: 'yes' })).toEqual([podSandboxId]);
      expect(await found({ suite: 'no' })).toEqual([]);
      for (let times = 0; times < 2; times++) await runtime.stopPodSandbox({ podSandboxId });
      expect((await runtime.podSandboxStatus({ podSandboxId })).status?.state).toBe(PodSandboxState.SANDBOX_NOTREADY);
      for (let times = 0; times < 2; times++) await runtime.removePodSandbox({ podSandboxId });
      expect(await found({ suite: 'yes' })).toEqual([]);
    });

    test('a container is created, runs, is stopped with an exit code, and is removed', async () => {
      const { runtime } = harness;
      const podSandboxId = await runSandbox();
      const containerId = await createContainer(podSandboxId);
      expect(await stateOf(containerId)).toBe(ContainerState.CONTAINER_CREATED);
      await runtime.startContainer({ containerId });
      expect(await stateOf(containerId)).toBe(ContainerState.CONTAINER_RUNNING);
      const stopping = runtime.stopContainer({ containerId, timeout: 0 });
      await harness.settle();
      await stopping;
      const { status } = await runtime.containerStatus({ containerId });
      expect(status?.state).toBe(ContainerState.CONTAINER_EXITED);
      expect(status?.finishedAt).not.toBe(0);
      for (let times = 0; times < 2; times++) await runtime.removeContainer({ containerId });
      expect((await runtime.listContainers({ filter: { podSandboxId } })).containers ?? []).toEqual([]);
    });

    test('removing a sandbox takes its containers along', async () => {
      const { runtime } = harness;
      const podSandboxId = await runSandbox();
      const containerId = await createContainer(podSandboxId);
      await runtime.startContainer({ containerId });
      const stopping = runtime.stopPodSandbox({ podSandboxId });
      await harness.settle();
      await stopping;
      await runtime.removePodSandbox({ podSandboxId });
      await expect(runtime.containerStatus({ containerId })).rejects.toMatchObject({ code: 'NotFound' });
    });

    test.each(['podSandboxStatus', 'containerStatus', 'startContainer'] as const)(
      '%s of what does not exist is NotFound',
      async (method) => {
        const call = { podSandboxId: 'missing', containerId: 'missing' };
        const error: unknown = await harness.runtime[method](call).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(CriError);
        expect(error).toMatchObject({ code: 'NotFound' });
      },
    );
  });
}
