import { schemaOfKind } from '@coracle/api';
import {
  type ApiResponse,
  asStatusError,
  decodeKind,
  formatMicroTime,
  parseYamlDocuments,
  protobufMediaType,
  type RequestBody,
  type Status,
  StatusError,
} from '@coracle/apimachinery';
import { concatBytes, isRecord, type Millis, messageOf } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import {
  type AuditEvent,
  type AuditObjectReference,
  type AuditStage,
  type AuditTrail,
  type AuditUser,
  reaches,
} from './audit-event.js';
import type { AuditDecision } from './audit-policy.js';

/** What becomes known of a request on its way, until its events are made. */
export class AuditRecord implements AuditTrail {
  readonly decision: AuditDecision;
  readonly #context: RequestContext;
  readonly #user: UserInfo;
  readonly #annotations: Record<string, string> = {};
  #constant: ConstantFields | undefined;
  #status: Partial<Status> | undefined;
  #response: ApiResponse | undefined;

  constructor(context: RequestContext, decision: AuditDecision) {
    this.#context = context;
    this.#user = context.user;
    this.decision = decision;
  }

  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#annotations, key)) this.#annotations[key] = value;
  }

  answered(response: ApiResponse): void {
    this.#response = response;
    this.#status = { metadata: {}, code: response.status };
  }

  /** By authentication: the attempt is recorded, never the credential itself. */
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

  /** The event of a stage, unless the policy leaves that out. */
  event(stage: AuditStage, now: Millis): AuditEvent | undefined {
    if (this.decision.omitStages.has(stage)) return undefined;
    this.#constant ??= this.#constantFields();
    const { requestURI, user, sourceIPs, userAgent, objectRef, requestReceivedTimestamp } = this.#constant;
    const { info, auditId } = this.#context;
    const isImpersonating = this.#context.user !== this.#user;
    // What is undefined does not stand in the log; the order of fields is that of kube-apiserver.
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.decision.level,
      auditID: auditId,
      stage,
      requestURI,
      verb: info.verb,
      user,
      impersonatedUser: isImpersonating ? auditUser(this.#context.user) : undefined,
      sourceIPs,
      userAgent,
      objectRef,
      responseStatus: this.#status,
      ...this.#bodies(stage),
      requestReceivedTimestamp,
      stageTimestamp: formatMicroTime(now),
      annotations: Object.keys(this.#annotations).length > 0 ? { ...this.#annotations } : undefined,
    };
  }

  /** What all events of a request have in common. */
  #constantFields(): ConstantFields {
    const { request, receivedAt } = this.#context;
    const { headers, peer, query, path } = request;
    return {
      requestURI: query === '' ? path : `${path}?${query}`,
      user: auditUser(this.#user),
      sourceIPs: sourceIps(headers, peer?.address),
      userAgent: headers['user-agent']?.slice(0, longestAgent),
      objectRef: this.#objectRef(),
      requestReceivedTimestamp: formatMicroTime(receivedAt),
    };
  }

  #objectRef(): AuditObjectReference | undefined {
    const { isResourceRequest, resource, namespace, name, group, version, subresource } = this.#context.info;
    if (!isResourceRequest) return undefined;
    return {
      resource,
      ...(namespace !== '' && { namespace }),
      ...(name !== '' && { name }),
      ...(group !== '' && { apiGroup: group }),
      apiVersion: version,
      ...(subresource !== '' && { subresource }),
    };
  }

  #bodies(stage: AuditStage): Pick<AuditEvent, 'requestObject' | 'responseObject'> {
    const { level } = this.decision;
    if (stage === 'RequestReceived' || !reaches(level, 'Request')) return {};
    const { request, info } = this.#context;
    if (!info.isResourceRequest) return {};
    const requestObject = this.#trim(readRequest(request.body, request.headers['content-type']));
    const responseObject = reaches(level, 'RequestResponse') ? this.#trim(this.#readResponse()) : undefined;
    return {
      ...(requestObject !== undefined && { requestObject }),
      ...(responseObject !== undefined && { responseObject }),
    };
  }

  #readResponse(): unknown {
    if (!this.#response) return this.#status && { kind: 'Status', apiVersion: 'v1', ...this.#status };
    const { body, headers } = this.#response;
    if (body.kind === 'value') return body.value;
    if (body.kind !== 'bytes') return undefined;
    return readBytes(concatBytes(body.chunks), String(headers['content-type'] ?? ''));
  }

  #trim(value: unknown): unknown {
    return this.decision.omitManagedFields ? withoutManagedFields(value) : value;
  }
}

type ConstantFields = Pick<
  AuditEvent,
  'requestURI' | 'user' | 'sourceIPs' | 'userAgent' | 'objectRef' | 'requestReceivedTimestamp'
>;

const longestAgent = 1024;

function auditUser({ name, uid, groups, extra }: UserInfo): AuditUser {
  if (name === '') return {};
  return { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) };
}

/** The client and the proxies that it came through, as they tell it; the address of the connection stands last. */
function sourceIps(headers: RequestContext['request']['headers'], address = '127.0.0.1'): readonly string[] {
  if (headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined) return [address];
  const forwarded = (headers['x-forwarded-for'] ?? '').split(',').map((one) => one.trim());
  const addresses = [...forwarded, headers['x-real-ip'] ?? ''].filter((one) => /^[0-9a-fA-F.:]+$/.test(one));
  return [...new Set([...addresses, address])];
}

function readRequest(body: RequestBody | undefined, contentType = 'application/json'): unknown {
  if (!body) return undefined;
  return body.kind === 'value' ? body.value : readBytes(body.bytes, contentType);
}

/** What cannot be read is not recorded: the client that sent it is refused anyway. */
function readBytes(bytes: Uint8Array, contentType: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    if (contentType.startsWith(protobufMediaType)) return decodeKind(bytes, schemaOfKind);
    if (contentType.includes('yaml')) return parseYamlDocuments(bytes)[0]?.value;
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function withoutManagedFields(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { metadata, items } = value;
  if (Array.isArray(items)) return { ...value, items: items.map(withoutManagedFields) };
  if (!isRecord(metadata) || metadata['managedFields'] === undefined) return value;
  const { managedFields: _managed, ...rest } = metadata;
  return { ...value, metadata: rest };
}
