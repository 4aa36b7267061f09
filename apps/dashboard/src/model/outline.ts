import { isRecord } from '@coracle/base';

export interface OutlineLine {
  /** `backups[0].schedule` */
  readonly path: string;
  readonly text: string;
}

const mostLines = 40;

/** Everything that a value holds, a line each; the first of them where they are many. */
export function outlineOf(value: unknown): OutlineLine[] {
  const lines: OutlineLine[] = [];
  collect(value, '', lines);
  return lines;
}

function collect(value: unknown, path: string, lines: OutlineLine[]): void {
  if (lines.length >= mostLines) return;
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null))
    value.forEach((item, index) => {
      collect(item, `${path}[${index}]`, lines);
    });
  else if (isRecord(value) && !Array.isArray(value))
    for (const [name, inner] of Object.entries(value)) collect(inner, path ? `${path}.${name}` : name, lines);
  else if (path) lines.push({ path, text: textOf(value) });
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : String(value ?? '');
}
