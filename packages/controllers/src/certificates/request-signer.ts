import {
  type certificatesv1,
  type RequestedCertificate,
  readCertificateRequest,
  refs,
  signerRefusal,
  signers,
} from '@coracle/api';
import { isNotFound, toBase64 } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Controller, ControllerContext } from '../controller.js';
import type { CertificateSigner, SignerFor, SigningOrder } from './certificate-signer.js';
import { hasCondition, isIssued } from './request-state.js';
import { runRequests } from './run-requests.js';

type Request = certificatesv1.CertificateSigningRequest;

const ownSigners: ReadonlySet<string> = new Set(Object.values(signers));
const defaultDurationMs: Millis = 365 * 24 * 60 * 60_000;
/** Maximum duration up to which `notAfter` is counted from now, not from `notBefore`. */
const shortMs: Millis = 8 * 60 * 60_000;
/** `notBefore` is in the past by this much, because of clock skew. */
const backdateMs: Millis = 5 * 60_000;

export interface RequestSignerOptions {
  /** `--cluster-signing-duration`: maximum validity of certificates. */
  readonly durationMs?: Millis | undefined;
}

/** Signs approved requests for signers that this controller implements. */
export function requestSigner(signerFor: SignerFor, options: RequestSignerOptions = {}): Controller {
  const { durationMs = defaultDurationMs } = options;
  return {
    name: 'certificatesigningrequest-signing-controller',
    account: 'certificate-controller',
    start: (context) =>
      runRequests(context, {
        name: 'certificate_signing',
        isOurs: ({ spec }) => ownSigners.has(spec.signerName) && signerFor(spec.signerName) !== undefined,
        settle: async (request) => {
          const signer = signerFor(request.spec.signerName);
          if (signer && isDue(request)) await settle(request, context, { signer, durationMs });
        },
      }),
  };
}

function isDue(request: Request): boolean {
  return (
    hasCondition(request, 'Approved') &&
    !hasCondition(request, 'Denied') &&
    !hasCondition(request, 'Failed') &&
    !isIssued(request)
  );
}

interface Signing {
  readonly signer: CertificateSigner;
  readonly durationMs: Millis;
}

async function settle(request: Request, context: ControllerContext, { signer, durationMs }: Signing): Promise<void> {
  const { client, clock } = context;
  const { spec } = request;
  const certificate = readCertificateRequest(spec.request);
  const refuse = (why: string) => ({ conditions: [...(request.status?.conditions ?? []), failed(why)] });
  const issue = async ({ der }: RequestedCertificate) => ({
    certificate: encode(await signer.sign(orderFor(request, der, { now: clock.now(), durationMs }))),
  });
  const refusal = certificate && signerRefusal(spec.signerName, certificate, spec.usages ?? []);
  const outcome =
    certificate && refusal === undefined ? await issue(certificate) : refuse(refusal ?? 'the request cannot be read');
  const status = { ...request.status, ...outcome };
  await client
    .resource(refs.certificateSigningRequests)
    .updateStatus({ ...request, status })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

function orderFor(
  { spec }: Request,
  der: Uint8Array,
  { now, durationMs }: { readonly now: Millis; readonly durationMs: Millis },
): SigningOrder {
  const { expirationSeconds } = spec;
  const validMs = expirationSeconds === undefined ? durationMs : Math.min(expirationSeconds * 1000, durationMs);
  return {
    request: der,
    usages: spec.usages ?? [],
    notBefore: now - backdateMs,
    notAfter: now + validMs - (validMs < shortMs ? 0 : backdateMs),
  };
}

function encode(pem: string): string {
  return toBase64(new TextEncoder().encode(pem));
}

function failed(message: string): certificatesv1.CertificateSigningRequestCondition {
  return { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message };
}
