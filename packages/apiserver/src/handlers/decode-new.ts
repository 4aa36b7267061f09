import { decodeUtf8, type KubeObject, parseDecodedJson, StatusError } from '@coracle/apimachinery';
import { andThen, isRecord, type MaybePromise } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import { kindProblem } from '../kind-problem.js';
import type { Creation } from '../registry/create-object.js';
import type { RecalledSpec } from '../registry/interning/recalled-specs.js';
import { knowsDefaultsOfSpec, toStored } from '../registry/to-stored.js';
import type { FieldValidation } from '../registry/write-request.js';
import type { ServedResource } from '../served-resource.js';
import { decodeParsed, expectedOf, jsonBytes, type ParsedBody, parseObject } from './decode-body.js';

type Specified = KubeObject & { spec?: object };

/** The object in the body with its defaults, for the registry. A spec that was sent before is not decoded again. */
export function decodeNew(
  context: RequestContext,
  resource: ServedResource,
  validation: FieldValidation,
): MaybePromise<Creation> {
  const text = recallableText(context, resource);
  const recalled = text === undefined ? undefined : resource.stored.specs.recall(text);
  const recalledCreation = recalled && decodeRest(context, resource, { recalled, validation });
  if (recalledCreation) return recalledCreation;
  const expected = expectedOf(resource);
  const parsed = parseObject(context, expected, text);
  const { object, isPlain } = decodeParsed(context, { parsed, expected, validation });
  return andThen(toStored(resource, object), (stored) => {
    if (text !== undefined && isPlain) resource.stored.specs.learn(text, stored);
    return { object: stored };
  });
}

/** The text of the body, if specs of the resource are cached. */
function recallableText(context: RequestContext, resource: ServedResource): string | undefined {
  if (!knowsDefaultsOfSpec(resource)) return undefined;
  const bytes = jsonBytes(context);
  try {
    return bytes && decodeUtf8(bytes);
  } catch {
    return undefined;
  }
}

interface Rest {
  readonly recalled: RecalledSpec;
  readonly validation: FieldValidation;
}

/** The rest of a body, with the cached spec; `undefined` if the body must be decoded as a whole. */
function decodeRest(
  context: RequestContext,
  resource: ServedResource,
  { recalled, validation }: Rest,
): Creation | undefined {
  const parsed = readRest(recalled);
  if (!parsed) return undefined;
  const { object } = decodeParsed(context, { parsed, expected: expectedOf(resource), validation });
  (object as Specified).spec = recalled.spec;
  resource.rules.setDefaultsBesideSpec?.(object);
  return { object };
}

function readRest({ rest }: RecalledSpec): ParsedBody | undefined {
  try {
    const parsed = parseDecodedJson(rest);
    return isRestOfObject(parsed.value) ? parsed : undefined;
  } catch (error) {
    // Decoding all of it reports the error.
    if (StatusError.is(error)) return undefined;
    throw error;
  }
}

/** An object to which a comma and a spec can be appended. */
function isRestOfObject(value: unknown): boolean {
  if (!isRecord(value) || kindProblem(value) !== undefined) return false;
  return !Object.hasOwn(value, 'spec') && Object.keys(value).length > 0;
}
