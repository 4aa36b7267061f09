import { createContext, useContext } from 'react';
import { en, type Words } from './en.js';

export type Language = 'en' | 'de';

/** German is loaded by those who read it. */
export async function loadWords(language: Language): Promise<Words> {
  return language === 'de' ? (await import('./de.js')).de : en;
}

/** The language of the browser, unless another one was chosen. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem('coracle-language');
  if (chosen === 'en' || chosen === 'de') return chosen;
  return navigator.language.startsWith('de') ? 'de' : 'en';
}

const WordsContext = createContext<Words>(en);
export const WordsProvider = WordsContext.Provider;

export function useWords(): Words {
  return useContext(WordsContext);
}
