import type { PluginAnswer, PluginCall } from '@coracle/cni';

/**
 * The call of a plugin, as the shim sends it to the node's process: `NAME=value` and NUL each, NUL, the standard input.
 */
export function parsePluginCall(text: string): Omit<PluginCall, 'host'> {
  const end = text.startsWith('\0') ? 0 : text.indexOf('\0\0') + 1;
  const variables = text.slice(0, end).split('\0').filter(Boolean);
  return {
    environment: Object.fromEntries(variables.map((one) => splitOnce(one, '='))),
    stdin: text.slice(end + 1),
  };
}

/** The response for the shim: the exit code, and the output. */
export function formatPluginAnswer({ exitCode, stdout }: PluginAnswer): string {
  return `${exitCode}${stdout ? `${stdout}\n` : ''}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
