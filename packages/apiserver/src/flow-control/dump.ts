import { formatTime } from '@coracle/apimachinery';
import type { Handler } from '../handler-chain.js';
import type { QueuedRequest, RequestDescription } from './fair-queues.js';
import type { FlowController } from './flow-controller.js';
import type { PriorityLevel } from './priority-level.js';

type Row = readonly (string | number | boolean)[];

/** `/debug/api_priority_and_fairness/…`: waiting and running requests, as comma-separated tables. */
export function flowControlEndpoints(controller: FlowController): Readonly<Record<string, Handler>> {
  const levels = () => {
    controller.refresh();
    return [...controller.levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  const root = '/debug/api_priority_and_fairness';
  return {
    [`${root}/dump_priority_levels`]: async () => table([levelHead, ...levels().map(levelRow)]),
    [`${root}/dump_queues`]: async () => table([queueHead, ...levels().flatMap(queueRows)]),
    [`${root}/dump_requests`]: async ({ query }) => {
      const hasDetails = query.get('includeRequestDetails') === '1';
      const head = hasDetails ? [...requestHead, ...detailHead] : requestHead;
      return table([head, ...levels().flatMap((level) => requestRows(level, hasDetails))]);
    },
  };
}

const levelHead: Row = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function levelRow({ name, queues, isIdle, isQuiescing }: PriorityLevel): Row {
  const { dispatched, rejected, timedOut, cancelled } = queues.totals;
  const active = queues.queues.filter(({ waiting }) => waiting.length > 0).length;
  return [
    name,
    active,
    isIdle,
    isQuiescing,
    queues.waiting,
    queues.executing,
    dispatched,
    rejected,
    timedOut,
    cancelled,
  ];
}

const queueHead: Row = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function queueRows({ name, queues }: PriorityLevel): Row[] {
  return queues.queues.map(({ index, waiting, executing, seatsInUse, nextDispatchR, seatsWaiting }) => [
    name,
    index,
    waiting.length,
    executing,
    seatsInUse,
    `${(nextDispatchR / 1000).toFixed(8)}ss`,
    waiting.reduce((sum, { work }) => sum + work.initialSeats, 0),
    seatsWaiting,
    `${waiting.reduce((sum, { work }) => sum + work.initialSeats * 0.003, 0).toFixed(8)}ss`,
  ]);
}

const requestHead: Row = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const detailHead: Row = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function requestRows({ name, queues }: PriorityLevel, hasDetails: boolean): Row[] {
  return queues.queues.flatMap(({ index, waiting }) =>
    waiting.map((request, position) => {
      const { schema = '', distinguisher = '' } = request.about ?? {};
      const row: Row = [name, schema, index, position, distinguisher, ...timesOf(request)];
      return hasDetails && request.about ? [...row, ...details(request.about)] : row;
    }),
  );
}

function timesOf({ arrivedAt = 0, work }: QueuedRequest): Row {
  return [formatTime(arrivedAt), work.initialSeats, work.finalSeats, `${work.extraMs}ms`, ''];
}

function details({ user, info }: RequestDescription): Row {
  const { verb, path, namespace, name, group, version, resource, subresource } = info;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return [user, verb, path, namespace, name, apiVersion, resource, subresource];
}

/** Columns are padded for readability. */
function table(rows: readonly Row[]): Awaited<ReturnType<Handler>> {
  const texts = rows.map((row) => row.map(String));
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)));
  const lines = texts.map((row) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`.padEnd((widths[i] ?? 0) + 2))).join(''),
  );
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(`${lines.join('\n')}\n`)] },
  };
}
