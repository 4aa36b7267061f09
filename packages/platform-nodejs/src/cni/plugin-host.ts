import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginHost } from '@coracle/cni';
import { leaseFiles } from './lease-files.js';

/** The machine of this process, managed with `ip`, `tc` and `nft`: one process for each change. */
export function pluginHost(): PluginHost {
  return {
    ip: (lines, netns) => void runTool('ip', ['-batch', '-'], { netns, input: `${lines.join('\n')}\n` }),
    ipJson: (args, netns) => JSON.parse(runTool('ip', ['-json', ...args], { netns }) || '[]'),
    tc: (lines, netns) => void runTool('tc', ['-batch', '-'], { netns, input: `${lines.join('\n')}\n` }),
    nft: (text) => void runTool('nft', ['-f', '-'], { input: text }),
    sysctl: (path, value) => writeSysctl(path, value),
    linkExists: (name) => linkNames().has(name),
    netnsExists: (path) => existsSync(path),
    defaultMtu: () => mtuOfDefaultRoute(),
    leases: leaseFiles,
  };
}

interface ToolOptions {
  readonly netns?: string | undefined;
  readonly input?: string;
}

/** System tools may not be in `PATH`. */
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`;

function runTool(command: string, args: readonly string[], { netns, input = '' }: ToolOptions): string {
  const inside = netns === undefined ? [command, ...args] : ['nsenter', `--net=${netns}`, command, ...args];
  const [file = '', ...rest] = inside;
  const { status, stdout, stderr, error } = spawnSync(file, rest, {
    input,
    encoding: 'utf8',
    env: { PATH: searchPath },
  });
  if (error) throw new Error(`cannot run ${file}: ${error.message}`);
  if (status !== 0) throw new Error(`${command}: ${(stderr || stdout).trim()}`);
  return stdout;
}

function writeSysctl(path: string, value: string): void {
  const file = join('/proc/sys/net', path);
  try {
    if (readFileSync(file, 'utf8').trim() !== value) writeFileSync(file, value);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Reads the network namespace of this process; `/sys` may show another one. */
function linkNames(): Set<string> {
  const lines = readFileSync('/proc/self/net/dev', 'utf8').split('\n').slice(2);
  return new Set(lines.map((line) => line.slice(0, line.indexOf(':')).trim()));
}

function mtuOfDefaultRoute(): number {
  const ethernet = 1500;
  const routes: unknown = JSON.parse(runTool('ip', ['-json', 'route', 'show', 'default'], {}) || '[]');
  const device = Array.isArray(routes) ? routes[0]?.dev : undefined;
  if (typeof device !== 'string') return ethernet;
  const links: unknown = JSON.parse(runTool('ip', ['-json', 'link', 'show', 'dev', device], {}) || '[]');
  const mtu = Array.isArray(links) ? links[0]?.mtu : undefined;
  return typeof mtu === 'number' ? mtu : ethernet;
}
