import { existsSync } from 'node:fs';

export interface PluginShim {
  /** Node.js, and the program that handles calls without the node's process. */
  readonly node: string;
  readonly program: string;
  /** The Unix domain socket of the node's process. */
  readonly socket: string;
}

/** Part of every Debian, and small: it starts in two milliseconds, Node.js in thirty. */
const interpreter = '/usr/bin/perl';
/** Maximum length of the path of a Unix domain socket. */
const longestPath = 107;

/** Whether the path of the socket is short enough. */
export function canHandOver(socket: string): boolean {
  return existsSync(interpreter) && Buffer.byteLength(socket) <= longestPath;
}

/**
 * The plugin as a small script that passes its call to the node's process, and executes the program if no process
 * responds or if the container runtime has other namespaces than the node's process: paths and interfaces would differ.
 * A call that was passed on is not repeated: the runtime reverts an incomplete one.
 */
export function pluginShim({ node, program, socket }: PluginShim): string {
  return `#!${interpreter}
# Network plugin of Coracle.
my ($node, $program, $socket) = (${[node, program, socket].map(quoted).join(', ')});
sub itself { exec $node, $program; exit 127 }
$SIG{PIPE} = 'IGNORE';
my ($peer, $ready);
socket($peer, 1, 1, 0) && connect($peer, pack('Sa108', 1, $socket)) or itself();
syswrite $peer, join(' ', map { readlink("/proc/self/ns/$_") // '' } qw(mnt net)) . "\\n";
sysread($peer, $ready, 1) && $ready eq '+' or itself();
local $/;
my $input = -t STDIN ? '' : (<STDIN> // '');
select $peer;
$| = 1;
print join('', map { "$_=$ENV{$_}\\0" } grep { /^CNI_/ } keys %ENV), "\\0", $input;
select STDOUT;
shutdown $peer, 1;
my $answer = <$peer> // '';
my ($code, $text) = $answer =~ /^([01])(.*)$/s ? ($1, $2) : (1, '{"code":11,"msg":"the process of the node ended before it answered"}');
print $text;
exit $code;
`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
