import { type KubeObject, writeJson } from '@coracle/apimachinery';
import { isRecord, sortKeys } from '@coracle/base';

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Maximum size of all annotations of an object, in bytes. */
const largestAnnotations = 256 * 1024;

/**
 * Brings the annotation of client-side `kubectl apply` up to date when `kubectl apply --server-side` changes an object
 * that has it, so that users can switch between the two. Other field managers do not update it.
 */
export function syncLastApplied(
  object: KubeObject,
  { config, manager }: { readonly config: object; readonly manager: string },
): void {
  const annotations = object.metadata.annotations;
  if (manager !== 'kubectl' || annotations?.[lastAppliedAnnotation] === undefined) return;
  const { [lastAppliedAnnotation]: _before, ...others } = annotations;
  const next = { ...others, [lastAppliedAnnotation]: goJson(withoutAnnotation(config)) };
  object.metadata.annotations = sizeOf(next) > largestAnnotations ? others : next;
}

function withoutAnnotation(config: object): object {
  const { metadata } = config as Partial<KubeObject>;
  if (!isRecord(metadata?.annotations)) return config;
  const { [lastAppliedAnnotation]: _own, ...annotations } = metadata.annotations;
  return { ...config, metadata: { ...metadata, annotations } };
}

const encoder = new TextEncoder();

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + encoder.encode(key).length + encoder.encode(value).length,
    0,
  );
}

/** Encoded as Go encodes a map: keys sorted, HTML escaped, a newline at the end. */
function goJson(value: object): string {
  const escaped = writeJson(sortKeys(value)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}
