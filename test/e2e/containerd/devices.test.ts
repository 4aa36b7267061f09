import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestDevicePlugin } from '../../../packages/platform-nodejs/src/devices/test-device-plugin.fixture.js';
import { busybox, TestContainerd, whyNoContainerd } from './containerd.js';
import { podOf, RealNode } from './real-node.js';

const whyNot = whyNoContainerd();
const resource = 'test.example.com/thing';
const allocatable = '{.status.allocatable.test\\.example\\.com/thing}';

describe.skipIf(whyNot)(`device plugins on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  let containerd: TestContainerd;
  let node: RealNode;
  let plugin: TestDevicePlugin | undefined;

  beforeAll(async () => {
    containerd = await TestContainerd.start();
    node = await RealNode.start(containerd);
    await node.until('serviceaccount/default', '{.metadata.name}', /default/);
    await startPlugin();
  }, 180_000);
  afterAll(async () => {
    await plugin?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    await containerd?.[Symbol.asyncDispose]();
  }, 120_000);

  async function startPlugin(): Promise<void> {
    const devices = { a: 'Healthy', b: 'Healthy' };
    plugin = await TestDevicePlugin.start(resource, join(node.dataDir, 'kubelet/device-plugins'), devices);
    await plugin.register();
    await node.until('node/machine', allocatable, /^2$/);
  }

  const asking = (count: number) => ({ resources: { limits: { [resource]: String(count) } } });

  test('a container has the devices, files and environment of the plugin', async () => {
    const script = 'echo $TEST_DEVICES; ls /dev/test-a /devices-of-test/hostname; head -c 3 /dev/test-a | xxd -p';
    await node.create(podOf('with-device', busybox, script, {}, asking(1)));
    await node.until('pod/with-device', '{.status.phase}', /^Succeeded$/);
    const { stdout } = await node.kubectl(['logs', 'with-device']);
    expect(stdout).toBe('a\n/dev/test-a\n/devices-of-test/hostname\n000000\n');
  }, 150_000);

  test('devices stay with their container when the kubelet is killed, and go back with the pod', async () => {
    await node.create(podOf('holder', busybox, 'exec sleep 3600', {}, asking(2)));
    await node.until('pod/holder', '{.status.phase}', /^Running$/);
    await node.kill();
    await node.launch();
    await startPlugin();
    // A pod that was not scheduled is rejected by the node.
    await node.create(podOf('late', busybox, 'true', { nodeName: 'machine' }, asking(1)));
    await node.until('pod/late', '{.status.phase} {.status.reason}', /^Failed OutOftest.example.com\/thing$/);
    await node.kubectl(['delete', 'pod', 'holder', '--timeout=60s']);
    await node.create(podOf('next', busybox, 'echo $TEST_DEVICES', {}, asking(2)));
    await node.until('pod/next', '{.status.phase}', /^Succeeded$/);
    expect((await node.kubectl(['logs', 'next'])).stdout).toBe('a,b\n');
  }, 300_000);
});
