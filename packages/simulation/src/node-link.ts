import type { Pod } from '@coracle/api';
import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import type { Transport } from '@coracle/client';
import type { PodSink, PodSource } from '@coracle/kubelet';

/** Whether a node reaches the API server. */
export class NodeLink {
  #cut = false;
  /** Made for the first listener: links are many. */
  #onMended: Set<() => void> | undefined;

  get isCut(): boolean {
    return this.#cut;
  }

  cut(): void {
    this.#cut = true;
  }

  mend(): void {
    if (!this.#cut) return;
    this.#cut = false;
    for (const tell of this.#onMended ?? []) tell();
  }

  onMended(listener: () => void): Disposable {
    this.#onMended ??= new Set();
    this.#onMended.add(listener);
    return { [Symbol.dispose]: () => this.#onMended?.delete(listener) };
  }
}

/** The transport of a node: requests fail while its link is cut. */
export function overLink(transport: Transport, link: NodeLink): Transport {
  const through =
    <Request, Answer>(send: (request: Request) => Promise<Answer>) =>
    (request: Request): Promise<Answer> =>
      link.isCut ? Promise.reject(new Error('connect EHOSTUNREACH: the node is disconnected')) : send(request);
  const { connect } = transport;
  return {
    ...transport,
    exchange: through<ApiRequest, ApiResponse>((request) => transport.exchange(request)),
    ...(connect && { connect: through((request: Parameters<typeof connect>[0]) => connect(request)) }),
  };
}

/** The pods of a node: changes while its link is cut are delivered when it is restored. */
export function podsOverLink(source: PodSource, link: NodeLink): PodSource {
  return {
    ...source,
    synced: () => source.synced(),
    follow: (nodeName, sink) => {
      /** The newest undelivered state of each pod, by uid. */
      const missed = new Map<string, () => void>();
      const hear = (pod: Pod, tell: () => void) => {
        if (link.isCut) missed.set(pod.metadata.uid ?? '', tell);
        else tell();
      };
      const held: PodSink = {
        set: (pod) => hear(pod, () => sink.set(pod)),
        remove: (pod) => hear(pod, () => sink.remove(pod)),
      };
      const mended = link.onMended(() => {
        const tells = [...missed.values()];
        missed.clear();
        for (const tell of tells) tell();
      });
      const following = source.follow(nodeName, held);
      return {
        [Symbol.dispose]: () => {
          following[Symbol.dispose]();
          mended[Symbol.dispose]();
        },
      };
    },
  };
}
