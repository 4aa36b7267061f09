export type FlagType =
  | 'string'
  | 'bool'
  | 'int'
  | 'int32'
  | 'int64'
  | 'duration'
  | 'logDuration'
  | 'stringArray'
  | 'stringSlice'
  | 'stringToString';

/** A flag of a command. */
export interface FlagSpec {
  readonly name: string;
  readonly shorthand?: string;
  readonly type: FlagType;
  readonly defaultValue: string;
  /** The value of the flag when it is given without one. */
  readonly bareValue?: string;
  readonly description: string;
}

const line =
  /^(?:-(?<shorthand>\w), )?--(?<name>[\w-]+) (?<type>\w+)(?:=(?<defaultValue>[^\s?]*(?:\?(?![a-z])[^\s?]*)*))?(?:\?(?<bare>\w+))? (?<description>.+)$/;

/** Reads flags that are written one a line. */
export function parseFlagLines(lines: string): FlagSpec[] {
  return lines
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(parseFlagLine);
}

function parseFlagLine(text: string): FlagSpec {
  const groups = line.exec(text)?.groups;
  if (!groups) throw new Error(`not a flag: ${text}`);
  const type = groups['type'] as FlagType;
  const bareValue = groups['bare'] ?? (type === 'bool' ? 'true' : undefined);
  return {
    name: groups['name'] ?? '',
    ...(groups['shorthand'] && { shorthand: groups['shorthand'] }),
    type,
    defaultValue: groups['defaultValue'] ?? '',
    ...(bareValue !== undefined && { bareValue }),
    description: groups['description'] ?? '',
  };
}
