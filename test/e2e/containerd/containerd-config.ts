import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ConfigInput {
  readonly folder: string;
  readonly sandboxImage: string;
  /** Of the pods that the bridge plugin connects. */
  readonly podCidr: string;
  /** Of the bridge, 15 letters at the most. */
  readonly bridge: string;
  /** Where the CNI configuration is read from; one with Debian's bridge plugin is written unless stated. */
  readonly cniConfigFolder?: string;
  readonly cniPluginFolder?: string;
  /** Hosts of registries that are spoken to over plain HTTP. */
  readonly plainRegistries?: readonly string[];
}

/** Writes a configuration with all paths below one folder, and returns its path. */
export async function writeContainerdConfig(input: ConfigInput): Promise<string> {
  const { folder } = input;
  const cni = input.cniConfigFolder ?? (await writeBridgeConfig(input));
  const registries = join(folder, 'registries');
  await mkdir(registries, { recursive: true });
  for (const host of input.plainRegistries ?? []) {
    await mkdir(join(registries, host), { recursive: true });
    await writeFile(
      join(registries, host, 'hosts.toml'),
      `[host."http://${host}"]\n  capabilities = ["pull", "resolve"]\n`,
    );
  }
  const file = join(folder, 'config.toml');
  await writeFile(file, configText(input, cni));
  return file;
}

function configText({ folder, sandboxImage, cniPluginFolder = '/usr/lib/cni' }: ConfigInput, cni: string): string {
  return `version = 2
root = "${folder}/root"
state = "${folder}/state"
oom_score = 0
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]
[timeouts]
  # A containerd that starts kills the containers of every shim that does not answer within five seconds. On a busy machine
  # that happens, and a pod whose restart policy is Never fails then, with any kubelet.
  "io.containerd.timeout.shim.load" = "60s"
  "io.containerd.timeout.task.state" = "60s"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${sandboxImage}"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPluginFolder}"
    conf_dir = "${cni}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${folder}/registries"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.other]
    runtime_type = "io.containerd.runc.v2"
`;
}

/** Debian's plugins: a bridge with addresses of the host's own list, and host ports. */
async function writeBridgeConfig({ folder, podCidr, bridge }: ConfigInput): Promise<string> {
  const cni = join(folder, 'cni');
  await mkdir(cni, { recursive: true });
  const ipam = {
    type: 'host-local',
    dataDir: join(folder, 'addresses'),
    ranges: [[{ subnet: podCidr }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugins = [
    { type: 'bridge', bridge, isGateway: true, ipMasq: false, hairpinMode: true, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
  ];
  await writeFile(join(cni, '10-test.conflist'), JSON.stringify({ cniVersion: '0.4.0', name: bridge, plugins }));
  return cni;
}
