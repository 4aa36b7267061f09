import {
  type ApiResponse,
  asStatusError,
  formatMicroTime,
  type Status,
  StatusError,
  writeJson,
} from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import { readRequest, readResponse, withoutManagedFields } from './audit-bodies.js';
import { type AnnotationLevel, type AuditStage, type AuditTrail, reaches } from './audit-event.js';
import type { AuditDecision } from './audit-policy.js';
import { clientText, objectText, quote, userText } from './event-text.js';

/** Information about a request, collected while it is served, for its audit events. */
export class AuditRecord implements AuditTrail {
  readonly decision: AuditDecision;
  readonly #context: RequestContext;
  readonly #user: UserInfo;
  readonly #annotationKeys: string[] = [];
  #annotations = '';
  #constant: ConstantText | undefined;
  #status: Partial<Status> | undefined;
  #response: ApiResponse | undefined;

  constructor(context: RequestContext, decision: AuditDecision) {
    this.#context = context;
    this.#user = context.user;
    this.decision = decision;
  }

  annotate(key: string, value: string, level: AnnotationLevel = 'Metadata'): void {
    if (this.#annotationKeys.includes(key)) return;
    if (!reaches(this.decision.level, level)) return;
    this.#annotations += `${this.#annotationKeys.length === 0 ? '' : ','}${quote(key)}:${quote(value)}`;
    this.#annotationKeys.push(key);
  }

  answered(response: ApiResponse): void {
    this.#response = response;
    this.#status = undefined;
  }

  /** Set by authentication. The credential itself is never recorded. */
  refused(error: StatusError): void {
    const { headers, peer } = this.#context.request;
    const [scheme] = (headers['authorization'] ?? '').split(' ');
    const tried = [
      ...(peer?.certificate || peer?.certificateProblem ? ['x509'] : []),
      ...(scheme ? [scheme.toLowerCase() === 'bearer' ? 'bearer' : 'basic'] : []),
    ];
    this.failed(error);
    if (tried.length > 0)
      this.#status = { ...this.#status, message: `Authentication failed, attempted: ${tried.join(', ')}` };
  }

  failed(error: unknown): AuditStage {
    if (StatusError.is(error)) {
      const { kind: _kind, apiVersion: _version, ...status } = asStatusError(error).status;
      this.#status = status;
      return 'ResponseComplete';
    }
    const message = `APIServer panic'd: ${messageOf(error)}`;
    this.#status = { metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 };
    return 'Panic';
  }

  /** The JSON of the event of a stage, unless the policy omits that stage. */
  event(stage: AuditStage, now: Millis): string | undefined {
    const { omitStages, level } = this.decision;
    if (omitStages.size > 0 && omitStages.has(stage)) return undefined;
    this.#constant ??= this.#constantText();
    const { id, request, client, received } = this.#constant;
    const { user } = this.#context;
    const impersonated = user === this.#user ? '' : `,"impersonatedUser":${userText(user)}`;
    const annotations = this.#annotations === '' ? '' : `,"annotations":{${this.#annotations}}`;
    return (
      `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${level}","auditID":${id},` +
      `"stage":"${stage}"${request}${impersonated}${client}${this.#statusText()}${this.#bodiesText(stage)}` +
      `${received},"stageTimestamp":"${formatMicroTime(now)}"${annotations}}`
    );
  }

  /** The fields that all events of a request have in common. */
  #constantText(): ConstantText {
    const { request, info, receivedAt, auditId } = this.#context;
    const { query, path } = request;
    const uri = quote(query === '' ? path : `${path}?${query}`);
    return {
      id: quote(auditId),
      request: `,"requestURI":${uri},"verb":${quote(info.verb)},"user":${userText(this.#user)}`,
      client: clientText(request) + objectText(info),
      received: `,"requestReceivedTimestamp":"${formatMicroTime(receivedAt)}"`,
    };
  }

  #statusText(): string {
    if (this.#status) return `,"responseStatus":${JSON.stringify(this.#status)}`;
    return this.#response ? `,"responseStatus":{"metadata":{},"code":${this.#response.status}}` : '';
  }

  #bodiesText(stage: AuditStage): string {
    const { level } = this.decision;
    if (stage === 'RequestReceived' || level === 'Metadata') return '';
    const { request, info } = this.#context;
    if (!info.isResourceRequest) return '';
    const sent = this.#bodyText('requestObject', readRequest(request.body, request.headers['content-type']));
    return reaches(level, 'RequestResponse') ? sent + this.#bodyText('responseObject', this.#readResponse()) : sent;
  }

  #bodyText(field: string, value: unknown): string {
    if (value === undefined) return '';
    return `,"${field}":${writeJson(this.decision.omitManagedFields ? withoutManagedFields(value) : value)}`;
  }

  #readResponse(): unknown {
    if (this.#status) return { kind: 'Status', apiVersion: 'v1', ...this.#status };
    return this.#response && readResponse(this.#response);
  }
}

/** Fragments of the text of an event. */
interface ConstantText {
  readonly id: string;
  readonly request: string;
  readonly client: string;
  readonly received: string;
}
