import { describe, expect, test } from 'vitest';
import { type NegotiatedRequest, negotiate } from './negotiate.js';

const abilities = { table: true, partial: 'PartialObjectMetadata', protobuf: true } as const;

function asking(accept: string | undefined, rest: { agent?: string; query?: string } = {}): NegotiatedRequest {
  const { agent, query = '' } = rest;
  const request = { method: 'GET', path: '/', query, headers: { accept, 'user-agent': agent } };
  return { request, query: new URLSearchParams(query) };
}

describe('the media type of a response', () => {
  test.each([
    [undefined, 'json', 'object'],
    ['*/*', 'json', 'object'],
    ['application/yaml', 'yaml', 'object'],
    ['application/vnd.kubernetes.protobuf, application/json', 'protobuf', 'object'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json', 'table'],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'json', 'partial'],
    ['application/json;as=Unknown;g=meta.k8s.io;v=v1,application/yaml', 'yaml', 'object'],
    ['application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json', 'json', 'object'],
    ['application/yaml;q=0.5,application/json;q=0.9', 'json', 'object'],
    ['text/html,application/*;q=0.1', 'json', 'object'],
  ])('for %s is %s as %s', (accept, encoding, as) => {
    expect(negotiate(asking(accept), abilities)).toMatchObject({ encoding, as });
  });

  test.each([
    ['application/vnd.kubernetes.protobuf, application/json', 'json', 'object'],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'protobuf', 'partial'],
    ['application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1, application/json', 'json', 'object'],
  ])('KEY-10 of a custom object for %s is %s as %s', (accept, encoding, as) => {
    expect(negotiate(asking(accept), { ...abilities, protobuf: 'partial' })).toMatchObject({ encoding, as });
  });

  test('is rejected if none matches', () => {
    expect(() => negotiate(asking('constructor'), abilities)).toThrow('only the following media types are accepted');
    expect(() => negotiate(asking('image/png'), abilities)).toThrow('only the following media types are accepted');
    expect(() => negotiate(asking('application/json;q=0'), abilities)).toThrow();
  });

  test('is indented on request, and for browsers and curl', () => {
    expect(negotiate(asking(undefined, { query: 'pretty=true' }), abilities).pretty).toBe(true);
    expect(negotiate(asking(undefined, { agent: 'curl/8' }), abilities).pretty).toBe(true);
    expect(negotiate(asking(undefined, { agent: 'curl/8', query: 'pretty=0' }), abilities).pretty).toBe(false);
    expect(negotiate(asking(undefined, { agent: 'kubectl' }), abilities).pretty).toBe(false);
  });
});
