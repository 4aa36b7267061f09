import { isRecord } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';

export interface CniDirectories {
  readonly confDir: string;
  readonly binDir: string;
}

const usual: CniDirectories = { confDir: '/etc/cni/net.d', binDir: '/opt/cni/bin' };

/**
 * The directories in which the container runtime looks for networks and plugins: containerd reports them, others are
 * assumed to use the defaults.
 */
export async function cniDirectories(runtime: Pick<RuntimeService, 'status'>): Promise<CniDirectories> {
  const { info } = await runtime.status({ verbose: true });
  const text = info?.['config'];
  if (text === undefined) return usual;
  try {
    const config: unknown = JSON.parse(text);
    const cni = isRecord(config) && isRecord(config['cni']) ? config['cni'] : {};
    const pick = (value: unknown, otherwise: string) => (typeof value === 'string' && value !== '' ? value : otherwise);
    return { confDir: pick(cni['confDir'], usual.confDir), binDir: pick(cni['binDir'], usual.binDir) };
  } catch {
    return usual;
  }
}
