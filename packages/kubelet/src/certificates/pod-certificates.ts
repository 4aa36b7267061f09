import { type certificatesv1beta1, type Pod, type PodCertificateProjection, refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import {
  type Activity,
  type Clock,
  type Logger,
  type Metrics,
  type Millis,
  noMetrics,
  type Random,
} from '@coracle/base';
import {
  type Client,
  createInformers,
  type EventRecorder,
  KeyedWorker,
  type ReconcileResult,
  type SharedInformer,
} from '@coracle/client';
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
  readonly metrics?: Metrics;
  readonly recorder: EventRecorder;
  /** Called when a pod has a new certificate, its first or a renewed one. */
  readonly onIssued: (pod: Pod, about: { readonly isRenewed: boolean }) => void;
}

/** A source of a projected volume that requests a certificate. */
export interface CertificateSource {
  readonly volume: string;
  /** Index in the sources of the volume. */
  readonly index: number;
  readonly projection: PodCertificateProjection;
}

interface Projection extends CertificateSource {
  /** Pod, volume and index. */
  readonly key: string;
  readonly pod: Pod;
  progress: CertificateProgress;
  /** Why the certificate can never be issued. */
  refusal?: string;
}

/** The requests of the node, and the queue of projections to process. */
interface RequestQueue extends AsyncDisposable {
  readonly requests: Pick<SharedInformer<PodCertificateRequest>, 'get'>;
  readonly queue: KeyedWorker<string>['queue'];
}

type PodCertificateRequest = certificatesv1beta1.PodCertificateRequest;

const passMs: Millis = 60_000;
/** Spreads the requests of many pods, so that renewals do not coincide. */
const jitterMs: Millis = 5 * 60_000;
const deletedMs: Millis = 10 * 60_000;

/** Number of projections processed concurrently. */
const workers = 4;

/**
 * Requests certificates for pods from signers, and renews them. They are not kept over a restart: new certificates are
 * requested then. The requests of the node are watched once the first pod needs a certificate.
 */
export class PodCertificates implements AsyncDisposable {
  readonly #options: PodCertificatesOptions;
  /** By their keys. */
  readonly #projections = new Map<string, Projection>();
  #requestQueue: RequestQueue | undefined;

  constructor(options: PodCertificatesOptions) {
    this.#options = options;
  }

  /** Throws a `ConfigError` until they are issued. */
  async credentials(pod: Pod, source: CertificateSource): Promise<Credentials> {
    const projection = this.#projectionOf(pod, source);
    const { current } = projection.progress;
    if (projection.refusal !== undefined) throw new ConfigError(projection.refusal);
    if (current) return current;
    this.#requestQueue ??= this.#begin();
    this.#requestQueue.queue.add(projection.key);
    throw new ConfigError('credential bundle is not issued yet');
  }

  /** The pod was removed. */
  forget(podUid: string): void {
    for (const [key, { pod }] of this.#projections) if (pod.metadata.uid === podUid) this.#projections.delete(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requestQueue?.[Symbol.asyncDispose]();
  }

  #projectionOf(pod: Pod, source: CertificateSource): Projection {
    const key = `${pod.metadata.uid}/${source.volume}/${source.index}`;
    const existing = this.#projections.get(key);
    if (existing) return existing;
    const made: Projection = { ...source, key, pod, progress: {} };
    this.#projections.set(key, made);
    return made;
  }

  #begin(): RequestQueue {
    const { nodeName, metrics = noMetrics, logger } = this.#options;
    const informers = createInformers(this.#options);
    const fieldSelector = `spec.nodeName=${nodeName}`;
    const requests = informers.for(refs.podCertificateRequests, { fieldSelector });
    const worker = new KeyedWorker<string>({ ...this.#options, metrics, name: 'podcertificate' });
    requests.addHandler(({ object }) => {
      for (const { key, pod } of this.#projections.values())
        if (pod.metadata.uid === object.spec.podUID) worker.queue.add(key);
    });
    informers.start();
    const ending = new AbortController();
    const reconcile = (key: string) => this.#reconcile(key);
    const running = worker
      .run({ synced: () => requests.synced(), workers, reconcile }, ending.signal)
      .catch((error) => logger.error('Pod certificates are no longer requested', { error }));
    return {
      requests,
      queue: worker.queue,
      async [Symbol.asyncDispose]() {
        ending.abort();
        await running;
        await informers[Symbol.asyncDispose]();
      },
    };
  }

  /** Schedules the next check of projections that were not rejected: certificates have to be renewed. */
  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    const projection = this.#projections.get(key);
    if (!projection || projection.refusal !== undefined) return undefined;
    await this.#step(projection);
    return projection.refusal === undefined
      ? { requeueAfterMs: passMs * (1 + this.#options.random.next()) }
      : undefined;
  }

  async #step(projection: Projection): Promise<void> {
    const { clock } = this.#options;
    this.#warn(projection);
    const { pending } = projection.progress;
    const request = pending && this.#requestQueue?.requests.get(`${projection.pod.metadata.namespace}/${pending.name}`);
    const action = decideCertificate(projection.progress, request, clock.now());
    if (action.do === 'request') await this.#ask(projection);
    else if (action.do === 'abandon') {
      const { pending: _gone, ...rest } = projection.progress;
      projection.progress = rest;
      this.#requestQueue?.queue.add(projection.key);
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
    this.#requestQueue?.queue.add(projection.key);
  }

  async #requestFor(
    { pod: { metadata, spec }, projection }: Projection,
    request: Uint8Array,
  ): Promise<PodCertificateRequest> {
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
