import { badRequest, type Status } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { AdmissionAttributes, AdmissionVersion } from '../admission.js';
import { requestFields, type VersionedObjects } from '../expressions/admission-request.js';

const group = 'admission.k8s.io';
/** Versions that this server supports, in order of preference. */
const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

export interface Review {
  readonly kind: 'AdmissionReview';
  readonly apiVersion: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The fields of a webhook's response that are used. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: Partial<Status> | undefined;
  /** The text of a JSON patch. */
  readonly patch: string | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** The first version in the webhook's list that this server supports. */
export function chooseReviewVersion(offered: readonly string[]): string {
  const version = offered.find((one) => reviewVersions.includes(one));
  if (version) return version;
  throw badRequest('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
}

export interface ReviewSubject {
  readonly attributes: AdmissionAttributes;
  readonly version: AdmissionVersion;
  readonly objects: VersionedObjects;
}

export function admissionReview(
  { attributes, version, objects }: ReviewSubject,
  { uid, reviewVersion }: { readonly uid: string; readonly reviewVersion: string },
): Review {
  const { dryRun, options, ...fields } = requestFields(attributes, version);
  const { object = null, oldObject = null } = objects;
  return {
    kind: 'AdmissionReview',
    apiVersion: `${group}/${reviewVersion}`,
    request: { uid, ...fields, object, oldObject, dryRun, options },
  };
}

interface Expected {
  readonly uid: string;
  readonly apiVersion: string;
  readonly mutating: boolean;
}

/** Reads a response. Throws a message if it is invalid. */
export function readAnswer(answer: unknown, { uid, apiVersion, mutating }: Expected): ReviewAnswer {
  const review = isRecord(answer) ? answer : {};
  const { response } = review;
  const isOld = apiVersion === `${group}/v1beta1`;
  if (!isRecord(response)) throw invalidResponse('webhook response was absent');
  if (!isOld) checkIdentity(review, response, { uid, apiVersion, mutating });
  const { allowed, status, patch, patchType, warnings, auditAnnotations } = response;
  if (!isOld) checkPatch({ patch, patchType, mutating });
  return {
    allowed: allowed === true,
    status: isRecord(status) ? (status as Partial<Status>) : undefined,
    patch:
      mutating && typeof patch === 'string' && patch !== ''
        ? decodePatch(patch, isOld ? undefined : patchType)
        : undefined,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    auditAnnotations: isRecord(auditAnnotations) ? (auditAnnotations as Record<string, string>) : {},
  };
}

function checkIdentity(
  { kind, apiVersion: reviewVersion }: Readonly<Record<string, unknown>>,
  response: Readonly<Record<string, unknown>>,
  { uid, apiVersion }: Expected,
): void {
  if (kind !== 'AdmissionReview' || reviewVersion !== apiVersion)
    throw invalidResponse(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${reviewVersion || '/'}, Kind=${kind ?? ''}`,
    );
  const shown = JSON.stringify(response['uid'] ?? '');
  if (response['uid'] !== uid) throw invalidResponse(`expected response.uid=${JSON.stringify(uid)}, got ${shown}`);
}

function checkPatch({
  patch,
  patchType,
  mutating,
}: {
  readonly patch: unknown;
  readonly patchType: unknown;
  readonly mutating: boolean;
}): void {
  const hasPatch = typeof patch === 'string' && patch !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating && hasPatch) throw invalidResponse('validating webhook may not return response.patch');
  if (!mutating && hasType) throw invalidResponse('validating webhook may not return response.patchType');
  if (hasPatch && !hasType) throw invalidResponse('webhook returned response.patch but not response.patchType');
  if (hasType && !hasPatch) throw invalidResponse('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw invalidResponse('webhook returned invalid response.patchType of ""');
}

function invalidResponse(why: string): Error {
  return new Error(`received invalid webhook response: ${why}`);
}

/** In the old version every patch is taken to be a JSON patch. */
function decodePatch(patch: string, patchType: unknown): string {
  if (patchType !== undefined && patchType !== 'JSONPatch')
    throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`);
  try {
    const bytes = Uint8Array.from(atob(patch), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch (error) {
    throw new Error('received invalid webhook response: the patch is no base64', { cause: error });
  }
}
