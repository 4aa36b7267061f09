import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  addComponentFlags,
  addFlagsWithoutEffect,
  type ComponentFlags,
  componentOptions,
  idleFlags,
} from './component-flags.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-component-flags-'));
});
afterEach(() => rm(folder, { recursive: true }));

function parse(args: readonly string[]) {
  const command = addComponentFlags(new Command('scheduler'), 'scheduler', 10_259).exitOverride();
  const withoutEffect = addFlagsWithoutEffect(command, 'scheduler');
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return { flags: command.opts<ComponentFlags>(), withoutEffect };
}

const flagsOf = (...args: string[]): ComponentFlags => parse(args).flags;

function idleOf(...args: string[]): string[] {
  const { flags, withoutEffect } = parse(args);
  return idleFlags(flags, withoutEffect);
}

describe('flags that components have in common', () => {
  test('have the values that kube-scheduler has', async () => {
    const { features, ...options } = await componentOptions(flagsOf());
    expect(options).toEqual({
      serving: { host: '0.0.0.0', port: 10_259, alwaysAllowed: ['/healthz', '/readyz', '/livez'], profiling: true },
    });
    expect(features?.isOn('HPAScaleToZero')).toBe(false);
  });

  test('reach the server of the component', async () => {
    const ca = join(folder, 'ca.crt');
    await writeFile(ca, '-----BEGIN CERTIFICATE-----\n');
    const { serving, features } = await componentOptions(
      flagsOf(
        '--authentication-kubeconfig=/a.conf',
        '--authorization-kubeconfig=/b.conf',
        `--client-ca-file=${ca}`,
        `--requestheader-client-ca-file=${ca}`,
        '--requestheader-allowed-names=front-proxy-client',
        '--tls-cert-file=/s.crt',
        '--tls-private-key-file=/s.key',
        '--tls-sni-cert-key=/x.crt,/x.key:x.example',
        '--tls-min-version=VersionTLS13',
        '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
        '--profiling=false',
        '--feature-gates=HPAScaleToZero=true',
      ),
    );
    expect(serving).toMatchObject({
      authenticationKubeconfig: '/a.conf',
      authorizationKubeconfig: '/b.conf',
      clientCaFile: ca,
      requestHeader: { clientCa: ca, allowedNames: ['front-proxy-client'], usernameHeaders: ['X-Remote-User'] },
      certificate: { certFile: '/s.crt', keyFile: '/s.key' },
      named: [{ certificate: '/x.crt', key: '/x.key', names: ['x.example'] }],
      tls: { minVersion: 'VersionTLS13', cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'] },
      profiling: false,
    });
    expect(features?.isOn('HPAScaleToZero')).toBe(true);
  });

  test('are listed at the start if they have no effect', () => {
    expect(idleOf('--kube-api-qps=50', '--kube-api-burst=100', '--v=2', '--logging-format=json')).toEqual([
      '--kube-api-burst',
      '--kube-api-qps',
      '--logging-format',
      '--v',
    ]);
    expect(idleOf('-v', '4')).toEqual(['--v']);
    expect(idleOf('--feature-gates=AtomicFIFO=false')[0]).toMatch(/^feature gate AtomicFIFO=false$/);
    expect(idleOf()).toEqual([]);
  });

  test('of authentication and cloud providers that change nothing are accepted', () => {
    const command = addComponentFlags(new Command('controller-manager'), 'controller-manager', 10_257).exitOverride();
    const names = addFlagsWithoutEffect(command, 'controller-manager');
    const flags = ['--authentication-skip-lookup=true', '--cloud-provider=external', '--namespace-sync-period=5m'];
    command.configureOutput({ writeErr: () => {} }).parse(flags, { from: 'user' });
    expect(idleFlags(command.opts<ComponentFlags>(), names)).toEqual([
      '--authentication-skip-lookup',
      '--cloud-provider',
      '--namespace-sync-period',
    ]);
  });

  test('that a command defines itself have an effect', () => {
    const command = addComponentFlags(new Command('scheduler'), 'scheduler', 10_259).option('--kube-api-qps <n>');
    expect(addFlagsWithoutEffect(command, 'scheduler')).not.toContain('kube-api-qps');
  });

  test('flags of the controller manager alone are refused by the scheduler', () => {
    expect(() => flagsOf('--cluster-name=kubernetes')).toThrow(/unknown option '--cluster-name/);
  });
});
