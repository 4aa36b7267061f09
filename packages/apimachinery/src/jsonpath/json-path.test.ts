import { describe, expect, it } from 'vitest';
import { JsonPath } from './json-path.js';
import { JsonPathError } from './path.js';

const pods = {
  kind: 'List',
  items: [
    {
      metadata: { name: 'web-1', labels: { app: 'web', 'app.kubernetes.io/name': 'shop' } },
      spec: { containers: [{ name: 'a', image: 'nginx' }], replicas: 3 },
      status: { conditions: [{ type: 'Ready', status: 'True' }], podIP: '10.0.0.1', load: 0.5, done: true },
    },
    {
      metadata: { name: 'web-2', labels: { app: 'api' } },
      spec: { containers: [{ name: 'b', image: 'redis' }], replicas: 5 },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    },
  ],
};

describe('JsonPath', () => {
  it.each([
    ['plain text', 'plain text'],
    ['{.kind}', 'List'],
    ['{ .kind }', 'List'],
    ['{$.kind}', 'List'],
    ['{kind}', 'List'],
    ["{['kind']}", 'List'],
    ['kind is {.kind}!', 'kind is List!'],
    ['{.items[0].metadata.name}', 'web-1'],
    ['{.items[-1].metadata.name}', 'web-2'],
    ['{.items[*].metadata.name}', 'web-1 web-2'],
    ['{.items[0:1].metadata.name}', 'web-1'],
    ['{.items[1:].metadata.name}', 'web-2'],
    ['{.items[:].metadata.name}', 'web-1 web-2'],
    ['{.items[::2].metadata.name}', 'web-1'],
    ['{.items[0,1].metadata.name}', 'web-1 web-2'],
    ["{.items[0]['metadata','spec'].name}", 'web-1'],
    ['{.items[0].metadata.labels.app\\.kubernetes\\.io/name}', 'shop'],
    ["{.items[0].metadata.labels['app\\.kubernetes\\.io/name']}", 'shop'],
    ["{.items[*]['metadata.name','kind']}", 'web-1 web-2'],
    ['{range .items[*]}{.metadata.name};', 'web-1;web-2;'],
    ['{.items[0].metadata.labels}', '{"app":"web","app.kubernetes.io/name":"shop"}'],
    ['{.items[0].status.load} {.items[0].status.done}', '0.5 true'],
    ['{.items[*].status.podIP}', '10.0.0.1'],
    ['{..image}', 'nginx redis'],
    ['{.items[?(@.metadata.name=="web-2")].metadata.labels.app}', 'api'],
    ["{.items[?(@.metadata.labels.app!='web')].metadata.name}", 'web-2'],
    ['{.items[?(@.spec.replicas>3)].metadata.name}', 'web-2'],
    ['{.items[?(@.spec.replicas <= 3)].metadata.name}', 'web-1'],
    ['{.items[?(@.status.podIP)].metadata.name}', 'web-1'],
    ['{.items[?(@.status.done==true)].metadata.name}', 'web-1'],
    ['{.items[0].status.conditions[?(@.type=="Ready")].status}', 'True'],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.spec.replicas}{"\\n"}{end}', 'web-1\t3\nweb-2\t5\n'],
    ['{range .items[*]}{range .spec.containers[*]}{.name};{end}{end}', 'a;b;'],
    ['{range .items[*]}[{.metadata.name}, {.status.podIP}] {end}', '[web-1, 10.0.0.1] [web-2, ] '],
    ['{"a{b}"}', 'a{b}'],
    ['{3}', '3'],
  ])('%s gives %j', (template, text) => {
    expect(new JsonPath(template, { allowMissing: true }).format(pods)).toBe(text);
  });

  it('finds values as they are', () => {
    expect(new JsonPath('{.items[*].spec.replicas}').find(pods)).toEqual([3, 5]);
  });

  it.each([
    ['{.spec.nothing}', 'spec is not found'],
    ['{.items[7]}', 'array index out of bounds: index 7, length 2'],
    ['{.kind[0]}', '"List" is not array or slice'],
    ['{.items[?(@..name=="a")]}', 'can only compare one element at a time'],
  ])('%s fails with: %s', (template, message) => {
    expect(() => new JsonPath(template).find(pods)).toThrow(new JsonPathError(message));
  });

  it.each(['{.a', '{end}', '{.a["b"]}', '{.a[}', '{.a[x]}', '{.a[?(@.b]}', '{.a]}', '{)}'])(
    'refuses %s',
    (template) => {
      expect(() => new JsonPath(template)).toThrow(JsonPathError);
    },
  );
});
