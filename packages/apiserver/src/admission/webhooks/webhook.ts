import type { admissionregistrationv1 } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { WebhookClientConfig } from '../../outbound/webhook-client.js';
import type { ExpressionEnvironment } from '../expressions/expression-environment.js';
import { MatchConditions } from '../expressions/match-conditions.js';
import { type Selectors, selectorsOf } from '../matching/match-selectors.js';
import type { Constraints } from '../matching/match-version.js';

export type WebhookConfiguration = KubeObject & {
  readonly webhooks?: readonly (admissionregistrationv1.MutatingWebhook & admissionregistrationv1.ValidatingWebhook)[];
};

/** One webhook of a configuration, ready to be called. */
export interface Webhook {
  /** Identifies the webhook: names may occur twice. */
  readonly id: string;
  /** Its place in the order of all webhooks. */
  readonly index: number;
  readonly name: string;
  readonly configuration: string;
  readonly client: WebhookClientConfig;
  readonly constraints: Constraints;
  readonly selectors: Selectors;
  readonly conditions: MatchConditions;
  /** Whether the failure policy is Ignore. */
  readonly ignoresFailure: boolean;
  readonly timeoutMs: Millis;
  readonly hasSideEffects: boolean;
  readonly reviewVersions: readonly string[];
  readonly mayBeReinvoked: boolean;
}

const defaultTimeoutSeconds = 10;

/** All webhooks of the configurations, in the order in which they are called: by the names of the configurations. */
export function webhooksOf(
  configurations: readonly WebhookConfiguration[],
  environment: ExpressionEnvironment,
): readonly Webhook[] {
  let count = 0;
  return [...configurations]
    .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''))
    .flatMap(({ metadata: { name = '' }, webhooks = [] }) => {
      const seen = new Map<string, number>();
      return webhooks.map((webhook) => {
        const namesakes = seen.get(webhook.name) ?? 0;
        seen.set(webhook.name, namesakes + 1);
        const id = `${name}/${webhook.name}/${namesakes}`;
        const { timeoutSeconds = defaultTimeoutSeconds, matchConditions = [], sideEffects } = webhook;
        return {
          id,
          index: count++,
          name: webhook.name,
          configuration: name,
          client: webhook.clientConfig,
          constraints: { rules: webhook.rules ?? [], matchPolicy: webhook.matchPolicy ?? 'Equivalent' },
          selectors: selectorsOf(webhook),
          conditions: new MatchConditions(matchConditions, environment),
          ignoresFailure: webhook.failurePolicy === 'Ignore',
          timeoutMs: timeoutSeconds * 1000,
          hasSideEffects: sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun',
          reviewVersions: webhook.admissionReviewVersions,
          mayBeReinvoked: webhook.reinvocationPolicy === 'IfNeeded',
        };
      });
    });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
