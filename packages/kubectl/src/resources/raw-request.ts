import { writeJson } from '@coracle/apimachinery';
import { failureOfResponse } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { readManifestFiles } from './read-manifests.js';

/** Sends a request to the path of `--raw`, with the first file as its body, and prints the answer as it came. */
export async function sendRaw(context: Context, method: string): Promise<void> {
  const { flags, factory, host } = context;
  const path = flags.string('raw');
  if (!path.startsWith('/'))
    throw new CommandError(`--raw must be a valid URL path: parse ${JSON.stringify(path)}: invalid URI for request`);
  const filenames = flags.strings('filename');
  if (filenames.length > 1) throw new CommandError('--raw can only use a single local file or stdin');
  const [file] = filenames.length > 0 ? await readManifestFiles(host, filenames, false) : [];
  const client = await factory.client();
  const response = await client.exchange(method, path, { ...(file && { body: file.bytes }), signal: host.interrupted });
  const { body } = response;
  if (body.kind === 'stream') {
    const { chunksOf } = await import('./stream-events.js');
    for await (const chunk of chunksOf(body.stream, host.interrupted)) host.stdout.write(chunk);
    return;
  }
  const chunks = body.kind === 'bytes' ? [...body.chunks] : [];
  if (response.status >= 400) throw failureOfResponse({ ...response, body: parsed(chunks) });
  if (body.kind === 'value') host.stdout.write(writeJson(body.value));
  for (const chunk of chunks) host.stdout.write(chunk);
}

function parsed(chunks: readonly Uint8Array[]): unknown {
  const text = chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
