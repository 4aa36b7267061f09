/** The overloads that compare two values, which cost the same. */
const comparisons = [
  'equals',
  'not_equals',
  'less_string',
  'less_equals_string',
  'greater_string',
  'greater_equals_string',
  'less_bytes',
  'less_equals_bytes',
  'greater_bytes',
  'greater_equals_bytes',
];

/** One rule for all overloads that compare. */
export function forComparisons<T>(rule: T): Record<string, T> {
  return Object.fromEntries(comparisons.map((overload) => [overload, rule]));
}
