import { reasonOf } from '@coracle/apimachinery';
import type { Clock, Counter, Histogram, MetricLabels, Metrics } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';

const durationBuckets: readonly number[] = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

const hour = 3600;
const day = 24 * hour;
const lifetimeBuckets: readonly number[] = [
  0,
  hour / 2,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * day),
];

const success: MetricLabels = { result: 'success' };
const failure: MetricLabels = { result: 'failure' };
const broken: MetricLabels = { result: 'error' };

/** Counts requests by user and result, and the lifetimes of client certificates, for alerts. */
export class AuthenticationCount {
  readonly #clock: Clock;
  readonly #attempts: Counter;
  readonly #requests: Counter;
  readonly #duration: Histogram;
  readonly #lifetime: Histogram;

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    const labels = ['result'];
    this.#attempts = metrics.counter({ name: 'authentication_attempts', help: 'Attempts to log in.', labels });
    this.#duration = metrics.histogram({
      name: 'authentication_duration_seconds',
      help: 'Duration of authentication in seconds.',
      labels,
      buckets: durationBuckets,
    });
    this.#requests = metrics.counter({
      name: 'authenticated_user_requests',
      help: 'Requests by kinds of users.',
      labels: ['username'],
    });
    this.#lifetime = metrics.histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'How long the certificates last that clients show.',
      buckets: lifetimeBuckets,
    });
  }

  success(context: RequestContext, user: UserInfo): void {
    const now = this.#clock.now();
    this.#attempts.add(1, success);
    this.#duration.observe((now - context.receivedAt) / 1000, success);
    this.#requests.add(1, kindOf(user.name));
    const expiresAt = context.request.peer?.certificate?.expiresAt;
    if (expiresAt !== undefined) this.#lifetime.observe((expiresAt - now) / 1000);
  }

  failure(context: RequestContext, error: unknown): void {
    const result = reasonOf(error) === 'Unauthorized' ? failure : broken;
    this.#attempts.add(1, result);
    this.#duration.observe((this.#clock.now() - context.receivedAt) / 1000, result);
  }
}

const others: MetricLabels = { username: 'other' };
const byEmail: MetricLabels = { username: 'email_id' };
const wellKnown = new Map<string, MetricLabels>(
  ['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'].map((username) => [
    username,
    { username },
  ]),
);

/** There are too many users for one time series each. */
function kindOf(name: string): MetricLabels {
  return wellKnown.get(name) ?? (name.includes('@') ? byEmail : others);
}
