export type Theme = 'dark' | 'light';

/** The selected theme, or that of the system. */
export function preferredTheme(): Theme {
  const chosen = localStorage.getItem('coracle-theme');
  if (chosen === 'dark' || chosen === 'light') return chosen;
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem('coracle-theme', theme);
  applyTheme(theme);
}
