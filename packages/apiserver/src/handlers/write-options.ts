import {
  badRequest,
  FieldPath,
  forbiddenField,
  invalid,
  notSupportedField,
  requiredField,
  validateFieldManager,
} from '@coracle/apimachinery';
import type { RequestContext } from '../handler-chain.js';
import { validateDryRun } from '../registry/delete-options.js';
import type { FieldValidation, WriteOptions } from '../registry/write-request.js';

const fieldValidations: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];
const longestManager = 128;
/** Matches nearly all user agents. */
const printableAscii = /^[ -~]+$/;

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** Reads `dryRun`, `fieldManager` and `fieldValidation` from the query. */
export function parseWriteOptions(
  context: RequestContext,
  kind: OptionsKind,
  { applies = false }: { readonly applies?: boolean } = {},
): WriteOptions {
  const { query } = context;
  if (context.request.query === '' && !applies) return defaults(context, kind);
  const dryRun = query.getAll('dryRun');
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const errors = [
    ...(!applies && kind === 'PatchOptions' && query.has('force')
      ? [forbiddenField('force', 'may not be specified for non-apply patch')]
      : []),
    ...(applies && manager === '' ? [requiredField('fieldManager', 'is required for apply patch')] : []),
    ...validateFieldManager(manager, FieldPath.of('fieldManager')),
    ...validateDryRun(dryRun),
    ...(fieldValidations.includes(validation)
      ? []
      : [notSupportedField('fieldValidation', validation, fieldValidations)]),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  const raw = {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length > 0 && { dryRun }),
    ...(manager !== '' && { fieldManager: manager }),
    ...(validation !== '' && { fieldValidation: validation }),
  };
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager === '' ? managerFromAgent(context) : manager,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
    raw,
  };
}

function defaults(context: RequestContext, kind: OptionsKind): WriteOptions {
  return {
    dryRun: false,
    fieldManager: managerFromAgent(context),
    fieldValidation: 'Warn',
    raw: { kind, apiVersion: 'meta.k8s.io/v1' },
  };
}

function isPrintable(character: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}]/u.test(character);
}

/** The name of the client: its user agent up to the first slash. */
function managerFromAgent({ request }: RequestContext): string {
  const agent = request.headers['user-agent'] ?? '';
  const slash = agent.indexOf('/');
  const name = slash < 0 ? agent : agent.slice(0, slash);
  if (name.length <= longestManager && printableAscii.test(name)) return name;
  let manager = '';
  for (const character of name) {
    if (manager.length + character.length > longestManager) break;
    if (isPrintable(character)) manager += character;
  }
  return manager === '' ? 'unknown' : manager;
}

/** A whole number in the query, or `undefined`. */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = !/^[+-]?\d+$/.test(text) ? 'invalid syntax' : isInt64(text) ? undefined : 'value out of range';
  if (problem) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
  return Number(text);
}

function isInt64(digits: string): boolean {
  if (digits.length < 16) return true;
  const value = BigInt(digits.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value;
}
