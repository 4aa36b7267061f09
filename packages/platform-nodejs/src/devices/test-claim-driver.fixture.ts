import { join } from 'node:path';
import { createCodec } from '@coracle/cri';
import { serveGrpc } from '../cri/grpc-server.js';
import { registrationLayout } from '../plugins/registration-layout.js';
import { draLayout } from './claim-drivers.js';

type Message = Readonly<Record<string, unknown>>;
interface Claim {
  readonly uid?: string;
  readonly name?: string;
}

const codec = createCodec({
  messages: { ...registrationLayout.messages, ...draLayout.messages },
  enums: {},
});

/** A driver of dynamic resources: every claim has one device, `<driver>/thing=<claim>`. */
export class TestClaimDriver implements AsyncDisposable {
  readonly name: string;
  /** `prepare claim-1`, in order. */
  readonly calls: string[] = [];
  /** The kubelet's response to its registration. */
  registration: Message | undefined;
  /** The error for claims, if there is one. */
  refusal: string | undefined;
  #server: AsyncDisposable | undefined;

  private constructor(name: string) {
    this.name = name;
  }

  /** Serves the service of `version` at a socket in the kubelet's folder of plugins. */
  static async start(name: string, registry: string, version = 'v1'): Promise<TestClaimDriver> {
    const driver = new TestClaimDriver(name);
    await driver.#serve(join(registry, `${name}-reg.sock`), version);
    return driver;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #serve(socket: string, version: string): Promise<void> {
    const info = { type: 'DRAPlugin', name: this.name, endpoint: socket, supportedVersions: [`${version}.DRAPlugin`] };
    const each = (request: Message, answer: (claim: Claim) => object) => ({
      claims: Object.fromEntries((request['claims'] as Claim[]).map((claim) => [claim.uid ?? '', answer(claim)])),
    });
    const note = (call: string, { name = '' }: Claim) => this.calls.push(`${call} ${name}`);
    this.#server = await serveGrpc(socket, codec, {
      'pluginregistration.Registration': {
        GetInfo: { request: 'InfoRequest', response: 'PluginInfo', answer: () => info },
        NotifyRegistrationStatus: {
          request: 'RegistrationStatus',
          response: 'Empty',
          answer: (status) => {
            this.registration = status;
            return {};
          },
        },
      },
      [`k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin`]: {
        NodePrepareResources: {
          request: 'Request',
          response: 'PrepareResponse',
          answer: (request) =>
            each(request, (claim) => {
              note('prepare', claim);
              return this.refusal === undefined ? this.#prepared(claim) : { error: this.refusal };
            }),
        },
        NodeUnprepareResources: {
          request: 'Request',
          response: 'UnprepareResponse',
          answer: (request) =>
            each(request, (claim) => {
              note('unprepare', claim);
              return {};
            }),
        },
      },
    });
  }

  #prepared({ name = '' }: Claim): object {
    const cdiDeviceIds = [`${this.name}/thing=${name}`];
    return { devices: [{ requestNames: ['one'], poolName: 'pool', deviceName: 'device-1', cdiDeviceIds }] };
  }
}
