import { createCodec } from '@coracle/cri';
import { GrpcConnection } from '../../cri/grpc-connection.js';
import { csiLayout } from './csi-layout.js';

export const csiCodec = createCodec(csiLayout);

const timeoutMs = 120_000;

/** Node information of a CSI driver. */
export interface CsiNodeInfo {
  readonly nodeId: string;
  readonly maxVolumesPerNode?: number;
  readonly accessibleTopology?: { readonly segments?: Readonly<Record<string, string>> };
}

export interface CsiUsage {
  readonly available?: number;
  readonly total?: number;
  readonly used?: number;
  readonly unit?: number;
}

/** A client of the node service of a CSI driver. */
export class CsiDriver implements Disposable {
  readonly name: string;
  readonly #connection: GrpcConnection;
  #capabilities: Promise<ReadonlySet<number>> | undefined;

  constructor(name: string, endpoint: string) {
    this.name = name;
    this.#connection = new GrpcConnection({ endpoint, codec: csiCodec });
  }

  nodeInfo(): Promise<CsiNodeInfo> {
    return this.#call('NodeGetInfo', 'NodeGetInfoResponse', {}, 'Empty');
  }

  /** Asked for once; again if the driver did not answer. */
  capabilities(): Promise<ReadonlySet<number>> {
    this.#capabilities ??= this.#readCapabilities().catch((error: unknown) => {
      this.#capabilities = undefined;
      throw error;
    });
    return this.#capabilities;
  }

  async stage(request: object): Promise<void> {
    await this.#call('NodeStageVolume', 'Empty', request);
  }

  async unstage(request: { readonly volumeId: string; readonly stagingTargetPath: string }): Promise<void> {
    await this.#call('NodeUnstageVolume', 'Empty', request);
  }

  async publish(request: object): Promise<void> {
    await this.#call('NodePublishVolume', 'Empty', request);
  }

  async unpublish(request: { readonly volumeId: string; readonly targetPath: string }): Promise<void> {
    await this.#call('NodeUnpublishVolume', 'Empty', request);
  }

  async stats(request: { readonly volumeId: string; readonly volumePath: string }): Promise<readonly CsiUsage[]> {
    const { usage = [] } = await this.#call<{ usage?: CsiUsage[] }>(
      'NodeGetVolumeStats',
      'NodeGetVolumeStatsResponse',
      request,
    );
    return usage;
  }

  async expand(request: object): Promise<number> {
    const { capacityBytes = 0 } = await this.#call<{ capacityBytes?: number }>(
      'NodeExpandVolume',
      'NodeExpandVolumeResponse',
      request,
    );
    return capacityBytes;
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  async #readCapabilities(): Promise<ReadonlySet<number>> {
    const { capabilities = [] } = await this.#call<{ capabilities?: { rpc?: { type?: number } }[] }>(
      'NodeGetCapabilities',
      'NodeGetCapabilitiesResponse',
      {},
      'Empty',
    );
    return new Set(capabilities.map(({ rpc }) => rpc?.type ?? 0));
  }

  #call<Answer>(rpc: string, response: string, value: object, request = `${rpc}Request`): Promise<Answer> {
    return this.#connection.call<Answer>({ path: `/csi.v1.Node/${rpc}`, request, response }, value, timeoutMs);
  }
}
