import type { Message, MessageTable } from './protobuf.js';

/** The messages of etcd's API that a store needs, with the fields that it reads or sets. */

const header = { revision: { number: 3, type: 'int' } } as const satisfies MessageTable;
const responseHeader = { number: 1, type: header } as const;

const keyValue = {
  key: { number: 1, type: 'bytes' },
  createRevision: { number: 2, type: 'int' },
  modRevision: { number: 3, type: 'int' },
  version: { number: 4, type: 'int' },
  value: { number: 5, type: 'bytes' },
  lease: { number: 6, type: 'int' },
} as const satisfies MessageTable;

const rangeRequest = {
  key: { number: 1, type: 'bytes' },
  rangeEnd: { number: 2, type: 'bytes' },
  limit: { number: 3, type: 'int' },
  revision: { number: 4, type: 'int' },
  countOnly: { number: 9, type: 'bool' },
} as const satisfies MessageTable;

const rangeResponse = {
  header: responseHeader,
  kvs: { number: 2, type: keyValue, repeated: true },
  more: { number: 3, type: 'bool' },
  count: { number: 4, type: 'int' },
} as const satisfies MessageTable;

const putRequest = {
  key: { number: 1, type: 'bytes' },
  value: { number: 2, type: 'bytes' },
  lease: { number: 3, type: 'int' },
} as const satisfies MessageTable;

const deleteRangeRequest = { key: { number: 1, type: 'bytes' } } as const satisfies MessageTable;

const requestOp = {
  range: { number: 1, type: rangeRequest },
  put: { number: 2, type: putRequest },
  deleteRange: { number: 3, type: deleteRangeRequest },
} as const satisfies MessageTable;

const responseOp = { range: { number: 1, type: rangeResponse } } as const satisfies MessageTable;

/** `result` 0: equal. */
const compare = {
  result: { number: 1, type: 'int' },
  target: { number: 2, type: 'int' },
  key: { number: 3, type: 'bytes' },
  modRevision: { number: 6, type: 'int' },
} as const satisfies MessageTable;

/** The field that a comparison compares. */
export const compareTarget = { modRevision: 2 } as const;

const txnRequest = {
  compare: { number: 1, type: compare, repeated: true },
  success: { number: 2, type: requestOp, repeated: true },
  failure: { number: 3, type: requestOp, repeated: true },
} as const satisfies MessageTable;

const txnResponse = {
  header: responseHeader,
  succeeded: { number: 2, type: 'bool' },
  responses: { number: 3, type: responseOp, repeated: true },
} as const satisfies MessageTable;

const compactionRequest = {
  revision: { number: 1, type: 'int' },
  physical: { number: 2, type: 'bool' },
} as const satisfies MessageTable;

const headerOnly = { header: responseHeader } as const satisfies MessageTable;

const watchCreateRequest = {
  key: { number: 1, type: 'bytes' },
  rangeEnd: { number: 2, type: 'bytes' },
  startRevision: { number: 3, type: 'int' },
  progressNotify: { number: 4, type: 'bool' },
  fragment: { number: 8, type: 'bool' },
} as const satisfies MessageTable;

export const watchRequest = {
  create: { number: 1, type: watchCreateRequest },
  progress: { number: 3, type: {} },
} as const satisfies MessageTable;

/** `type` 1: a deletion. */
const event = {
  type: { number: 1, type: 'int' },
  keyValue: { number: 2, type: keyValue },
} as const satisfies MessageTable;

export const watchResponse = {
  header: responseHeader,
  watchId: { number: 2, type: 'int' },
  created: { number: 3, type: 'bool' },
  canceled: { number: 4, type: 'bool' },
  compactRevision: { number: 5, type: 'int' },
  cancelReason: { number: 6, type: 'text' },
  fragment: { number: 7, type: 'bool' },
  events: { number: 11, type: event, repeated: true },
} as const satisfies MessageTable;

const leaseGrantRequest = {
  ttl: { number: 1, type: 'int' },
  id: { number: 2, type: 'int' },
} as const satisfies MessageTable;
const leaseGrantResponse = {
  header: responseHeader,
  id: { number: 2, type: 'int' },
  ttl: { number: 3, type: 'int' },
} as const satisfies MessageTable;
const leaseRevokeRequest = { id: { number: 1, type: 'int' } } as const satisfies MessageTable;

const statusResponse = {
  header: responseHeader,
  version: { number: 2, type: 'text' },
  dbSize: { number: 3, type: 'int' },
} as const satisfies MessageTable;

export type WireKeyValue = Message<typeof keyValue>;
export type WireEvent = Message<typeof event>;
export type TxnRequest = Message<typeof txnRequest>;
export type TxnResponse = Message<typeof txnResponse>;
export type RangeRequest = Message<typeof rangeRequest>;
export type RequestOp = Message<typeof requestOp>;
export type WatchRequest = Message<typeof watchRequest>;
export type WatchResponse = Message<typeof watchResponse>;

/** A unary call. */
export interface UnaryMethod<Q extends MessageTable, A extends MessageTable> {
  readonly path: string;
  readonly request: Q;
  readonly response: A;
}

export const methods = {
  range: { path: '/etcdserverpb.KV/Range', request: rangeRequest, response: rangeResponse },
  txn: { path: '/etcdserverpb.KV/Txn', request: txnRequest, response: txnResponse },
  compact: { path: '/etcdserverpb.KV/Compact', request: compactionRequest, response: headerOnly },
  leaseGrant: { path: '/etcdserverpb.Lease/LeaseGrant', request: leaseGrantRequest, response: leaseGrantResponse },
  leaseRevoke: { path: '/etcdserverpb.Lease/LeaseRevoke', request: leaseRevokeRequest, response: headerOnly },
  status: { path: '/etcdserverpb.Maintenance/Status', request: {}, response: statusResponse },
} as const;

export const watchPath = '/etcdserverpb.Watch/Watch';
