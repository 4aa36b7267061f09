import { attach, exec, portForward } from '@coracle/client';
import { startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

const where = { namespace: 'default', pod: 'web' };
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('streams into a simulated pod, in process', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1 });
    await cluster.client.pods('default').create({
      metadata: { name: 'web', annotations: { 'simulation.coracle.dev/exec-code.odd': '4' } },
      spec: {
        containers: [
          { name: 'web', image: 'nginx', ports: [{ containerPort: 80 }], env: [{ name: 'COLOUR', value: 'red' }] },
          { name: 'odd', image: 'odd', command: ['sh', '-c', 'echo first; sleep 60; echo second; sleep 1h'] },
        ],
      },
    });
    await cluster.settled();
  });
  afterAll(() => cluster.stop());

  async function output(container: string, command: readonly string[]) {
    let stdout = '';
    const { exitCode } = await exec(cluster.client, {
      ...where,
      container,
      command,
      stdout: (chunk) => {
        stdout += textOf(chunk);
      },
    });
    return { exitCode, stdout };
  }

  test('commands run in the container that is named, with its environment', async () => {
    expect(await output('web', ['sh', '-c', 'echo $COLOUR on $HOSTNAME; exit 2'])).toEqual({
      exitCode: 2,
      stdout: 'red on web\n',
    });
    expect(await output('odd', ['unheard-of'])).toEqual({ exitCode: 4, stdout: '' });
    await expect(output('web', ['unheard-of'])).rejects.toThrow('executable file not found in $PATH');
  });

  test('a container that does not run is reported on the channel', async () => {
    await expect(
      exec(cluster.client, { namespace: 'default', pod: 'none', command: ['true'], stdout() {} }),
    ).rejects.toThrow('pods "none" not found');
    await cluster.client.pods('default').create({
      metadata: { name: 'over' },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x', command: ['true'] }] },
    });
    await cluster.settled();
    await expect(
      exec(cluster.client, { namespace: 'default', pod: 'over', command: ['true'], stdout() {} }),
    ).rejects.toThrow('Internal error occurred: unable to upgrade connection: container not found ("c")');
  });

  test('attach receives the output of the container from then on, until it ends', async () => {
    let output = '';
    const attached = attach(cluster.client, {
      ...where,
      container: 'odd',
      stdout: (chunk) => {
        output += textOf(chunk);
      },
    });
    await cluster.clock.advance('2m');
    await cluster.client.pods('default').delete('web', { gracePeriodSeconds: 0 });
    await cluster.settled();
    expect(await attached).toEqual({ exitCode: 0 });
    expect(output).toBe('second\n');
  });

  test('ports that the pod declares answer, and the others do not', async () => {
    await cluster.client.pods('default').create({
      metadata: { name: 'ported' },
      spec: { containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 80 }] }] },
    });
    await cluster.settled();
    const output = await new Promise<string>((resolve) => {
      const got: string[] = [];
      void portForward(cluster.client, {
        namespace: 'default',
        pod: 'ported',
        port: 80,
        onData: (chunk) => got.push(textOf(chunk)),
        onEnd: () => resolve(got.join('')),
      }).then((connection) => {
        connection.send(new TextEncoder().encode('GET /hello HTTP/1.0\r\n\r\n'));
      });
    });
    expect(output).toContain('This is the simulated pod default/ported, port 80.\nGET /hello\n');
    const refused = await new Promise<Error | undefined>((resolve) => {
      void portForward(cluster.client, { namespace: 'default', pod: 'ported', port: 81, onData() {}, onEnd: resolve });
    });
    expect(refused?.message).toContain('connection refused');
  });
});
