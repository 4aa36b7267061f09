import { badRequest, type LabelRequirement } from '@coracle/apimachinery';

/** The values of the placeholders in a `metricsQuery`. */
export interface QueryParts {
  readonly series: string;
  readonly matchers: readonly LabelMatcher[];
  readonly groupBy: readonly string[];
}

/** One condition of PromQL: `label=~"a|b"`. `values` has one value but for `=~` and `!~`. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly values: readonly string[];
}

const action = /<<\s*(.*?)\s*>>/g;
const byName = /^index \.LabelValuesByName "([^"]+)"$/;

const fields: Readonly<Record<string, (parts: QueryParts) => string>> = {
  '.Series': ({ series }) => series,
  '.LabelMatchers': ({ matchers }) => matchers.map(formatMatcher).join(','),
  '.GroupBy': ({ groupBy }) => groupBy.join(','),
};

/** Throws if a query has an unknown placeholder. */
export function checkTemplate(template: string, path: string): void {
  for (const [whole, inner = ''] of template.matchAll(action))
    if (!fields[inner] && !byName.test(inner)) throw new Error(`${path}: ${whole} is not supported`);
}

export function renderQuery(template: string, parts: QueryParts): string {
  return template.replace(action, (_whole, inner: string) => {
    const label = byName.exec(inner)?.[1];
    if (label === undefined) return fields[inner]?.(parts) ?? '';
    return parts.matchers.find((matcher) => matcher.label === label)?.values.join('|') ?? '';
  });
}

/** Objects by their names. */
export function namesMatcher(label: string, names: readonly string[]): LabelMatcher {
  return names.length === 1
    ? { label, operator: '=', values: names }
    : { label, operator: '=~', values: names.map(escapePattern) };
}

/** The same condition on labels of series. */
export function selectorMatcher({ key, operator, values }: LabelRequirement): LabelMatcher {
  switch (operator) {
    case '=':
    case '==':
      return { label: key, operator: '=', values };
    case '!=':
      return { label: key, operator: '!=', values };
    case 'in':
      return { label: key, operator: '=~', values: values.map(escapePattern) };
    case 'notin':
      return { label: key, operator: '!~', values: values.map(escapePattern) };
    case 'exists':
      return { label: key, operator: '!=', values: [''] };
    case '!':
      return { label: key, operator: '=', values: [''] };
    default:
      throw badRequest(`metrics cannot be selected by the operator ${JSON.stringify(operator)}`);
  }
}

function formatMatcher({ label, operator, values }: LabelMatcher): string {
  return `${label}${operator}${JSON.stringify(values.join('|'))}`;
}

function escapePattern(value: string): string {
  return value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
