import type { FlagSpec } from './flag-spec.js';

/** Arguments that are neither flags nor their values. An unknown flag is assumed to have a value. */
export function plainWords(words: readonly string[], flags: readonly FlagSpec[]): string[] {
  return plainPlaces(words, flags).map((i) => words[i] ?? '');
}

/** The positions of such arguments, up to `--`. */
export function plainPlaces(words: readonly string[], flags: readonly FlagSpec[]): number[] {
  const places: number[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') break;
    if (word.startsWith('-') && word.length > 1) i += takesNext(word, flags) ? 1 : 0;
    else if (word !== '') places.push(i);
  }
  return places;
}

function takesNext(word: string, flags: readonly FlagSpec[]): boolean {
  if (word.includes('=')) return false;
  if (word === '--help' || word === '-h') return false;
  if (word.startsWith('--')) {
    const flag = flags.find(({ name }) => name === word.slice(2).replaceAll('_', '-'));
    return flag?.bareValue === undefined;
  }
  return word.length === 2 && flags.find(({ shorthand }) => shorthand === word[1])?.bareValue === undefined;
}
