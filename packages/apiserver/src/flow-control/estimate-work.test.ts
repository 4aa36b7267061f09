import { describe, expect, test } from 'vitest';
import type { RequestInfo } from '../request-info.js';
import { estimateWork } from './estimate-work.js';

const requestInfo = (verb: string, more: Partial<RequestInfo> = {}): RequestInfo => ({
  isResourceRequest: true,
  path: '/api/v1/pods',
  verb,
  apiPrefix: 'api',
  group: '',
  version: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: ['pods'],
  ...more,
});

const size = (objects: number, objectBytes: number, isCached = true) => ({
  objects,
  objectBytes,
  isCached,
  watchers: 0,
});

describe('seats of a list', () => {
  test.each([
    ['few small objects', 'list', '', size(50, 1_000), 1],
    ['a hundred kilobytes a seat', 'list', '', size(300, 1_000), 3],
    ['a part of a seat counts whole', 'list', '', size(301, 1_000), 4],
    ['a page of many', 'list', 'limit=200', size(100_000, 1_000), 2],
    ['from memory a megabyte at most', 'list', '', size(100_000, 2_000), 10],
    ['from the store all of it', 'list', '', size(4_000, 2_000, false), 80],
    ['from the store, up to the limit', 'list', '', size(100_000, 2_000, false), 100],
    ['a selected page from the store reads half', 'list', 'limit=10&labelSelector=a', size(4_000, 1_000, false), 20],
    ['a watch with initial events', 'watch', 'sendInitialEvents=true', size(300, 1_000), 3],
    ['another watch', 'watch', '', size(300, 1_000), 1],
    ['nothing there', 'list', '', size(0, 0), 1],
  ])('%s', (_, verb, query, resource, seats) => {
    const question = { info: requestInfo(verb), query: new URLSearchParams(query), size: resource, maxSeats: 200 };
    expect(estimateWork(question).initialSeats).toBe(seats);
  });

  test('are no more than the level allows, and one for a single object', () => {
    const query = new URLSearchParams();
    const many = size(10_000, 10_000);
    expect(estimateWork({ info: requestInfo('list'), query, size: many, maxSeats: 4 }).initialSeats).toBe(4);
    expect(
      estimateWork({ info: requestInfo('list', { name: 'a' }), query, size: many, maxSeats: 9 }).initialSeats,
    ).toBe(1);
  });
});

describe('seats after a write, while watchers receive the event', () => {
  const estimate = (verb: string, watchers: number, more: { maxSeats?: number; subresource?: string } = {}) => {
    const { maxSeats = 200, subresource = '' } = more;
    const resource = { ...size(100, 1_000), watchers };
    return estimateWork({
      info: requestInfo(verb, { name: 'a', subresource }),
      query: new URLSearchParams(),
      size: resource,
      maxSeats,
    });
  };

  test.each([
    ['none for what a timer cannot measure', 'patch', 50, { finalSeats: 0, extraMs: 0 }],
    ['one for a millisecond', 'create', 100, { finalSeats: 1, extraMs: 1.5 }],
    ['more for more watchers', 'update', 400, { finalSeats: 6, extraMs: 1 }],
    ['no more than ten, for longer', 'delete', 2_000, { finalSeats: 10, extraMs: 3 }],
    ['none for a read', 'get', 2_000, { finalSeats: 0, extraMs: 0 }],
  ])('%s', (_, verb, watchers, expected) => {
    expect(estimate(verb, watchers)).toEqual({ initialSeats: 1, ...expected });
  });

  test('are no more than the level allows, for longer', () => {
    expect(estimate('patch', 400, { maxSeats: 2 })).toEqual({ initialSeats: 1, finalSeats: 2, extraMs: 3 });
  });

  test('are none for a token, which has no watches', () => {
    expect(estimate('create', 2_000, { subresource: 'token' })).toEqual({ initialSeats: 1, finalSeats: 0, extraMs: 0 });
  });
});
