import { notAcceptable } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import { makeForm, type OutputForm } from './output-form.js';

const offered: Readonly<Record<string, OutputForm['encoding']>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
  'application/*': 'json',
  '*/*': 'json',
};
const offeredTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Forms that an endpoint can send besides plain objects. */
export interface Abilities {
  readonly table: boolean;
  readonly partial: 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined;
  /** Custom objects have no protobuf messages: only their metadata can be sent in protobuf. */
  readonly protobuf: boolean | 'partial';
}

export const plainObjects: Abilities = { table: false, partial: undefined, protobuf: true };

/** Clients send the same few headers repeatedly, so the result for each is cached. */
const formsByHeader = new Map<string, OutputForm | null>();
const mostForms = 1000;
/** Maximum length of cached headers: those of real clients are shorter, and a header may have a megabyte. */
const longestKey = 1000;

/** The parts of a request that are read. */
export type NegotiatedRequest = Pick<RequestContext, 'request' | 'query'>;

/** The first media type of the Accept header that the endpoint supports. */
export function negotiate(context: NegotiatedRequest, abilities: Abilities): OutputForm {
  const accept = context.request.headers.accept ?? '';
  const pretty = wantsPretty(context);
  const key = `${accept}|${pretty}|${abilities.table}|${abilities.partial}|${abilities.protobuf}`;
  let form = formsByHeader.get(key);
  if (form === undefined) {
    form = choose(accept, abilities, pretty) ?? null;
    if (key.length <= longestKey) remember(key, form);
  }
  if (form === null) throw notAcceptable(offeredTypes);
  return form;
}

function remember(key: string, form: OutputForm | null): void {
  if (formsByHeader.size >= mostForms) formsByHeader.clear();
  formsByHeader.set(key, form);
}

function wantsPretty({ request, query }: NegotiatedRequest): boolean {
  if (request.query.includes('pretty')) {
    const pretty = query.get('pretty');
    if (pretty !== null && pretty !== '') return pretty !== 'false' && pretty !== '0';
  }
  return /^(curl|Wget|Mozilla)/.test(request.headers['user-agent'] ?? '');
}

/** One media type that a client accepts. */
export interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string>>;
}

function choose(accept: string, abilities: Abilities, pretty: boolean): OutputForm | undefined {
  if (accept.trim() === '') return makeForm({ encoding: 'json', as: 'object', asVersion: 'v1', pretty });
  for (const clause of parseAccept(accept)) {
    const encoding = ownValue(offered, clause.type);
    const as = transform(clause, abilities);
    if (!encoding || !as || (encoding === 'protobuf' && !hasMessage(as, abilities))) continue;
    const asVersion = clause.parameters.v === 'v1beta1' ? 'v1beta1' : 'v1';
    return makeForm({ encoding, as, asVersion, pretty: pretty || clause.parameters.pretty === '1' });
  }
  return undefined;
}

/** Tables are sent in JSON only. */
function hasMessage(as: OutputForm['as'], { protobuf }: Abilities): boolean {
  return as === 'partial' ? protobuf !== false : as === 'object' && protobuf === true;
}

function transform({ parameters }: Clause, abilities: Abilities): OutputForm['as'] | undefined {
  const { as, g, v } = parameters;
  if (as === undefined) return 'object';
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table') return abilities.table ? 'table' : undefined;
  return as === abilities.partial ? 'partial' : undefined;
}

/** The media types that a client accepts, best first. */
export function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(',').map((text): Clause => {
    const [type = '', ...settings] = text.split(';').map((part) => part.trim());
    const parameters: Record<string, string> = {};
    for (const setting of settings) {
      const at = setting.indexOf('=');
      if (at > 0) parameters[setting.slice(0, at)] = setting.slice(at + 1).replace(/^"|"$/g, '');
    }
    const quality = Number(parameters.q ?? 1);
    return { type: type.toLowerCase(), quality: Number.isNaN(quality) ? 1 : quality, parameters };
  });
  return clauses.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}
