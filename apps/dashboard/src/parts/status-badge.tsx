import type { KubeObject } from '@coracle/apimachinery';
import { type AnyKube, lookOf, statusNotesOf } from '../model/status-in-words.js';
import { useWords } from '../words/use-words.js';

/** One word for the state of an object. */
export function StatusBadge({ object, kind }: { readonly object: KubeObject; readonly kind: string }) {
  const w = useWords();
  const look = lookOf(statusNotesOf(object as AnyKube, kind));
  return <span className={`badge ${look}`}>{w.looks[look]}</span>;
}
