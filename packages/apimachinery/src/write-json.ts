/**
 * `JSON.stringify` that writes the digits of a `bigint`. Objects hold one only where a number would lose digits, so that
 * nearly all of them are written by the engine.
 */
export function writeJson(value: unknown, indent = 0): string {
  try {
    return indent === 0 ? JSON.stringify(value) : JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (error instanceof TypeError && holdsBigInt(value, 0)) return write(value, ' '.repeat(indent), '\n') as string;
    throw error;
  }
}

/** Deeper values than any object are taken to be circular. */
const deepest = 10_000;

function holdsBigInt(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > deepest) return typeof value === 'bigint';
  return Object.values(value).some((one) => holdsBigInt(one, depth + 1));
}

/** The text, or `undefined` for what JSON leaves out. `margin` is the line break before what is on this level. */
function write(value: unknown, gap: string, margin: string): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const inner = margin + gap;
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, gap, inner) ?? 'null');
    return `[${joined(items, gap, margin)}]`;
  }
  const colon = gap === '' ? ':' : ': ';
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const text = write(field, gap, inner);
    return text === undefined ? [] : [JSON.stringify(name) + colon + text];
  });
  return `{${joined(fields, gap, margin)}}`;
}

function joined(parts: readonly string[], gap: string, margin: string): string {
  if (gap === '' || parts.length === 0) return parts.join(',');
  return margin + gap + parts.join(`,${margin}${gap}`) + margin;
}
