import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiserverCommand } from '../commands/apiserver.js';
import { flagTexts } from './flag-texts.js';
import { addServerFlags, clusterOptions, type ServerFlags } from './server-flags.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-flags-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function authority(): Promise<string> {
  const file = join(folder, 'ca.crt');
  await writeFile(file, '-----BEGIN CERTIFICATE-----\n');
  return file;
}

async function optionsOf(...args: string[]) {
  const command = addServerFlags(new Command('test')).exitOverride();
  return await clusterOptions(command.parse(args, { from: 'user' }).opts<ServerFlags>());
}

describe('the flags of kube-apiserver', () => {
  test('FLAG-62 configure authenticating proxies', async () => {
    const { requestHeader } = await optionsOf(
      `--requestheader-client-ca-file=${await authority()}`,
      '--requestheader-allowed-names=front-proxy-client',
    );
    expect(requestHeader).toEqual({
      clientCa: join(folder, 'ca.crt'),
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: [],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
    });
    expect((await optionsOf()).requestHeader).toBeUndefined();
  });

  test('FLAG-42 FLAG-45 FLAG-58 FLAG-63 have the meaning of kube-apiserver', async () => {
    expect(
      await optionsOf(
        '--etcd-compaction-interval=0',
        '--storage-media-type=application/json',
        '--enable-bootstrap-token-auth=false',
        '--service-account-max-token-expiration=24h',
        '--api-audiences=a,b',
        '--advertise-address=10.0.0.1',
        '--shutdown-delay-duration=5s',
      ),
    ).toMatchObject({
      compactionIntervalMs: 0,
      storageMediaType: 'application/json',
      bootstrapTokens: false,
      maxTokenSeconds: 86_400,
      apiAudiences: ['a', 'b'],
      advertiseAddress: '10.0.0.1',
      shutdownDelayMs: 5_000,
    });
    expect((await optionsOf('--enable-bootstrap-token-auth')).bootstrapTokens).toBe(true);
  });

  test('FLAG-39 set the prefix of keys in etcd', async () => {
    const etcd = ['--store=etcd', '--etcd-servers=http://127.0.0.1:2379'];
    expect((await optionsOf(...etcd, '--etcd-prefix=/one')).store).toMatchObject({ kind: 'etcd', root: '/one' });
    await expect(optionsOf('--etcd-prefix=/one')).rejects.toThrow('--etcd-prefix needs --store etcd');
  });

  test('KEY-06 FLAG-40 give resources another etcd', async () => {
    const etcd = ['--store=etcd', '--etcd-servers=http://127.0.0.1:2379', '--etcd-prefix=/one'];
    const overrides =
      '--etcd-servers-overrides=/events#http://a:1;http://b:1,apps/deployments#http://c:1,/pods#http://a:1;http://b:1';
    expect((await optionsOf(...etcd, overrides)).storeOverrides).toEqual([
      {
        resources: ['/events', '/pods'],
        store: { kind: 'etcd', endpoints: ['http://a:1', 'http://b:1'], root: '/one' },
      },
      { resources: ['apps/deployments'], store: { kind: 'etcd', endpoints: ['http://c:1'], root: '/one' } },
    ]);
    await expect(optionsOf(overrides)).rejects.toThrow('--etcd-servers-overrides needs --store etcd');
  });

  test.each([
    ['KEY-06 FLAG-40', '--etcd-servers-overrides=events#http://127.0.0.1:2380', /must be of format: group\/resource#/],
    ['KEY-06 FLAG-40', '--etcd-servers-overrides=/events', /must be of format: group\/resource#/],
    ['KEY-06 FLAG-40', '--etcd-servers-overrides=/events#http://a#b', /must be of format: group\/resource#/],
    ['FLAG-08', '--tls-sni-cert-key=/a.crt', /expected comma separated certificate and key file paths/],
    ['FLAG-08', '--tls-sni-cert-key=/a.crt,/a.key:', /empty names list is not allowed/],
    ['FLAG-08', '--tls-cipher-suites=AES', /Cipher suite AES not supported or doesn't exist/],
    ['FLAG-08', '--tls-min-version=1.2', /unknown tls version "1.2"/],
    ['FLAG-44', '--storage-backend=etcd2', /Allowed choices are etcd3/],
    ['FLAG-01', '--advertise-address=here', /failed to parse IP: "here"/],
    ['KEY-09 FLAG-48', '--watch-cache-sizes=pods', /invalid value of watch cache size: pods/],
    ['KEY-09 FLAG-48', '--watch-cache-sizes=pods#many', /invalid size of watch cache size: pods#many/],
    ['KEY-09 FLAG-48', '--watch-cache-sizes=pods#-1', /watch cache size cannot be negative: pods#-1/],
  ])('%s refuse %s', async (_id, flag, problem) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await expect(optionsOf(flag)).rejects.toThrow(problem);
  });

  test('KEY-09 FLAG-48 accept sizes of caches, and warn that no cache can be disabled', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await optionsOf('--watch-cache-sizes=pods#1000,deployments.apps#50', '--default-watch-cache-size=200');
    expect(write).not.toHaveBeenCalled();
    await optionsOf('--watch-cache-sizes=pods#0', '--watch-cache=false');
    expect(write).toHaveBeenCalledWith('coracle: without effect here: --watch-cache, --watch-cache-sizes\n');
  });

  test('FLAG-08 name certificates for other names, suites and versions', async () => {
    const { certificateFiles, tls } = await optionsOf(
      '--tls-sni-cert-key=/a.crt,/a.key:*.foo.com,foo.com',
      '--tls-sni-cert-key=/b.crt,/b.key',
      '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      '--tls-min-version=VersionTLS13',
    );
    expect(certificateFiles?.named).toEqual([
      { certificate: '/a.crt', key: '/a.key', names: ['*.foo.com', 'foo.com'] },
      { certificate: '/b.crt', key: '/b.key', names: [] },
    ]);
    expect(tls).toEqual({ cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'], minVersion: 'VersionTLS13' });
  });

  test('FLAG-20 FLAG-21 FLAG-22 set privileged containers and the endpoint reconciler', async () => {
    expect(await optionsOf()).toMatchObject({ allowsPrivileged: true, endpointReconciler: { kind: 'lease' } });
    const flags = ['--allow-privileged=false', '--endpoint-reconciler-type=master-count', '--apiserver-count=3'];
    expect(await optionsOf(...flags)).toMatchObject({
      allowsPrivileged: false,
      endpointReconciler: { kind: 'master-count', servers: 3 },
    });
    await expect(optionsOf('--apiserver-count=0')).rejects.toThrow(
      "--apiserver-count should be a positive number, but value '0' provided",
    );
  });

  test('START-12 are reported with all contradictions at once', async () => {
    const wrong = ['--apiserver-count=0', '--tls-cert-file=/a', '--store=etcd', '--authorization-mode=RBAC,RBAC'];
    await expect(optionsOf(...wrong)).rejects.toThrow(
      /^--apiserver-count should .*\n--store etcd needs .*\n--tls-cert-file and .*\n--authorization-mode \[RBAC RBAC\] .*$/,
    );
  });

  test('FLAG-57 name a file in which there is an authority', async () => {
    expect((await optionsOf(`--client-ca-file=${await authority()}`)).certificateFiles?.clientCa).toContain('ca.crt');
  });

  test('START-07 are grouped under headings', () => {
    const help = apiserverCommand().helpInformation();
    expect(help.match(/^\w.*:$/gm)).toEqual([
      'Storage:',
      'Authentication:',
      'Serving:',
      'Authorization and admission:',
      'Services:',
      'Other:',
      'Nodes:',
      'API enablement:',
      'Audit:',
      'Options:',
    ]);
    expect(help).toMatch(/^Storage:\n {2}--store /m);
  });

  test('FLAG-24 FLAG-25 FLAG-26 set the ranges of cluster IPs and node ports', async () => {
    const flags = ['--service-cluster-ip-range=10.0.0.0/24,fd00::/112', '--service-node-port-range=20000-20100'];
    expect((await optionsOf(...flags, '--kubernetes-service-node-port=20001')).serviceRanges).toEqual({
      clusterIpRanges: ['10.0.0.0/24', 'fd00::/112'],
      nodePortRange: '20000-20100',
      kubernetesNodePort: 20001,
    });
  });

  test('FLAG-05 FLAG-06 FLAG-10 FLAG-38 FLAG-56 FLAG-64 name files, servers, origins and modes', async () => {
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const options = await optionsOf(
      `--cert-dir=${folder}`,
      '--tls-cert-file=/a.crt',
      '--tls-private-key-file=/a.key',
      '--cors-allowed-origins=a\\.example,b',
      '--store=etcd',
      '--etcd-servers=https://10.0.0.1:2379,https://10.0.0.2:2379',
      `--etcd-cafile=${await file('etcd-ca', 'ca')}`,
      `--etcd-certfile=${await file('etcd-crt', 'crt')}`,
      `--etcd-keyfile=${await file('etcd-key', 'key')}`,
      `--token-auth-file=${await file('tokens', 't,u,1')}`,
      '--authorization-mode=RBAC,AlwaysDeny',
    );
    expect(options).toMatchObject({
      certDir: folder,
      certificateFiles: { serving: { certificate: '/a.crt', key: '/a.key' } },
      corsAllowedOrigins: ['a\\.example', 'b'],
      store: { kind: 'etcd', endpoints: ['https://10.0.0.1:2379', 'https://10.0.0.2:2379'] },
      staticTokens: 't,u,1',
      authorizationModes: ['RBAC', 'AlwaysDeny'],
    });
    expect(options.store).toHaveProperty('tls', {
      ca: Buffer.from('ca'),
      certificate: Buffer.from('crt'),
      key: Buffer.from('key'),
    });
  });

  test('FLAG-19 switch the logs off', async () => {
    expect((await optionsOf()).logFolder).toBe('/var/log');
    expect(await optionsOf('--enable-logs-handler=false')).not.toHaveProperty('logFolder');
  });

  test('FLAG-17 switch profiles off', async () => {
    expect((await optionsOf()).profiling).toBe(true);
    expect((await optionsOf('--profiling=false')).profiling).toBe(false);
  });

  test('are shown as one would write them', () => {
    const command = addServerFlags(new Command('test')).exitOverride();
    command.parse(['--request-timeout=90s', '--authorization-mode=RBAC,Node'], { from: 'user' });
    const texts = flagTexts(command);
    expect(texts).toMatchObject({
      'request-timeout': '1m30s',
      'authorization-mode': '[RBAC,Node]',
      'anonymous-auth': 'true',
      'max-requests-inflight': '400',
    });
    expect(texts).not.toHaveProperty('etcd-prefix');
  });

  test('AUTHN-07 name a file with the paths at which requests are anonymous', async () => {
    const file = join(folder, 'authentication.yaml');
    const config = (text: string) =>
      writeFile(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n${text}`);
    const anonymous = async (...more: string[]) =>
      (await optionsOf('--authentication-config', file, ...more)).anonymousAuth;
    await config('anonymous: { enabled: true, conditions: [{ path: /livez }, { path: /readyz }] }\n');
    expect(await anonymous()).toEqual({ paths: ['/livez', '/readyz'] });
    await expect(anonymous('--anonymous-auth=false')).rejects.toThrow('--anonymous-auth flag cannot be set');
    await config('anonymous: { enabled: false }\n');
    expect(await anonymous()).toBe(false);
    await config('');
    expect([await anonymous(), await anonymous('--anonymous-auth=false')]).toEqual([true, false]);
    await config('anonymous: { enabled: false, conditions: [{ path: / }] }\n');
    await expect(anonymous()).rejects.toThrow('enabled should be set to true when conditions are defined');
    await config('jwt: [{ issuer: { url: https://example.com } }]\n');
    await expect(anonymous()).rejects.toThrow('jwt');
    await config('anonymus: {}\n');
    await expect(anonymous()).rejects.toThrow('unknown field "anonymus"');
    await config('anonymous: { enabled: "false" }\n');
    await expect(anonymous()).rejects.toThrow('cannot unmarshal string into Go struct field');
    await config('anonymous: { enabled: true, condition: [{ path: /livez }] }\n');
    await expect(anonymous()).rejects.toThrow('unknown field "anonymous.condition"');
  });

  test('AUTHZ-07 name a file with policies, which needs its mode', async () => {
    const file = join(folder, 'policies.jsonl');
    await writeFile(file, '{"user":"jane"}');
    const { authorizationPolicies } = await optionsOf('--authorization-policy-file', file, '--authorization-mode=ABAC');
    expect(authorizationPolicies).toBe('{"user":"jane"}');
    await expect(optionsOf('--authorization-policy-file', file)).rejects.toThrow('without mode ABAC');
  });

  test('FLAG-67 ADM-03 name a file with the configuration of plugins, or files in it', async () => {
    const file = join(folder, 'admission.yaml');
    await writeFile(
      join(folder, 'limits.yaml'),
      'kind: Configuration\nlimits:\n- { type: Server, qps: 5, burst: 9 }\n',
    );
    await writeFile(
      file,
      `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration: { kind: PodSecurityConfiguration, defaults: { enforce: baseline } }
- name: EventRateLimit
  path: limits.yaml
`,
    );
    const { admission } = await optionsOf('--admission-control-config-file', file);
    expect(admission?.config).toMatchObject({
      PodSecurity: { kind: 'PodSecurityConfiguration', defaults: { enforce: 'baseline' } },
      EventRateLimit: { kind: 'Configuration', limits: [{ type: 'Server', qps: 5, burst: 9 }] },
    });
    await writeFile(file, 'kind: Something\n');
    await expect(optionsOf('--admission-control-config-file', file)).rejects.toThrow(
      'contains no AdmissionConfiguration',
    );
  });

  test('set the connection to kubelets', async () => {
    const { kubeletClient } = await optionsOf(
      '--kubelet-client-certificate=/c',
      '--kubelet-client-key=/k',
      '--kubelet-preferred-address-types=InternalIP,Hostname',
    );
    expect(kubeletClient).toEqual({
      certificate: '/c',
      key: '/k',
      preferredAddressTypes: ['InternalIP', 'Hostname'],
    });
    await expect(optionsOf('--kubelet-client-key=/k')).rejects.toThrow('must be given together');
  });

  test('ADM-12 set how long pods tolerate nodes that are not ready or unreachable', async () => {
    const { admission } = await optionsOf('--default-not-ready-toleration-seconds=7');
    expect(admission?.config).toEqual({ DefaultTolerationSeconds: { 'node.kubernetes.io/not-ready': 7 } });
  });

  test('FLAG-15 FLAG-27 FLAG-37 FLAG-50 without effect are accepted with a warning', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const names = ['delete-collection-workers', 'enable-aggregator-routing', 'max-connection-bytes-per-sec'];
    await optionsOf('--contention-profiling', '--kubelet-timeout=5s', ...names.map((name) => `--${name}=1`));
    expect(stderr.mock.calls.map(([text]) => text)).toEqual([
      'coracle: without effect here: --contention-profiling, --delete-collection-workers, --enable-aggregator-routing, --kubelet-timeout, --max-connection-bytes-per-sec\n',
    ]);
    stderr.mockRestore();
  });
});
