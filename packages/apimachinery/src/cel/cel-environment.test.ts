import { describe, expect, test } from 'vitest';
import { CelEnvironment } from './cel-environment.js';
import { CelError } from './cel-error.js';
import type { SizeOfPath } from './cost/estimate-cost.js';
import { declare, global, signature } from './overload.js';
import { dynType, intType, listType, objectType, stringType } from './values/cel-type.js';
import { fromJson, toJson } from './values/json-value.js';

const environment = new CelEnvironment({ variables: { self: dynType, name: stringType } });
const self = fromJson({
  replicas: 3,
  share: 1.5,
  labels: { app: 'web', tier: 'front' },
  ports: [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ],
  items: Array.from({ length: 100 }, (_, i) => i),
});

function run(expression: string): unknown {
  return toJson(environment.compile(expression).evaluate({ self, name: 'web' }));
}

describe('CEL', () => {
  const cases: [string, unknown][] = [
    ['self.replicas > 2 && name == "web"', true],
    ['self.replicas * 2', 6],
    ['self.share < 2.0', true],
    ['has(self.missing)', false],
    ['self.?missing.orValue("none")', 'none'],
    ['self.ports.all(p, p.port > 0 && p.port < 65536)', true],
    ['self.ports.exists(p, p.name == "https")', true],
    ['self.ports.filter(p, p.port == 80).map(p, p.name)', ['http']],
    ['self.labels.all(k, k.size() < 63)', true],
    ['"app" in self.labels', true],
    ['self.labels.app', 'web'],
    ['[dyn(1), dyn("a")]', [1, 'a']],
    ['duration("1h") > duration("30m")', true],
    ['timestamp("2026-01-01T00:00:00Z").getFullYear()', 2026],

    ['quantity("1Gi").isGreaterThan(quantity("1G"))', true],
    ['quantity("1500m").isInteger()', false],
    ['quantity("2k").asInteger()', 2_000],
    ['quantity("50M").add(quantity("20k")).compareTo(quantity("50020k"))', 0],
    ['quantity("50k").sub(20000) == quantity("30k")', true],
    ['quantity("1.5").asApproximateFloat()', 1.5],
    ['sign(quantity("-1"))', -1],
    ['isQuantity("1.3Gii")', false],
    ['string(self.replicas)', '3'],

    ['url("https://user@example.com:8443/a%20b?x=1&x=2").getHost()', 'example.com:8443'],
    ['url("https://example.com:8443/").getPort()', '8443'],
    ['url("https://[::1]:80/").getHostname()', '::1'],
    ['url("https://example.com/a%20b").getEscapedPath()', '/a%20b'],
    ['url("https://example.com/?x=1&x=2").getQuery()["x"]', ['1', '2']],
    ['url("HTTPS://example.com").getScheme()', 'https'],
    ['isURL("/path")', true],
    ['isURL("../path")', false],

    ['"abc 123".find("[0-9]+")', '123'],
    ['"abc".find("[0-9]+")', ''],
    ['"abc".matches("(?i)^A")', true],
    ['["a", "b1"].exists(x, x.matches("[[:digit:]]$"))', true],
    ['"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab".matches("^(a+)+$")', false],
    ['"1 22 333".findAll("[0-9]+")', ['1', '22', '333']],
    ['"1 22 333".findAll("[0-9]+", 2)', ['1', '22']],
    ['"ABC".find("(?i)b")', 'B'],

    ['[1, 2, 2].isSorted()', true],
    ['["b", "a"].isSorted()', false],
    ['[1, 2, 3].sum()', 6],
    ['[1.5, 2.5].sum()', 4],
    ['[3, 1, 2].min()', 1],
    ['["a", "c", "b"].max()', 'c'],
    ['[1, 2, 2].indexOf(2)', 1],
    ['[1, 2, 2].lastIndexOf(2)', 2],
    ['[1].indexOf(5)', -1],
    ['sets.contains([1, 2, 3], [2])', true],
    ['sets.equivalent([1, 2, 2], [2, 1])', true],
    ['sets.intersects([1], [2])', false],

    ['"a-b-c".replace("-", "_")', 'a_b_c'],
    ['"a-b-c".replace("-", "_", 1)', 'a_b-c'],
    ['"tacocat".charAt(3)', 'o'],
    ['" a ".trim().upperAscii()', 'A'],
    ['strings.quote("a\\"b")', '"a\\"b"'],
    ['"%s has %d, %.2f %x %b %%".format(["web", 3, 1.5, 255, 5])', 'web has 3, 1.50 ff 101 %'],
    ['"%s %s".format([1.0 / 3.0, {"b": [true], "a": null}])', '0.3333333333333333 {"a":null, "b":[true]}'],
    ['matches("abc", "b")', true],
    ['[3, 1, 2].sort()', [1, 2, 3]],
    ['self.ports.sortBy(p, -p.port).map(p, p.name)', ['https', 'http']],
    ['[1, 2, 1].distinct()', [1, 2]],
    ['[[1], [2, 3]].flatten()', [1, 2, 3]],
    ['[1, 2, 3].slice(1, 3)', [2, 3]],
    ['lists.range(3)', [0, 1, 2]],
    ['[1, 2].first().value()', 1],
    ['self.ports.all(i, p, p.port > i)', true],
    ['self.labels.transformMap(k, v, k == "app", v + "!")', { app: 'web!' }],
    ['self.labels.transformMapEntry(k, v, {v: k})', { web: 'app', front: 'tier' }],
    ['has(self.ports[0].name)', true],
    ['duration("1h") == null || optional.of(1) == null', false],
    ['"%s".format([[1, 2]])', '[1, 2]'],

    ['ip("10.0.0.1").family()', 4],
    ['ip("::1").isLoopback()', true],
    ['ip("8.8.8.8").isGlobalUnicast()', true],
    ['ip("169.254.1.1").isLinkLocalUnicast()', true],
    ['ip("0.0.0.0").isUnspecified()', true],
    ['isIP("::ffff:1.2.3.4")', false],
    ['ip.isCanonical("2001:DB8::1")', false],
    ['string(ip("2001:DB8::1"))', '2001:db8::1'],
    ['ip("10.0.0.1") == ip("10.0.0.1")', true],
    ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', true],
    ['cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))', false],
    ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', true],
    ['string(cidr("10.1.2.3/8").masked())', '10.0.0.0/8'],
    ['cidr("10.1.2.3/8").prefixLength()', 8],
    ['string(cidr("10.1.2.3/8").ip())', '10.1.2.3'],
    ['isCIDR("10.0.0.0/33")', false],

    ['format.dns1123Label().validate("my-label").hasValue()', false],
    ['format.dns1123Label().validate("My_Label").value().size()', 1],
    ['format.named("uuid").hasValue() && !format.named("nope").hasValue()', true],
    ['format.datetime().validate("2026-01-01T00:00:00Z").hasValue()', false],

    ['semver("1.2.3").isLessThan(semver("1.10.0"))', true],
    ['semver("1.0.0-rc.1").compareTo(semver("1.0.0"))', -1],
    ['semver("1.0.0-alpha.2").isGreaterThan(semver("1.0.0-alpha.1"))', true],
    ['semver("v1.2", true).minor()', 2],
    ['isSemver("1.2")', false],
    ['semver("1.2.3+build") == semver("1.2.3")', true],
  ];

  test.each(cases)('%s', (expression, expected) => {
    expect(run(expression)).toEqual(expected);
  });

  const failing = [
    ['self.missing == 1', 'no such key: missing'],
    ['quantity("x")', 'quantities must match the regular expression'],
    ['quantity("1500m").asInteger()', 'cannot convert value to integer'],
    ['url("../x")', 'URL parse error during conversion from string'],
    ['ip("x")', 'IP Address "x" parse error'],
    ['semver("1")', 'No Major.Minor.Patch elements found'],
    ['[].min()', 'min called on empty list'],
    ['"a".find("(")', 'error parsing regexp: missing closing )'],
    ['"a".matches("a(" + "")', 'error parsing regexp: missing closing ): `a(`'],
  ] as const;

  test.each(failing)('%s fails', (expression, message) => {
    const error = thrown(() => run(expression));
    expect({ kind: error?.kind, message: error?.message }).toEqual({
      kind: 'evaluate',
      message: expect.stringContaining(message),
    });
  });
});

describe('compiling', () => {
  test('reports the position of an unknown name', () => {
    const error = thrown(() => environment.compile('name == "a" &&\n  foo > 1'));
    expect(error).toMatchObject({ kind: 'compile', line: 2, column: 3 });
    expect(error?.message).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'foo' (in container '')\n |   foo > 1\n | ..^",
    );
  });

  test.each(['1 +', 'name + 1', 'name.nope()', '(', ''])('refuses "%s"', (expression) => {
    expect(thrown(() => environment.compile(expression))?.kind).toBe('compile');
  });

  test('has the type of the result', () => {
    expect([environment.compile('name == "a"').type.text, environment.compile('self.x').type.text]).toEqual([
      'bool',
      'dyn',
    ]);
  });
});

describe('the cost limit', () => {
  const runaway = [
    'self.items.all(a, self.items.all(b, self.items.all(c, self.items.all(d, a + b + c + d >= 0))))',
    'self.items.exists(a, self.items.exists(b, self.items.exists(c, self.items.exists(d, a + b + c + d < 0))))',
    'self.items.map(a, self.items.map(b, self.items.map(c, self.items.map(d, a)))).size() > 0',
    'self.items.exists(a, self.items.all(b, self.items.all(c, self.items.all(d, true)))) || true',
    `[self.items]${'.map(x, x + x)'.repeat(60)}[0].sum() > 0`,
    'self.items.all(a, "x".matches("(a+)+".replace("a", "abcdefghijklmnopqrstuvwxyz")) || lists.range(1000000).size() > 0)',
  ];

  test.each(runaway)('stops %s', (expression) => {
    const error = thrown(() => run(expression));
    expect({ kind: error?.kind, message: error?.message }).toEqual({
      kind: 'cost',
      message: 'operation cancelled: actual cost limit exceeded',
    });
  });

  test('does not stop a loop that stays below it', () => {
    expect(run('self.items.all(a, self.items.all(b, a + b >= 0))')).toBe(true);
  });

  test('starts again with each evaluation', () => {
    const program = environment.compile('self.items.all(a, a >= 0)');
    for (let i = 0; i < 5; i++) expect(program.evaluate({ self, name: '' }, 1_000)).toBe(true);
    expect(thrown(() => program.evaluate({ self, name: '' }, 100))?.kind).toBe('cost');
  });
});

describe('values', () => {
  test('whole numbers are integers', () => {
    expect([fromJson(1), fromJson(1.5)]).toEqual([1n, 1.5]);
  });

  test('a key such as __proto__ is only a key', () => {
    const hostile = fromJson(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(environment.compile('has(self.admin)').evaluate({ self: hostile, name: '' })).toBe(false);
    expect(environment.compile('has(self.constructor)').evaluate({ self: hostile, name: '' })).toBe(false);
  });
});

test('a program reports which variables it reads', () => {
  const program = environment.compile('self.items.all(name, name > 0)');
  expect([program.uses('self'), program.uses('missing')]).toEqual([true, false]);
});

test('an environment can have its own functions', () => {
  const extended = new CelEnvironment({
    variables: {},
    functions: [
      declare(
        'answer',
        global(signature('answer', [], intType), () => 42n),
      ),
    ],
  });
  expect(extended.compile('answer()').evaluate({})).toBe(42n);
});

describe('type errors', () => {
  const item = objectType('item', new Map([['n', intType]]));
  const fields = new Map([
    ['s', stringType],
    ['i', intType],
    ['items', listType(item)],
  ]);
  const typed = new CelEnvironment({ variables: { self: objectType('self', fields) } });

  test.each([
    ["self.i == 'a'", "1:8: found no matching overload for '_==_' applied to '(int, string)'"],
    ['self.s == null', "1:8: found no matching overload for '_==_' applied to '(string, null)'"],
    ['self.missing', "1:5: undefined field 'missing'"],
    ['has(self.items[0].m)', "1:4: undefined field 'm'"],
    ['self.s.matches("(")', '1:16: invalid matches argument'],
    ['[1, "a"].size()', "1:5: expected type 'int' but found 'string'"],
    ['self.items.all(1, true)', '1:16: argument must be a simple name'],
    [
      'self.s.all(x, true)',
      "1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['duration("1d")', '1:10: invalid duration argument'],
    [
      "'%d'.format([self.s])",
      '1:18: error during formatting: decimal clause can only be used on integers, was given string',
    ],
  ])('%s', (expression, message) => {
    expect(thrown(() => typed.compile(expression))?.message.split('\n')[0]).toBe(`ERROR: <input>:${message}`);
  });

  test('a constant that cannot be converted fails before it runs', () => {
    const error = thrown(() => typed.compile('int("abc") > 0'));
    expect(error).toMatchObject({ kind: 'program', message: "type conversion error from 'string' to 'int'" });
  });
});

describe('cost estimates', () => {
  const strings = new CelEnvironment({ variables: { self: listType(stringType) } });
  const sizes: SizeOfPath = (path) => ({ min: 0, max: path.length === 1 ? 10 : 100 });

  test.each([
    ['self.size() > 1', { min: 3, max: 3 }],
    ['self.all(x, x.size() < 5)', { min: 2, max: 62 }],
    ['self.all(x, x.contains("abc"))', { min: 2, max: 142 }],
    ['self.exists(x, self.exists(y, x == y))', { min: 2, max: 1662 }],
  ])('%s', (expression, range) => {
    expect(strings.compile(expression).estimateCost(sizes)).toEqual(range);
  });
});

describe('hostile expressions are refused within a second of processor time', () => {
  test.each([
    ['nested brackets', `${'('.repeat(5_000)}1${')'.repeat(5_000)}`, 'expression recursion limit exceeded: 250'],
    ['a long sum', Array.from({ length: 20_000 }, () => '1').join('+'), 'expression recursion limit exceeded: 250'],
    ['a long path', `self${'.a'.repeat(20_000)}`, 'expression recursion limit exceeded: 250'],
    ['a megabyte', `"${'a'.repeat(2 ** 20)}" == ""`, 'expression code point size exceeds limit'],
    ['doubling macros', `optional.of(1)${'.optMap(x, x)'.repeat(60)}`, 'expression node count exceeds limit'],
    ['many errors', Array.from({ length: 16_000 }, () => 'nope').join('&&'), "undeclared reference to 'nope'"],
  ])('%s', (_, expression, message) => {
    const before = process.cpuUsage();
    expect(thrown(() => environment.compile(expression))?.message).toContain(message);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });
});

function thrown(action: () => unknown): CelError | undefined {
  try {
    action();
  } catch (error) {
    if (CelError.is(error)) return error;
    throw error;
  }
  return undefined;
}
