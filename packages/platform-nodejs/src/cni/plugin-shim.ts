import { existsSync } from 'node:fs';

export interface PluginShim {
  /** Node.js, and the program that handles calls alone. */
  readonly node: string;
  readonly program: string;
  /** Where the node's process answers them: a Unix domain socket. */
  readonly socket: string;
}

/** Part of every Debian, and small: it starts in two milliseconds, where Node.js takes thirty. */
const interpreter = '/usr/bin/perl';
/** What fits into an address of a Unix domain socket. */
const longestPath = 107;

/** Whether calls can be handed over at this socket. */
export function canHandOver(socket: string): boolean {
  return existsSync(interpreter) && Buffer.byteLength(socket) <= longestPath;
}

/**
 * The plugin as a small script that hands its call to the node's process, and becomes the program if no process
 * responds or if the container runtime has other namespaces than the node's process: paths and interfaces would differ.
 * A call that was handed over is not repeated: the runtime removes what was begun.
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
