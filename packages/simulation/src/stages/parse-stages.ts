import { GoTemplate, parseYamlDocuments } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { parseQuery, type Query } from './jq.js';
import type { Stage, StageRequirement, StageSelector, StageSpan, StageStep } from './stage.js';
import { stageFunctionNames } from './stage-functions.js';

type Fields = Readonly<Record<string, unknown>>;

/** An unsupported or invalid stage: the message names it, and the reason. */
export class StageError extends Error {
  override readonly name = 'StageError';
}

/** Reads the `Stage` objects of a file. `source` is its name, for messages. */
export function parseStages(text: string, source: string): Stage[] {
  let documents: readonly unknown[];
  try {
    documents = parseYamlDocuments(text).map(({ value }) => value);
  } catch (error) {
    throw new StageError(`${source}: ${(error as Error).message}`);
  }
  return documents.flatMap(listed).map((document) => parseStage(document, source));
}

function listed(document: unknown): unknown[] {
  if (document === null || document === undefined) return [];
  return isRecord(document) && Array.isArray(document['items']) ? document['items'] : [document];
}

const kinds = ['Pod', 'Node'] as const;
const specFields = ['resourceRef', 'selector', 'weight', 'weightFrom', 'delay', 'next', 'steps', 'immediateNextStage'];

function parseStage(document: unknown, source: string): Stage {
  if (!isRecord(document) || document['apiVersion'] !== 'kwok.x-k8s.io/v1alpha1' || document['kind'] !== 'Stage')
    throw new StageError(`${source}: only objects of kwok.x-k8s.io/v1alpha1, kind Stage, are read`);
  const name = String(recordOf(document['metadata'])['name'] ?? '');
  const reader = new StageReader(`${source}: stage ${JSON.stringify(name)}`);
  const spec = reader.fields(document['spec'], 'spec', specFields);
  const resource = reader.fields(spec['resourceRef'], 'spec.resourceRef', ['apiGroup', 'kind']);
  const kind = kinds.find((one) => one === resource['kind'] && (resource['apiGroup'] ?? 'v1') === 'v1');
  if (!kind)
    throw reader.error(
      `${String(resource['apiGroup'] ?? 'v1')} ${String(resource['kind'])} has no stages here: Pod and Node have`,
    );
  const delay = reader.fields(spec['delay'], 'spec.delay', delayFields);
  return {
    name,
    kind,
    weight: reader.number(spec['weight'], 'spec.weight') ?? 0,
    ...optional('weightFrom', reader.expression(spec['weightFrom'], 'spec.weightFrom')),
    ...optional('selector', reader.selector(spec['selector'])),
    ...optional(
      'delay',
      spec['delay'] === undefined ? undefined : reader.span(delay, 'durationMilliseconds', 'durationFrom'),
    ),
    ...optional('jitter', reader.span(delay, 'jitterDurationMilliseconds', 'jitterDurationFrom')),
    steps: reader.steps(spec),
    immediateNextStage: spec['immediateNextStage'] === true,
  };
}

const delayFields = ['durationMilliseconds', 'durationFrom', 'jitterDurationMilliseconds', 'jitterDurationFrom'];
const nextFields = ['event', 'finalizers', 'delete', 'statusTemplate', 'statusSubresource', 'patches'];
const patchFields = ['subresource', 'root', 'template', 'type'];
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const patchTypes = { json: 'json', merge: 'merge', strategic: 'strategic' } as const;

/** Parses the parts of one stage, with the name of the stage in errors. */
class StageReader {
  readonly #about: string;

  constructor(about: string) {
    this.#about = about;
  }

  error(text: string): StageError {
    return new StageError(`${this.#about}: ${text}`);
  }

  /** An object with known fields; others are rejected, since they would have no effect. */
  fields(value: unknown, path: string, names: readonly string[]): Fields {
    if (value === undefined || value === null) return {};
    if (!isRecord(value)) throw this.error(`${path} must be an object`);
    const unknown = Object.keys(value).filter((key) => !names.includes(key));
    if (unknown.length > 0) throw this.error(`${path}.${unknown[0]} is not supported`);
    return value;
  }

  number(value: unknown, path: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.error(`${path} must be a number`);
    return value;
  }

  /** `expressionFrom: TEXT`, or `jq: { expression: TEXT }`. */
  expression(value: unknown, path: string): Query | undefined {
    const fields = this.fields(value, path, ['expressionFrom', 'jq']);
    const jq = this.fields(fields['jq'], `${path}.jq`, ['expression']);
    const text = fields['expressionFrom'] ?? jq['expression'];
    return text === undefined ? undefined : this.query(text, path);
  }

  query(text: unknown, path: string): Query {
    try {
      return parseQuery(String(text));
    } catch (error) {
      throw this.error(`${path}: ${(error as Error).message}`);
    }
  }

  span(delay: Fields, millisecondsField: string, fromField: string): StageSpan | undefined {
    const milliseconds = this.number(delay[millisecondsField], `spec.delay.${millisecondsField}`);
    const from = this.expression(delay[fromField], `spec.delay.${fromField}`);
    if (milliseconds === undefined && !from) return undefined;
    return { ...optional('milliseconds', milliseconds), ...optional('from', from) };
  }

  selector(value: unknown): StageSelector | undefined {
    if (value === undefined || value === null) return undefined;
    const fields = this.fields(value, 'spec.selector', ['matchLabels', 'matchAnnotations', 'matchExpressions']);
    const expressions = fields['matchExpressions'] ?? [];
    if (!Array.isArray(expressions)) throw this.error('spec.selector.matchExpressions must be a list');
    return {
      matchLabels: textsOf(fields['matchLabels']),
      matchAnnotations: textsOf(fields['matchAnnotations']),
      requirements: expressions.map((one, i) => this.#requirement(one, `spec.selector.matchExpressions[${i}]`)),
    };
  }

  #requirement(value: unknown, path: string): StageRequirement {
    const outer = this.fields(value, path, ['jq', 'key', 'operator', 'values']);
    const {
      key,
      operator,
      values = [],
    } = outer['jq'] === undefined ? outer : this.fields(outer['jq'], `${path}.jq`, requirementFields);
    const match = operators.find((one) => one === operator);
    if (!match) throw this.error(`${path}.operator must be one of ${operators.join(', ')}`);
    if (!Array.isArray(values)) throw this.error(`${path}.values must be a list`);
    return { query: this.query(key, `${path}.key`), operator: match, values: values.map(String) };
  }

  /** What `next` requests in its fixed order, or the `steps` in theirs. */
  steps(spec: Fields): StageStep[] {
    const steps = spec['steps'];
    if (steps !== undefined && !Array.isArray(steps)) throw this.error('spec.steps must be a list');
    if (steps) return steps.flatMap((step, i) => this.#step(step, `spec.steps[${i}]`, [...nextFields, 'patch']));
    return this.#step(spec['next'], 'spec.next', nextFields);
  }

  #step(value: unknown, path: string, names: readonly string[]): StageStep[] {
    const fields = this.fields(value, path, names);
    const { event, finalizers, statusTemplate, statusSubresource = 'status', patches = [], patch } = fields;
    if (!Array.isArray(patches)) throw this.error(`${path}.patches must be a list`);
    return [
      ...(event === undefined ? [] : [this.#event(event, `${path}.event`)]),
      ...(finalizers === undefined ? [] : [this.#finalizers(finalizers, `${path}.finalizers`)]),
      ...(fields['delete'] === true ? [{ kind: 'delete' } as const] : []),
      ...(statusTemplate === undefined
        ? []
        : [
            {
              kind: 'patch',
              type: 'strategic',
              subresource: String(statusSubresource),
              root: 'status',
              template: this.#template(statusTemplate, `${path}.statusTemplate`),
            } as const,
          ]),
      ...[...patches, ...(patch === undefined ? [] : [patch])].map((one, i) =>
        this.#patch(one, `${path}.patches[${i}]`),
      ),
    ];
  }

  #event(value: unknown, path: string): StageStep {
    const { type = 'Normal', reason = '', message = '' } = this.fields(value, path, ['type', 'reason', 'message']);
    if (type !== 'Normal' && type !== 'Warning') throw this.error(`${path}.type must be Normal or Warning`);
    return { kind: 'event', type, reason: String(reason), message: this.#template(message, `${path}.message`) };
  }

  #finalizers(value: unknown, path: string): StageStep {
    const { add = [], remove = [], empty } = this.fields(value, path, ['add', 'remove', 'empty']);
    const names = (list: unknown) => {
      if (!Array.isArray(list)) throw this.error(`${path} must have lists`);
      return list.map((one) => String(recordOf(one)['value'] ?? ''));
    };
    return { kind: 'finalizers', add: names(add), remove: names(remove), empty: empty === true };
  }

  #patch(value: unknown, path: string): StageStep {
    const { subresource = '', root = '', template, type = 'strategic' } = this.fields(value, path, patchFields);
    if (!Object.hasOwn(patchTypes, String(type))) throw this.error(`${path}.type must be json, merge or strategic`);
    return {
      kind: 'patch',
      type: patchTypes[type as keyof typeof patchTypes],
      subresource: String(subresource),
      root: String(root),
      template: this.#template(template, `${path}.template`),
    };
  }

  #template(text: unknown, path: string): GoTemplate {
    try {
      return new GoTemplate(String(text ?? ''), path, stageFunctionNames);
    } catch (error) {
      throw this.error(`${path}: ${(error as Error).message}`);
    }
  }
}

const requirementFields = ['key', 'operator', 'values'];

function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([key, text]) => [key, String(text)]));
}

/** The field if there is a value for it. */
function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
