import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { apiserverCommand } from '../commands/apiserver.js';
import { controllerManagerCommand, schedulerCommand } from '../commands/components.js';
import { kubeletCommand } from '../commands/kubelet.js';
import { proxyCommand } from '../commands/proxy.js';
import { flagsWithoutEffect } from './idle-flags.js';
import { upstreamFlags } from './upstream-flags.fixture.js';

const commands: readonly Command[] = [
  apiserverCommand(),
  controllerManagerCommand(),
  schedulerCommand(),
  proxyCommand(),
  kubeletCommand(),
];

describe('flags of Kubernetes v1.36', () => {
  test.each(commands.map((command) => [command.name(), command] as const))('coracle %s takes all', (name, command) => {
    const taken = new Set(command.options.map(({ long }) => long?.replace('--', '')));
    const upstream: readonly string[] = upstreamFlags[name as keyof typeof upstreamFlags];
    expect(upstream.filter((flag) => !taken.has(flag))).toEqual([]);
  });

  test.each(commands.map((command) => [command.name(), command] as const))(
    'coracle %s takes no others',
    (_, command) => {
      const unknown = () => command.exitOverride().parse(['--kubeconfig=/k', '--no-such-flag=1'], { from: 'user' });
      command.configureOutput({ writeErr: () => {} });
      expect(unknown).toThrow("unknown option '--no-such-flag=1'");
    },
  );

  test('that are for security, and not supported, are refused with the reason', () => {
    const [apiserver] = commands;
    const start = () => apiserver?.exitOverride().parse(['--egress-selector-config-file=/e.yaml'], { from: 'user' });
    apiserver?.configureOutput({ writeErr: () => {} });
    expect(start).toThrow('egress selectors are not supported');
  });

  test('are reported if they have no effect', () => {
    const flags = { v: '4', proxyMode: 'ipvs', kubeconfig: '/k' };
    expect(flagsWithoutEffect(flags, ['v', 'proxy-mode', 'bind-address'])).toEqual(['--proxy-mode', '--v']);
  });
});
