import { type Fields, goJson, sortKeys } from '../values.js';

/** Without vowels and similar letters, so that no words are formed. */
const letters: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };

/** The hash of a config map's or secret's content that is appended to its name. */
export async function contentHash(object: Fields): Promise<string> {
  const bytes = new TextEncoder().encode(encoded(object));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [...hex.slice(0, 10)].map((letter) => letters[letter] ?? letter).join('');
}

/** The parts that count: kind, name and data, and of a config map its binary data, of a secret its type. */
function encoded(object: Fields): string {
  const { kind, data = '', binaryData, type = '', stringData } = object;
  const name = (object['metadata'] as Fields | undefined)?.['name'] ?? '';
  const shown = emptyIfNone(data);
  if (kind === 'ConfigMap') {
    const binary = binaryData && Object.keys(binaryData).length > 0 ? { binaryData } : {};
    return goJson(sortKeys({ data: shown, kind, name, ...binary }));
  }
  const strings = stringData && Object.keys(stringData).length > 0 ? { stringData } : {};
  return goJson(sortKeys({ data: shown, kind, name, type, ...strings }));
}

function emptyIfNone(data: unknown): unknown {
  return data === undefined || data === null ? '' : data;
}
