import type { Operation } from './operations.js';

const plain = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'];
const watching = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/cbor-seq',
];
const patching = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
];

/** The forms in which an operation answers. */
export function answerTypes({ action, answer }: Operation): readonly string[] {
  if (action === undefined) return answer === 'text' ? ['application/json'] : plain.slice(0, 3);
  if (action === 'connect') return ['*/*'];
  if (answer === 'text') return ['text/plain', ...plain];
  return answer === 'list' || answer === 'watchEvent' ? [...plain, ...watching] : plain;
}

/** The forms in which an operation takes its body. */
export function bodyTypes({ body }: Operation): readonly string[] {
  return body === 'patch' ? patching : ['*/*'];
}

const descriptions: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
};

export function codeDescription(code: number): string {
  return descriptions[code] ?? '';
}
