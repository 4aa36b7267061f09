import { parseLabelSelector } from '@coracle/apimachinery';
import type { Fields } from '../../values.js';

const names: Readonly<Record<string, string>> = {
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  '!=': 'NotIn',
};

/** The structured form of a selector such as `a=b,c in (d,e)`. */
export function labelSelectorOf(text: string): Fields {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: Fields[] = [];
  for (const { key, operator, values } of parseLabelSelector(text).requirements) {
    const [only] = values;
    if ((operator === '=' || operator === '==') && only !== undefined) matchLabels[key] = only;
    else
      matchExpressions.push({
        key,
        operator: names[operator] ?? operator,
        ...(values.length > 0 && { values: [...values] }),
      });
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}
