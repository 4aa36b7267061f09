import type { Host } from '../host.js';

/** The next line of standard input, without its end. */
export async function readLine(host: Host): Promise<string> {
  let text = '';
  for await (const chunk of host.stdin.chunks()) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0] ?? '';
}
