import { type certificatesv1beta1, type Pod, type PodCertificateProjection, refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import { type Activity, type Clock, every, type Logger, type Millis, type Random } from '@coracle/base';
import { type Client, createInformers, type EventRecorder, type InformerFactory } from '@coracle/client';
import { ConfigError } from '../config-error.js';
import { podReference } from '../container-reference.js';
import {
  type CertificateAction,
  type CertificateProgress,
  type Credentials,
  certificateWarnings,
  decideCertificate,
} from './decide-certificate.js';
import type { PodKeys } from './pod-keys.js';

export interface PodCertificatesOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly keys: PodKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** A pod has a certificate that it did not have before: its first, or one in place of another. */
  readonly onIssued: (pod: Pod, about: { readonly isRenewed: boolean }) => void;
}

/** A source of a projected volume that asks for a certificate. */
export interface CertificateSource {
  readonly volume: string;
  /** Among the sources of the volume. */
  readonly index: number;
  readonly projection: PodCertificateProjection;
}

interface Projection extends CertificateSource {
  readonly pod: Pod;
  progress: CertificateProgress;
  /** Why there will never be a certificate. */
  refusal?: string;
  /** Something is being done about it. */
  busy: boolean;
  /** Something happened meanwhile. */
  again: boolean;
}

const passMs: Millis = 60_000;
/** Requests of many pods are spread, so that they do not come together for ever. */
const jitterMs: Millis = 5 * 60_000;
const deletedMs: Millis = 10 * 60_000;

/**
 * Gets certificates for pods from signers, and renews them. Nothing is kept over a restart: new certificates are asked
 * for then. The requests of the node are watched from when the first pod wants a certificate.
 */
export class PodCertificates implements AsyncDisposable {
  readonly #options: PodCertificatesOptions;
  /** By pod, volume and index. */
  readonly #projections = new Map<string, Projection>();
  #informers: InformerFactory | undefined;
  #timer: Disposable | undefined;

  constructor(options: PodCertificatesOptions) {
    this.#options = options;
  }

  /** Throws a `ConfigError` as long as there are none. */
  async credentials(pod: Pod, source: CertificateSource): Promise<Credentials> {
    const projection = this.#projectionOf(pod, source);
    const { current } = projection.progress;
    if (projection.refusal !== undefined) throw new ConfigError(projection.refusal);
    if (current) return current;
    await this.#advance(projection);
    throw new ConfigError('credential bundle is not issued yet');
  }

  /** The pod is gone. */
  forget(podUid: string): void {
    for (const [key, { pod }] of this.#projections) if (pod.metadata.uid === podUid) this.#projections.delete(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#informers?.[Symbol.asyncDispose]();
  }

  #projectionOf(pod: Pod, source: CertificateSource): Projection {
    const key = `${pod.metadata.uid}/${source.volume}/${source.index}`;
    const existing = this.#projections.get(key);
    if (existing) return existing;
    const made: Projection = { ...source, pod, progress: {}, busy: false, again: false };
    this.#projections.set(key, made);
    return made;
  }

  #requests() {
    const { nodeName, clock, random } = this.#options;
    this.#informers ??= createInformers(this.#options);
    const fieldSelector = `spec.nodeName=${nodeName}`;
    const informer = this.#informers.for(refs.podCertificateRequests, { fieldSelector });
    if (this.#timer) return informer;
    informer.addHandler(({ object }) => {
      for (const projection of this.#projections.values())
        if (projection.pod.metadata.uid === object.spec.podUID) void this.#advance(projection);
    });
    this.#informers.start();
    this.#timer = every(clock, passMs * (1 + random.next()), () => {
      for (const projection of this.#projections.values()) void this.#advance(projection);
    });
    return informer;
  }

  /** Does what is to be done. One pass at a time; a call during a pass makes it look once more. */
  async #advance(projection: Projection): Promise<void> {
    projection.again = true;
    if (projection.busy) return;
    projection.busy = true;
    const work = this.#options.activity.begin();
    try {
      while (projection.again && projection.refusal === undefined) {
        projection.again = false;
        await this.#step(projection);
      }
    } catch (error) {
      const { pod, volume } = projection;
      this.#options.logger.error('A pod certificate could not be asked for', {
        error,
        pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
        volume,
      });
    } finally {
      projection.busy = false;
      work[Symbol.dispose]();
    }
  }

  async #step(projection: Projection): Promise<void> {
    const { clock } = this.#options;
    const requests = this.#requests();
    this.#warn(projection);
    const { pending } = projection.progress;
    const request = pending && requests.get(`${projection.pod.metadata.namespace}/${pending.name}`);
    const action = decideCertificate(projection.progress, request, clock.now());
    if (action.do === 'request') await this.#ask(projection);
    else if (action.do === 'abandon') {
      const { pending: _gone, ...rest } = projection.progress;
      projection.progress = rest;
      projection.again = true;
    } else if (action.do === 'take') this.#take(projection, action.credentials);
    else if (action.do === 'refuse') this.#refuse(projection, action);
  }

  async #ask(projection: Projection): Promise<void> {
    const { client, keys, clock } = this.#options;
    const { key, request } = await keys.generate(projection.projection.keyType);
    const requests = client.resource(refs.podCertificateRequests, projection.pod.metadata.namespace);
    const { metadata } = await requests.create(await this.#requestFor(projection, request));
    const abandonAt = clock.now() + deletedMs + this.#jitter();
    projection.progress = { ...projection.progress, pending: { name: metadata.name ?? '', key, abandonAt } };
    // The watch may have delivered it before its name was stored here.
    projection.again = true;
  }

  async #requestFor(
    { pod: { metadata, spec }, projection }: Projection,
    request: Uint8Array,
  ): Promise<certificatesv1beta1.PodCertificateRequest> {
    const { client, nodeName } = this.#options;
    const { name: podName = '', uid: podUID = '', namespace = '' } = metadata;
    const serviceAccountName = spec?.serviceAccountName ?? 'default';
    const account = await client.resource(refs.serviceAccounts, namespace).get(serviceAccountName);
    const node = await client.resource(refs.nodes).get(nodeName);
    const { signerName, maxExpirationSeconds, userAnnotations } = projection;
    return {
      metadata: {
        namespace,
        generateName: 'req-',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUID }],
      },
      spec: {
        signerName,
        podName,
        podUID,
        serviceAccountName,
        serviceAccountUID: account.metadata.uid ?? '',
        nodeName,
        nodeUID: node.metadata.uid ?? '',
        stubPKCS10Request: toBase64(request),
        ...(maxExpirationSeconds !== undefined && { maxExpirationSeconds }),
        ...(userAnnotations && { unverifiedUserAnnotations: userAnnotations }),
      },
    };
  }

  #take(projection: Projection, { refreshAt, ...rest }: Omit<Credentials, 'key'>): void {
    const { key = '' } = projection.progress.pending ?? {};
    const isRenewed = projection.progress.current !== undefined;
    projection.progress = { current: { key, ...rest, refreshAt: refreshAt + this.#jitter() } };
    this.#options.onIssued(projection.pod, { isRenewed });
  }

  #refuse(projection: Projection, { type, reason, message }: CertificateAction & { readonly do: 'refuse' }): void {
    const { pod, progress } = projection;
    const why = `reason=${JSON.stringify(reason)}`;
    const detail = `message=${JSON.stringify(message)}`;
    const name = `${pod.metadata.namespace}/${progress.pending?.name}`;
    const verb = type === 'Denied' ? 'was denied' : 'failed';
    const text = `PodCertificateRequest ${name} ${verb}, ${why}, ${detail}`;
    this.#options.recorder.event(podReference(pod), 'Warning', type, text);
    projection.refusal = `PodCertificateRequest was permanently ${type.toLowerCase()}: ${why} ${detail}`;
  }

  #warn(projection: Projection): void {
    const { clock, recorder } = this.#options;
    const { overdue, expired } = certificateWarnings(projection.progress, clock.now());
    const subject = podReference(projection.pod);
    if (overdue) recorder.event(subject, 'Warning', 'CertificateOverdueForRefresh', 'PodCertificate refresh overdue');
    if (expired) recorder.event(subject, 'Warning', 'CertificateExpired', 'PodCertificate expired');
    if (overdue || expired)
      projection.progress = {
        ...projection.progress,
        isOverdue: projection.progress.isOverdue || overdue,
        isExpired: projection.progress.isExpired || expired,
      };
  }

  #jitter(): Millis {
    return this.#options.random.next() * jitterMs;
  }
}
