import type { KubeObject } from '@coracle/apimachinery';

export interface DataEntry {
  readonly name: string;
  readonly bytes: number;
  /** Undefined for binary data. */
  readonly text: string | undefined;
}

interface WithData extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** The content of a config map or a secret, by key. Only a config map has its data as plain text. */
export function dataOf(object: KubeObject): DataEntry[] {
  const { kind, data = {}, binaryData = {} } = object as WithData;
  const isPlain = kind === 'ConfigMap';
  const entries = [
    ...Object.entries(data).map(([name, value]) => (isPlain ? plain(name, value) : encoded(name, value))),
    ...Object.entries(binaryData).map(([name, value]) => encoded(name, value)),
  ];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function plain(name: string, text: string): DataEntry {
  return { name, bytes: new TextEncoder().encode(text).length, text };
}

function encoded(name: string, value: string): DataEntry {
  const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
  return { name, bytes: bytes.length, text: textIn(bytes) };
}

function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
