import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { readMachineTopology } from './machine-topology.js';

test('CPUs, cores, sockets and NUMA nodes as reported by the kernel', async () => {
  const root = await temporaryFolder();
  const files: Record<string, string> = {
    'cpu/online': '0-3\n',
    'node/node0/cpulist': '0,2\n',
    'node/node1/cpulist': '1,3\n',
    'node/node0/meminfo': 'Node 0 MemTotal:       2048 kB\nNode 0 MemFree: 1 kB\n',
    'node/node1/meminfo': 'Node 1 MemTotal:       4096 kB\n',
    'node/node1/hugepages/hugepages-2048kB/nr_hugepages': '3\n',
  };
  for (const id of [0, 1, 2, 3]) {
    files[`cpu/cpu${id}/topology/core_id`] = '0\n';
    files[`cpu/cpu${id}/topology/physical_package_id`] = `${id % 2}\n`;
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const { cpus, memory } = await readMachineTopology(root);
  expect(cpus).toEqual([
    { id: 0, core: 0, socket: 0, numaNode: 0 },
    { id: 1, core: 1, socket: 1, numaNode: 1 },
    { id: 2, core: 0, socket: 0, numaNode: 0 },
    { id: 3, core: 1, socket: 1, numaNode: 1 },
  ]);
  expect([...memory]).toEqual([
    [0, { memory: 2 ** 21 }],
    [1, { memory: 2 ** 22, 'hugepages-2Mi': 3 * 2 ** 21 }],
  ]);
});

test('this machine has at least one CPU', async () => {
  expect((await readMachineTopology()).cpus.length).toBeGreaterThan(0);
});
