import { createCodec, type Layout } from '@coracle/cri';
import type { ClaimDriver, ClaimName, PreparedDevice } from '@coracle/kubelet';
import { GrpcConnection } from '../cri/grpc-connection.js';
import type { PluginHandler, RegisteredPlugin } from '../plugins/plugin-watcher.js';

/** The messages of the DRA API, which v1 and v1beta1 share: field name → [number, type]. */
export const draLayout: Layout = {
  messages: {
    Claim: { namespace: [1, 'string'], uid: [2, 'string'], name: [3, 'string'] },
    Request: { claims: [1, 'repeated Claim'] },
    Device: {
      request_names: [1, 'repeated string'],
      pool_name: [2, 'string'],
      device_name: [3, 'string'],
      cdi_device_ids: [4, 'repeated string'],
    },
    Prepared: { devices: [1, 'repeated Device'], error: [2, 'string'] },
    PrepareResponse: { claims: [1, 'map<string, Prepared>'] },
    Unprepared: { error: [1, 'string'] },
    UnprepareResponse: { claims: [1, 'map<string, Unprepared>'] },
  },
  enums: {},
};

const draCodec = createCodec(draLayout);

/** Services by the version with which plugins register; newest first. */
const services: readonly (readonly [string, string])[] = [
  ['v1.DRAPlugin', 'k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin'],
  ['v1beta1.DRAPlugin', 'k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin'],
];

const callTimeoutMs = 45_000;

interface WireDevice {
  readonly requestNames?: readonly string[];
  readonly poolName?: string;
  readonly deviceName?: string;
  readonly cdiDeviceIds?: readonly string[];
}

type Answers<Answer> = { readonly claims?: Readonly<Record<string, Answer & { readonly error?: string }>> };

/** The DRA drivers on this node, which register by their sockets. */
export class ClaimDrivers implements PluginHandler, Disposable {
  readonly #drivers = new Map<string, ClaimDriverClient>();

  get(name: string): ClaimDriver | undefined {
    return this.#drivers.get(name);
  }

  async add({ name, endpoint, versions }: RegisteredPlugin): Promise<void> {
    const [, service] = services.find(([version]) => versions.includes(version)) ?? [];
    if (!service)
      throw new Error(
        `none of the versions of the DRA driver are supported: ${versions.join(', ') || 'it names none'}`,
      );
    this.#drivers.get(name)?.[Symbol.dispose]();
    this.#drivers.set(name, new ClaimDriverClient(name, endpoint, service));
  }

  remove({ name }: RegisteredPlugin): void {
    this.#drivers.get(name)?.[Symbol.dispose]();
    this.#drivers.delete(name);
  }

  [Symbol.dispose](): void {
    for (const driver of this.#drivers.values()) driver[Symbol.dispose]();
  }
}

class ClaimDriverClient implements ClaimDriver, Disposable {
  readonly name: string;
  readonly #service: string;
  readonly #connection: GrpcConnection;

  constructor(name: string, endpoint: string, service: string) {
    this.name = name;
    this.#service = service;
    this.#connection = new GrpcConnection({ endpoint: `unix://${endpoint}`, codec: draCodec });
  }

  async prepare(claim: ClaimName): Promise<readonly PreparedDevice[]> {
    type Prepared = { readonly devices?: readonly WireDevice[] };
    const answer = await this.#call<Answers<Prepared>>('NodePrepareResources', 'PrepareResponse', claim);
    const { devices = [] } = this.#answerFor<Prepared>(answer, claim);
    return devices.map(({ requestNames = [], poolName = '', deviceName = '', cdiDeviceIds = [] }) => ({
      requests: requestNames,
      pool: poolName,
      device: deviceName,
      cdiDevices: cdiDeviceIds,
    }));
  }

  async unprepare(claim: ClaimName): Promise<void> {
    const answer = await this.#call<Answers<object>>('NodeUnprepareResources', 'UnprepareResponse', claim);
    this.#answerFor(answer, claim);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #call<Answer>(rpc: string, response: string, { namespace, uid, name }: ClaimName): Promise<Answer> {
    const method = { path: `/${this.#service}/${rpc}`, request: 'Request', response };
    return this.#connection.call(method, { claims: [{ namespace, uid, name }] }, callTimeoutMs);
  }

  #answerFor<Answer>({ claims = {} }: Answers<Answer>, { uid, name }: ClaimName): Answer {
    const answer = claims[uid];
    if (!answer) throw new Error(`${this.name}: no answer for claim ${name}`);
    if (answer.error) throw new Error(`${this.name}: ${answer.error}`);
    return answer;
  }
}
