/**
 * A sample's value as Go's Prometheus client writes it: `1e+06`, `0.0001`, `1e-05`, `+Inf`. Bounds of buckets are
 * compared as text, so queries depend on it.
 */
export function formatSampleValue(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/([+-])(\d)$/, '$10$2');
}

export function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

export function escapeHelp(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}
