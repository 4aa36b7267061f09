import { resources, schemaOfKind } from '@coracle/api';
import type { ObjectSchema, ResourceInfo, Schema } from '@coracle/apimachinery';
import { type Random, seededRandom } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { startTestServer } from './server.fixture.js';

/** Text that some fields accept, and text that is known to cause failures. */
const texts = [
  ...[
    '',
    'a',
    'a.b',
    'a/b',
    'web',
    'UPPER',
    'Bad_Name!',
    'ÜÄ',
    '\u0000',
    '*',
    '-1',
    '0',
    '80',
    '100%',
    '1Gi',
    '1.5',
    '1e400',
  ],
  ...['10.0.0.1', '10.0.0.0/8', '::1', 'http', 'TCP', 'Always', 'None', 'Exists', 'In', 'cpu', 'pods', 'requests.cpu'],
  ...['2020-01-01T00:00:00Z', '*/5 * * * *', '@daily', 'AQ==', 'self.a > 1', '1 +', 'kubernetes.io/x', 'https://a/b'],
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'x'.repeat(300)],
];
const numbers = [0, 1, -1, 2, 80, 30_000, 65_536, 2_147_483_647, -2_147_483_648];

/** A random value of its schema that mostly passes decoding. */
class Maker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  object(schema: ObjectSchema, depth: number): Record<string, unknown> {
    const share = depth > 4 ? 0.1 : 0.4;
    const made: Record<string, unknown> = {};
    for (const [name, field] of schema.fields) {
      if (field.required || this.#random.next() < share) made[name] = this.value(field.schema, depth + 1);
    }
    return made;
  }

  value(schema: Schema, depth: number): unknown {
    if (this.#random.next() < 0.02) return null;
    switch (schema.type) {
      case 'object':
        return depth > 12 ? {} : this.object(schema, depth);
      case 'list':
        return Array.from({ length: depth > 9 ? 0 : this.#below(3) }, () => this.value(schema.items, depth + 1));
      case 'map':
        return Object.fromEntries(
          Array.from({ length: this.#below(3) }, () => [this.#pick(texts), this.value(schema.values, depth + 1)]),
        );
      case 'boolean':
        return this.#random.next() < 0.5;
      case 'int32':
      case 'int64':
      case 'double':
        return this.#pick(numbers);
      case 'any':
        return this.#pick<unknown>([{}, { a: 1 }, 'a', 1, []]);
      case 'time':
      case 'microTime':
        return '2020-01-01T00:00:00Z';
      case 'bytes':
        return 'AQ==';
      case 'quantity':
        return this.#pick(['0', '1', '1Gi', '-1', '1.5', '100m']);
      default:
        return this.#pick(texts);
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }
}

const stable = resources.filter(({ version, verbs }) => !/alpha|beta/.test(version) && verbs.includes('create'));
const perKind = 40;

describe('random objects', () => {
  test.each(stable.map((info) => [`${info.group}/${info.version} ${info.kind}`, info] as const))(
    'of %s are taken or refused, and never break the server',
    async (_name, info) => {
      const { call, server } = await startTestServer();
      const make = new Maker(seededRandom(info.kind.length));
      for (let round = 0; round < perKind; round++) {
        const object = randomObject(info, make);
        const { status, body } = await call('POST', pathOf(info, 'dryRun=All'), object);
        if (status >= 500) throw new Error(`${body.message}\n${JSON.stringify(object)}`);
        expect(status).toBeGreaterThanOrEqual(200);
      }
      await server[Symbol.asyncDispose]();
    },
  );
});

function randomObject(info: ResourceInfo, make: Maker): object {
  const object = make.object(schemaOfKind(info) as ObjectSchema, 0);
  const namespace = info.namespaced ? { namespace: 'default' } : {};
  return {
    ...object,
    apiVersion: info.group === '' ? info.version : `${info.group}/${info.version}`,
    kind: info.kind,
    metadata: { name: 'made', ...namespace },
  };
}

function pathOf({ group, version, resource, namespaced }: ResourceInfo, query: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${resource}?${query}`;
}
