#!/usr/bin/env node
// Prints how long ADD takes: coracle-cni beside the bridge plugin of Debian with host-local, in turns, in a network
// namespace of their own. Needs root, iproute2, a build (npm run build), and containernetworking-plugins for the second.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 40);
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'coracle-add-'));
const node = `coracle-add-${process.pid}`;
const bin = join(folder, 'bin');
mkdirSync(bin);
// As the node installs it: the first line names this Node.js.
const text = readFileSync(join(root, 'apps/coracle/dist/coracle-cni.cjs'), 'utf8').replace(/^#!.*\n/, '');
writeFileSync(join(bin, 'coracle-cni'), `#!${process.execPath}\n${text}`);
chmodSync(join(bin, 'coracle-cni'), 0o755);

const reference = '/usr/lib/cni';
const ranges = (subnet) => [[{ subnet }]];
const plugins = [
  {
    name: 'coracle-cni',
    file: join(bin, 'coracle-cni'),
    config: {
      type: 'coracle-cni',
      bridge: 'cor0',
      mtu: 1500,
      ipam: { ranges: ranges('10.244.1.0/24'), dataDir: join(folder, 'leases') },
    },
  },
  {
    name: 'bridge with host-local (Debian)',
    file: join(reference, 'bridge'),
    config: {
      type: 'bridge',
      bridge: 'ref0',
      isGateway: true,
      hairpinMode: true,
      ipam: { type: 'host-local', ranges: ranges('10.245.1.0/24'), dataDir: join(folder, 'host-local') },
    },
  },
].filter(({ file }) => existsSync(file));

/** Of the children that have ended, in milliseconds. */
function childrenCpuMs() {
  const [, stat = ''] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  const fields = stat.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function call({ file, config }, command, id) {
  const env = {
    PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
    CNI_COMMAND: command,
    CNI_CONTAINERID: id,
    CNI_NETNS: `/var/run/netns/${id}`,
    CNI_IFNAME: 'eth0',
    CNI_PATH: reference,
  };
  const input = JSON.stringify({ cniVersion: '1.0.0', name: 'figures', ...config });
  const { status, stdout, stderr } = spawnSync('ip', ['netns', 'exec', node, file], { env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${command}: ${stdout}${stderr}`);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ms = (value) => `${value.toFixed(1)} ms`;
const figures = plugins.map(() => ({ walls: [], cpu: 0 }));
try {
  execFileSync('ip', ['netns', 'add', node]);
  for (let round = 0; round < rounds + 3; round++) {
    for (const [index, plugin] of plugins.entries()) {
      const id = `${node}-${index}-${round}`;
      execFileSync('ip', ['netns', 'add', id]);
      const [before, began] = [childrenCpuMs(), performance.now()];
      call(plugin, 'ADD', id);
      const [wall, cpu] = [performance.now() - began, childrenCpuMs() - before];
      // The first calls make the bridge.
      if (round >= 3) {
        figures[index].walls.push(wall);
        figures[index].cpu += cpu;
      }
      call(plugin, 'DEL', id);
      execFileSync('ip', ['netns', 'del', id]);
    }
  }
  for (const [index, { walls, cpu }] of figures.entries())
    console.log(
      `${plugins[index].name}: ADD p50 ${ms(median(walls))}, ${ms(cpu / walls.length)} of CPU (${walls.length} calls, with ip netns exec)`,
    );
} finally {
  spawnSync('ip', ['netns', 'del', node]);
  rmSync(folder, { recursive: true, force: true });
}
