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

/**
 * The object in the body with its defaults, as the registry makes it. A spec that was sent before is not read again.
 */
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

/** The text of the body, if specs of the resource can be recalled. */
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

/** The rest of a body, with the recalled spec; `undefined` if the body must be decoded as a whole. */
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
    // The error comes from reading all of it.
    if (StatusError.is(error)) return undefined;
    throw error;
  }
}

/** An object that a comma and a spec may follow. */
function isRestOfObject(value: unknown): boolean {
  if (!isRecord(value) || kindProblem(value) !== undefined) return false;
  return !Object.hasOwn(value, 'spec') && Object.keys(value).length > 0;
}
