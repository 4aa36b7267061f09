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

const custom = ['application/json', 'application/yaml'];
const customPatching = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** The forms in which an operation answers. */
export function answerTypes({ action, answer, isCustom }: Operation): readonly string[] {
  if (isCustom) return custom;
  if (action === undefined) return answer === 'text' ? ['application/json'] : plain.slice(0, 3);
  if (action === 'connect') return ['*/*'];
  if (answer === 'text') return ['text/plain', ...plain];
  return answer === 'list' || answer === 'watchEvent' ? [...plain, ...watching] : plain;
}

/** The forms in which an operation takes its body. */
export function bodyTypes({ body, isCustom }: Operation): readonly string[] {
  if (body !== 'patch') return isCustom ? custom : ['*/*'];
  return isCustom ? customPatching : patching;
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
