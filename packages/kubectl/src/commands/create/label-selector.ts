import { parseLabelSelector } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { messageOf } from '../../command/format-error.js';

const names: Readonly<Record<string, string>> = {
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

export interface MatchExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly MatchExpression[];
}

/** The structured form of a selector such as `a=b,c in (d,e)`. */
export function labelSelectorOf(text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: MatchExpression[] = [];
  for (const { key, operator, values } of parsed(text).requirements) {
    if (operator === '!=') throw new CommandError('"!=" is not a valid label selector operator');
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

function parsed(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw new CommandError(`couldn't parse the selector string ${JSON.stringify(text)}: ${messageOf(error)}`);
  }
}
