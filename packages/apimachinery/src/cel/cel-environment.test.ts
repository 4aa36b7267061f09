import { describe, expect, test } from 'vitest';
import { CelEnvironment } from './cel-environment.js';
import { CelError } from './cel-error.js';
import { fromCel, toCel } from './cel-values.js';

const environment = new CelEnvironment({ variables: { self: 'dyn', name: 'string' } });
const self = toCel({
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
  return fromCel(environment.compile(expression).evaluate({ self, name: 'web' }));
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
    ['dyn([1, "a"])', [1, 'a']],
    ['duration("1h") > duration("30m")', true],
    ['timestamp("2026-01-01T00:00:00Z").getFullYear()', 2026],

    ['quantity("1Gi").isGreaterThan(quantity("1G"))', true],
    ['quantity("1500m").isInteger()', false],
    ['quantity("2k").asInteger()', 2_000],
    ['quantity("50M").add(quantity("20k")).compareTo(quantity("50020k"))', 0],
    ['quantity("50k").sub(20000) == quantity("30k")', true],
    ['quantity("1.5").asApproximateFloat()', 1.5],
    ['quantity("-1").sign()', -1],
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
    ['"abc".reverse()', 'cba'],
    ['" a ".trim().upperAscii()', 'A'],
    ['strings.quote("a\\"b")', '"a\\"b"'],
    ['"%s has %d, %.2f %x %b %%".format(["web", 3, 1.5, 255, 5])', 'web has 3, 1.50 ff 101 %'],
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

  test.each(cases)('%s', (expression, wanted) => {
    expect(run(expression)).toEqual(wanted);
  });

  const failing = [
    ['self.missing == 1', 'no such key: missing'],
    ['quantity("x")', 'quantities must match the regular expression'],
    ['quantity("1500m").asInteger()', 'cannot convert value to integer'],
    ['url("../x")', 'URL parse error during conversion from string'],
    ['ip("x")', 'IP Address "x" parse error'],
    ['semver("1")', 'semver parse error'],
    ['[].min()', 'min called on empty list'],
    ['"a".find("(")', 'Illegal regex'],
    ['"a".matches("a(" + "")', 'Illegal regex: error parsing regexp: missing closing ): `a(`'],
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
  test('says where an unknown name stands', () => {
    const error = thrown(() => environment.compile('name == "a" &&\n  foo > 1'));
    expect(error).toMatchObject({ kind: 'compile', line: 2, column: 3 });
    expect(error?.message).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'foo' (in container '')\n |   foo > 1\n | ..^",
    );
  });

  test.each(['1 +', 'name + 1', 'name.nope()', '(', ''])('refuses "%s"', (expression) => {
    expect(thrown(() => environment.compile(expression))?.kind).toBe('compile');
  });

  test('knows the type of the result', () => {
    expect([environment.compile('name == "a"').type, environment.compile('self.x').type]).toEqual(['bool', 'dyn']);
  });
});

describe('the cost limit', () => {
  const runaway = [
    'self.items.all(a, self.items.all(b, self.items.all(c, self.items.all(d, a + b + c + d >= 0))))',
    'self.items.exists(a, self.items.exists(b, self.items.exists(c, self.items.exists(d, a + b + c + d < 0))))',
    'self.items.map(a, self.items.map(b, self.items.map(c, self.items.map(d, a)))).size() > 0',
    'self.items.exists(a, self.items.all(b, self.items.all(c, self.items.all(d, true)))) || true',
    Array.from({ length: 25 })
      .reduce<string>((inner) => `cel.bind(x, x + x, ${inner})`, 'x.size()')
      .replace('x + x', 'self.items'),
  ];

  test.each(runaway)('stops %s', (expression) => {
    const error = thrown(() => run(expression));
    expect({ kind: error?.kind, message: error?.message }).toEqual({
      kind: 'cost',
      message: 'operation cancelled: actual cost limit exceeded',
    });
  });

  test('leaves a loop alone that stays below it', () => {
    expect(run('self.items.all(a, self.items.all(b, a + b >= 0))')).toBe(true);
  });

  test('starts anew with each evaluation', () => {
    const program = environment.compile('self.items.all(a, a >= 0)');
    for (let i = 0; i < 5; i++) expect(program.evaluate({ self, name: '' }, 1_000)).toBe(true);
    expect(thrown(() => program.evaluate({ self, name: '' }, 100))?.kind).toBe('cost');
  });
});

describe('values', () => {
  test('whole numbers are integers unless the schema says otherwise', () => {
    expect([toCel(1), toCel(1.5), toCel(1, { type: 'double' })]).toEqual([1n, 1.5, 1]);
  });

  test('times become timestamps by schema', () => {
    expect(toCel('2026-01-01T00:00:00Z', { type: 'time' })).toEqual(new Date(Date.UTC(2026, 0, 1)));
  });

  test('a key such as __proto__ is only a key', () => {
    const hostile = toCel(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(environment.compile('has(self.admin)').evaluate({ self: hostile, name: '' })).toBe(false);
    expect(environment.compile('has(self.constructor)').evaluate({ self: hostile, name: '' })).toBe(false);
  });
});

test('a program tells which fields it selects', () => {
  const { selections } = environment.compile('has(self.a.b) && self.items.all(x, x.c > self.d)');
  const paths = selections.map(({ root, fields }) => [root, ...fields.map(({ name }) => name)].join('.'));
  expect(new Set(paths)).toEqual(new Set(['self.a', 'self.a.b', 'self.items', 'x.c', 'self.d']));
});

test('an environment can be extended', () => {
  const extended = new CelEnvironment({
    variables: {},
    extend: (one) => void one.registerFunction('answer(): int', () => 42n),
  });
  expect(extended.compile('answer()').evaluate({})).toBe(42n);
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
