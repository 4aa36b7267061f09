import { describe, expect, test } from 'vitest';
import { invalidField, requiredField } from './field-error.js';
import {
  aggregate,
  alreadyExists,
  asStatusError,
  badRequest,
  conflict,
  expired,
  forbidden,
  generateNameConflict,
  internalError,
  invalid,
  isAlreadyExists,
  isConflict,
  isNotFound,
  methodNotAllowed,
  notAcceptable,
  notFound,
  pageNotFound,
  reasonOf,
  requestEntityTooLarge,
  StatusError,
  serverTimeout,
  serviceUnavailable,
  timeout,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from './status-error.js';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

describe('each failure has the code, reason and message that clients know', () => {
  const cases = [
    [badRequest('no'), 400, 'BadRequest', 'no'],
    [unauthorized(), 401, 'Unauthorized', 'Unauthorized'],
    [forbidden(pods, 'a', 'why'), 403, 'Forbidden', 'pods "a" is forbidden: why'],
    [forbidden(deployments, '', 'why'), 403, 'Forbidden', 'deployments.apps is forbidden: why'],
    [forbidden({ group: '', resource: '' }, '', 'why'), 403, 'Forbidden', 'forbidden: why'],
    [notFound(deployments, 'a'), 404, 'NotFound', 'deployments.apps "a" not found'],
    [pageNotFound(), 404, 'NotFound', 'the server could not find the requested resource'],
    [methodNotAllowed(pods, 'patch'), 405, 'MethodNotAllowed', 'patch is not supported on resources of kind "pods"'],
    [notAcceptable(['a', 'b']), 406, 'NotAcceptable', 'only the following media types are accepted: a, b'],
    [alreadyExists(pods, 'a'), 409, 'AlreadyExists', 'pods "a" already exists'],
    [conflict(pods, 'a', 'why'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "a": why'],
    [expired('old'), 410, 'Expired', 'old'],
    [requestEntityTooLarge('big'), 413, 'RequestEntityTooLarge', 'big'],
    [
      unsupportedMediaType(['a']),
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: a',
    ],
    [tooManyRequests('slow', 1), 429, 'TooManyRequests', 'slow'],
    [
      serverTimeout(pods, 'list', 2),
      500,
      'ServerTimeout',
      'The list operation against pods could not be completed at this time, please try again.',
    ],
    [serviceUnavailable('down'), 503, 'ServiceUnavailable', 'down'],
    [timeout('late', 1), 504, 'Timeout', 'Timeout: late'],
  ] as const;

  test.each(cases)('%s', (error, code, reason, message) => {
    expect(error.status).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code,
      reason,
      message,
    });
    expect(error.message).toBe(message);
  });
});

describe('details', () => {
  test('name the resource and the object', () => {
    expect(notFound(deployments, 'a').status.details).toEqual({ name: 'a', group: 'apps', kind: 'deployments' });
    expect(notFound(pods, 'a').status.details).toEqual({ name: 'a', kind: 'pods' });
  });

  test('of an invalid object name the kind and every field', () => {
    const error = invalid({ group: 'apps', kind: 'Deployment' }, 'web', [
      requiredField('spec.selector'),
      invalidField('spec.replicas', -1, 'must not be negative'),
    ]);
    expect(error.status).toMatchObject({
      code: 422,
      message:
        'Deployment.apps "web" is invalid: [spec.selector: Required value, spec.replicas: Invalid value: -1: must not be negative]',
      details: {
        name: 'web',
        group: 'apps',
        kind: 'Deployment',
        causes: [
          { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' },
          { reason: 'FieldValueInvalid', message: 'Invalid value: -1: must not be negative', field: 'spec.replicas' },
        ],
      },
    });
  });

  test('say when to retry', () => {
    expect(tooManyRequests('slow', 7).status.details).toEqual({ retryAfterSeconds: 7 });
    expect(generateNameConflict(pods, 'a', 1).status.details).toMatchObject({ retryAfterSeconds: 1, name: 'a' });
  });
});

test('anything else that is thrown is an internal error that keeps its cause', () => {
  const bug = new TypeError('x is undefined');
  const error = asStatusError(bug);
  expect(error.status).toMatchObject({
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: x is undefined',
  });
  expect(error.cause).toBe(bug);
  expect(asStatusError(error)).toBe(error);
  expect(internalError('text').message).toBe('Internal error occurred: text');
});

test('failures are distinguished by reason', () => {
  expect([
    isNotFound(notFound(pods, 'a')),
    isNotFound(new Error('not found')),
    isConflict(conflict(pods, 'a', '')),
    isAlreadyExists(alreadyExists(pods, 'a')),
  ]).toEqual([true, false, true, true]);
  expect([reasonOf(badRequest('')), reasonOf(null), StatusError.is({ name: 'StatusError' })]).toEqual([
    'BadRequest',
    undefined,
    false,
  ]);
});

test('several messages are listed, each once', () => {
  expect([aggregate(['a']), aggregate(['a', 'b', 'a']), aggregate(['a', 'a'])]).toEqual(['a', '[a, b]', 'a']);
});

test('a forbidden path names no resource', () => {
  expect(forbidden({ group: '', resource: '' }, '', 'why').status.details).toEqual({});
});
