import type { CommandStreams } from '@coracle/kubelet';

type Ends = Pick<CommandStreams, 'stdin' | 'stdout'>;

const erase = '\b \b';
const keys = { backspace: '\x7f', interrupt: '\x03', endOfInput: '\x04' } as const;

/**
 * A terminal between a client and a process: it echoes the input, supports corrections, and passes it on line by line;
 * the output gets CRLF line ends.
 */
export function throughTerminal({ stdin, stdout }: Ends): Ends {
  const show = (text: string) => stdout(new TextEncoder().encode(text));
  return {
    stdin: typedLines(stdin, show),
    stdout: (chunk) => show(new TextDecoder().decode(chunk).replace(/\r?\n/g, '\r\n')),
  };
}

async function* typedLines(stdin: AsyncIterable<Uint8Array>, show: (text: string) => void): AsyncIterable<Uint8Array> {
  const decoder = new TextDecoder();
  let line = '';
  for await (const chunk of stdin) {
    for (const key of decoder.decode(chunk, { stream: true })) {
      if (key === '\r' || key === '\n') {
        show('\r\n');
        yield new TextEncoder().encode(`${line}\n`);
        line = '';
      } else if (key === keys.endOfInput && line === '') return;
      else line = edited(line, key, show);
    }
  }
}

function edited(line: string, key: string, show: (text: string) => void): string {
  if (key === keys.interrupt) {
    show('^C\r\n');
    return '';
  }
  if (key === keys.backspace || key === '\b') {
    if (line !== '') show(erase);
    return line.slice(0, -1);
  }
  if (key < ' ') return line;
  show(key);
  return line + key;
}
