import { messageOf } from '@coracle/base';
import { bytesFile } from '../files/container-files.js';
import type { SimulatedProcess } from './simulated-process.js';

/** One request, and where the answer is written. */
interface Fetching {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** The file that the answer is written to: standard output for `-`, nowhere for the empty name. */
  readonly file: string;
  readonly quiet: boolean;
  /** Answers of 400 and more are failures. */
  readonly failsOnError: boolean;
  /** What is written after the answer, with `%{http_code}`. */
  readonly format: string;
  readonly showsHeaders: boolean;
}

/** Flags that have a value, by program. */
const valueFlags: Readonly<Record<'curl' | 'wget', ReadonlySet<string>>> = {
  curl: new Set([
    ...['-o', '--output', '-w', '--write-out', '-X', '--request', '-H', '--header', '-d', '--data', '--data-raw'],
    ...['-m', '--max-time', '--connect-timeout', '--retry', '--retry-delay', '-u', '--user', '-A', '--user-agent'],
  ]),
  wget: new Set(['-O', '--output-document', '-T', '--timeout', '-t', '--tries', '--header', '--post-data', '-U']),
};

interface Flags {
  readonly flags: readonly (readonly [name: string, value: string])[];
  readonly operands: readonly string[];
}

/** Flags may be joined (`-qO-`), or have their value after an equals sign. */
function parseFlags(program: 'curl' | 'wget', args: readonly string[]): Flags {
  const flags: [string, string][] = [];
  const operands: string[] = [];
  const rest = [...args];
  const takes = (name: string) => valueFlags[program].has(name);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-') || arg === '-') operands.push(arg);
    else if (arg.startsWith('--')) {
      const [name = '', value] = arg.split(/=(.*)/s);
      flags.push([name, value ?? (takes(name) ? (rest.shift() ?? '') : '')]);
    } else {
      const letters = arg.slice(1);
      const at = [...letters].findIndex((letter) => takes(`-${letter}`));
      for (const letter of at < 0 ? letters : letters.slice(0, at)) flags.push([`-${letter}`, '']);
      if (at >= 0) flags.push([`-${letters[at]}`, letters.slice(at + 1) || (rest.shift() ?? '')]);
    }
  }
  return { flags, operands };
}

/** What a command line of `wget` or `curl` requests; `undefined` without a URL. */
function parseFetching(program: 'curl' | 'wget', args: readonly string[]): Fetching | undefined {
  const { flags, operands } = parseFlags(program, args);
  const [operand] = operands;
  const url = operand === undefined || /^https?:/.test(operand) ? operand : `http://${operand}`;
  if (url === undefined || !URL.canParse(url)) return undefined;
  const values = (...names: string[]) => flags.filter(([name]) => names.includes(name)).map(([, value]) => value);
  const headers = new Headers();
  for (const header of values('-H', '--header')) {
    const [name = '', value = ''] = header.split(/:\s*(.*)/s);
    headers.set(name, value);
  }
  const [body] = values('-d', '--data', '--data-raw', '--post-data');
  const isHead = values('-I', '--head', '--spider').length > 0;
  const usual = isHead ? 'HEAD' : body === undefined ? 'GET' : 'POST';
  const isWget = program === 'wget';
  const saved = isWget ? new URL(url).pathname.split('/').at(-1) || 'index.html' : '-';
  return {
    url,
    headers,
    body,
    method: values('-X', '--request').at(-1) ?? usual,
    file: values('--spider').length > 0 ? '' : (values('-O', '--output-document', '-o', '--output').at(-1) ?? saved),
    quiet: values('-q', '--quiet', '-s', '--silent').length > 0 && values('-S', '--show-error').length === 0,
    failsOnError: isWget || values('-f', '--fail').length > 0,
    format: isWget ? '' : (values('-w', '--write-out').at(-1) ?? '').replaceAll('\\n', '\n'),
    showsHeaders: !isWget && values('-I', '--head', '-i', '--include').length > 0,
  };
}

/** Whether a command is a request that can be simulated. */
export function isFetching([path = '', ...args]: readonly string[]): boolean {
  const program = path.split('/').at(-1);
  return (program === 'wget' || program === 'curl') && parseFetching(program, args) !== undefined;
}

export function wget(process: SimulatedProcess): Promise<number> {
  return run('wget', process, (error, { host, hostname }) => {
    const { code, message } = error;
    if (code === 'ECONNREFUSED') return [1, `can't connect to remote host (${hostname}): Connection refused`];
    if (code === 'ETIMEDOUT') return [1, 'download timed out'];
    return [1, isUnknownName(code) ? `bad address '${host}'` : message];
  });
}

export function curl(process: SimulatedProcess): Promise<number> {
  return run('curl', process, ({ code, message }, { hostname, port, protocol }) => {
    const at = `${hostname} port ${port || (protocol === 'https:' ? 443 : 80)}`;
    if (isUnknownName(code)) return [6, `(6) Could not resolve host: ${hostname}`];
    if (code === 'ETIMEDOUT') return [28, `(28) Failed to connect to ${at}: Connection timed out`];
    return [7, `(7) Failed to connect to ${at}: ${code === 'ECONNREFUSED' ? 'Connection refused' : message}`];
  });
}

function isUnknownName(code: string | undefined): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

interface NetworkError {
  readonly code?: string;
  readonly message: string;
}

/** The exit code of a failure, and its message. */
type Explain = (error: NetworkError, url: URL) => readonly [code: number, message: string];

async function run(program: 'curl' | 'wget', process: SimulatedProcess, explain: Explain): Promise<number> {
  const { args, streams } = process;
  const fetching = parseFetching(program, args);
  const tell = (message: string) => streams.stderr(utf8(`${program}: ${message}\n`));
  if (!fetching) {
    tell('no URL that a simulated container understands');
    return program === 'curl' ? 3 : 1;
  }
  const { url, method, headers, body = null, failsOnError, quiet, format } = fetching;
  try {
    const response = await fetchFrom(process)(new Request(url, { method, headers, body }));
    if (failsOnError && response.status >= 400) {
      if (!quiet) tell(refusal(program, response));
      return program === 'curl' ? 22 : 1;
    }
    await save(process, fetching, response);
    if (format !== '') streams.stdout(utf8(format.replaceAll('%{http_code}', String(response.status))));
    return 0;
  } catch (error) {
    const code = (error as { readonly code?: string }).code;
    const [exitCode, message] = explain({ ...(code && { code }), message: messageOf(error) }, new URL(url));
    if (!quiet || program === 'wget') tell(message);
    return exitCode;
  }
}

function refusal(program: 'curl' | 'wget', { status, statusText }: Response): string {
  if (program === 'curl') return `(22) The requested URL returned error: ${status}`;
  return `server returned error: HTTP/1.1 ${status}${statusText ? ` ${statusText}` : ''}`;
}

/** Without a network no name is known. */
function fetchFrom({ fetch }: SimulatedProcess): NonNullable<SimulatedProcess['fetch']> {
  return fetch ?? (async () => Promise.reject(Object.assign(new Error('no network'), { code: 'ENOTFOUND' })));
}

async function save({ streams, files }: SimulatedProcess, to: Fetching, response: Response): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, statusText, headers } = response;
  const lines = [
    `HTTP/1.1 ${status} ${statusText}`.trim(),
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
  ];
  if (to.showsHeaders) streams.stdout(utf8(`${lines.join('\r\n')}\r\n\r\n`));
  if (to.file === '-') streams.stdout(bytes);
  else if (to.file !== '' && to.file !== '/dev/null')
    files.write(to.file.startsWith('/') ? to.file : `/${to.file}`, bytesFile(bytes));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
