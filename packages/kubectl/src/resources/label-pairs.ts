import { isLabelValue } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';

/** `a=b,c=d` */
export function parseLabelPairs(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [key = '', value, ...rest] = pair.split('=');
    if (value === undefined || rest.length > 0) throw new CommandError(`unexpected label spec: ${pair}`);
    if (key === '') throw new CommandError('unexpected empty label key');
    const [problem] = isLabelValue(value);
    if (problem) throw new CommandError(`invalid label value: ${JSON.stringify(pair)}: ${problem}`);
    labels[key] = value;
  }
  return labels;
}
