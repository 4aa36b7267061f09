import { type ApiRequest, type ApiResponse, formatYaml, notAcceptable } from '@coracle/apimachinery';
import type { Clock, Millis, Random } from '@coracle/base';
import { parseAccept } from '../negotiation/negotiate.js';
import { versionInfo } from './version.js';

export interface ZPagesOptions {
  /** `kube-apiserver`, … */
  readonly component: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Start time of the process. */
  readonly startedAt: () => Millis;
  /** Command-line flags, by name. */
  readonly flags: Readonly<Record<string, string>>;
  /** Paths that the server serves. */
  readonly paths: () => Promise<readonly string[]>;
}

/** A page in two forms: text for people, an object for programs. */
interface ZPage {
  readonly kind: 'Statusz' | 'Flagz';
  /** The fields of the object beside its name. */
  fields(): Promise<Readonly<Record<string, unknown>>> | Readonly<Record<string, unknown>>;
  /** The lines of the text; `separator` is between names and values. */
  lines(fields: Readonly<Record<string, unknown>>, separator: string): readonly string[];
}

const group = 'config.k8s.io';

export type ZPageHandler = (request: Pick<ApiRequest, 'headers'>) => Promise<ApiResponse>;

/** Metrics that every component has. */
export function zPages(options: ZPagesOptions): Readonly<Record<'/statusz' | '/flagz', ZPageHandler>> {
  return { '/statusz': serve(statusz(options), options), '/flagz': serve(flagz(options), options) };
}

function statusz({ clock, startedAt, paths }: ZPagesOptions): ZPage {
  const { gitVersion, emulationMajor, emulationMinor, goVersion } = versionInfo;
  return {
    kind: 'Statusz',
    fields: async () => ({
      startTime: `${new Date(startedAt()).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: Math.max(0, Math.floor((clock.now() - startedAt()) / 1000)),
      goVersion,
      binaryVersion: gitVersion.replace(/^v/, ''),
      emulationVersion: `${emulationMajor}.${emulationMinor}`,
      paths: folders(await paths()),
    }),
    lines: (fields, separator) => [
      '',
      `Started${separator} ${unixDate(startedAt())}`,
      `Up${separator} ${span(Number(fields.uptimeSeconds))}`,
      `Go version${separator} ${fields.goVersion}`,
      `Binary version${separator} ${fields.binaryVersion}`,
      `Emulation version${separator} ${fields.emulationVersion}`,
      `Paths${separator} ${(fields.paths as readonly string[]).join(' ')}`,
    ],
  };
}

function flagz({ flags }: ZPagesOptions): ZPage {
  return {
    kind: 'Flagz',
    fields: () => ({ flags }),
    lines: (_fields, separator) =>
      Object.entries(flags)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}${separator}${value}`),
  };
}

/** Upstream varies the separators, so that no program relies on the text. */
const separators = [':', ': ', '=', ' '];

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

function serve(page: ZPage, { component, random }: ZPagesOptions): ZPageHandler {
  return async ({ headers }) => {
    const form = formOf(headers.accept ?? '', page.kind);
    const fields = await page.fields();
    if (form.type === 'text/plain') {
      const separator = separators[Math.floor(random.next() * separators.length)] ?? ':';
      const lines = ['', `${component} ${page.kind.toLowerCase()}`, warning, ...page.lines(fields, separator), ''];
      return send(lines.join('\n'), 'text/plain; charset=utf-8');
    }
    const object = {
      kind: page.kind,
      apiVersion: `${group}/${form.version}`,
      metadata: { name: component },
      ...fields,
    };
    const text = form.type === 'application/yaml' ? formatYaml(object) : `${JSON.stringify(object)}\n`;
    const answer = send(text, form.type);
    return form.version === 'v1alpha1' ? { ...answer, headers: { ...answer.headers, ...deprecation(page) } } : answer;
  };
}

function deprecation({ kind }: ZPage): { readonly warning: string } {
  const problem = `This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`;
  return { warning: `299 - "${problem}"` };
}

interface ZForm {
  readonly type: string;
  readonly version: string;
}

const textForm: ZForm = { type: 'text/plain', version: '' };
const structured: ReadonlySet<string> = new Set(['application/json', 'application/yaml']);
const versions: ReadonlySet<string | undefined> = new Set(['v1alpha1', 'v1beta1']);

/** A client that requests an apiVersion and kind receives an object; any other receives the text, or a 406. */
function formOf(accept: string, kind: ZPage['kind']): ZForm {
  if (accept.trim() === '') return textForm;
  for (const { type, parameters } of parseAccept(accept)) {
    const { g, v, as } = parameters;
    if (as === undefined && (type === 'text/plain' || type === 'text/*' || type === '*/*')) return textForm;
    if (structured.has(type) && as === kind && g === group && versions.has(v)) return { type, version: v ?? '' };
  }
  throw notAcceptable(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain']);
}

/** Resource paths are not listed: the pages are for debugging the server. */
const apiFolders: ReadonlySet<string> = new Set(['/', '/api', '/apis', '/openid', '/openapi', '/.well-known']);

function folders(paths: readonly string[]): string[] {
  const all = new Set(paths.map((path) => `/${path.split('/')[1] ?? ''}`));
  return [...all].filter((folder) => !apiFolders.has(folder)).sort();
}

/** As Go's `time.UnixDate`: `Mon Jan _2 15:04:05 MST 2006`. */
function unixDate(at: Millis): string {
  const [weekday, day = '', month, year, time] = new Date(at).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}

function span(seconds: number): string {
  const two = (value: number) => String(Math.floor(value) % 60).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(seconds / 60)} min ${two(seconds)} sec`;
}

function send(content: string, type: string): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache, private' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
