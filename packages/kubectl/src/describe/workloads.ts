import { writeJson } from '@coracle/apimachinery';
import { withQuery } from '../resources/request-helper.js';
import { type Fields, numberAt, recordAt, recordsAt, sortKeys, stringMapAt, textAt, textsAt } from '../values.js';
import { writeController, writePodTemplate } from './pods.js';
import { askForItems, type Describer, type DescribeTools, podStatus, podsOf, writeEvents } from './tools.js';
import {
  type DescribeWriter,
  formatMap,
  formatSelector,
  formatTimestamp,
  writeAnnotations,
  writeLabels,
} from './writer.js';

const count = (object: Fields, ...path: string[]): number => numberAt(object, ...path) ?? 0;
const selectorText = (object: Fields) => formatSelector(recordAt(object, 'spec', 'selector'));

async function ownPods(object: Fields, selector: string, tools: DescribeTools): Promise<string> {
  const pods = await podsOf(tools, textAt(object, 'metadata', 'namespace'), selector);
  return podStatus(pods, textAt(object, 'metadata', 'uid'));
}

function writeNameLines(w: DescribeWriter, object: Fields): void {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
}

function writeMeta(w: DescribeWriter, object: Fields): void {
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
}

export const describeDeployment: Describer = async (object, w, tools) => {
  const status = recordAt(object, 'status');
  writeNameLines(w, object);
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(object, 'metadata', 'creationTimestamp'))}`);
  writeMeta(w, object);
  w.write(0, `Selector:\t${selectorText(object)}`);
  w.write(
    0,
    `Replicas:\t${count(object, 'spec', 'replicas')} desired | ${count(status, 'updatedReplicas')} updated | ${count(status, 'replicas')} total | ${count(status, 'availableReplicas')} available | ${count(status, 'unavailableReplicas')} unavailable`,
  );
  w.write(0, `StrategyType:\t${textAt(object, 'spec', 'strategy', 'type')}`);
  w.write(0, `MinReadySeconds:\t${count(object, 'spec', 'minReadySeconds')}`);
  const rolling = recordAt(object, 'spec', 'strategy', 'rollingUpdate');
  if (Object.keys(rolling).length > 0)
    w.write(
      0,
      `RollingUpdateStrategy:\t${textAt(rolling, 'maxUnavailable')} max unavailable, ${textAt(rolling, 'maxSurge')} max surge`,
    );
  writePodTemplate(w, recordAt(object, 'spec', 'template'));
  const conditions = recordsAt(status, 'conditions');
  if (conditions.length > 0) {
    w.write(0, 'Conditions:');
    w.write(1, 'Type\tStatus\tReason');
    w.write(1, '----\t------\t------');
    for (const one of conditions)
      w.write(1, `${textAt(one, 'type')} \t${textAt(one, 'status')}\t${textAt(one, 'reason')}`);
  }
  await writeReplicaSets(w, object, tools);
  await writeEvents(w, object, tools);
};

async function writeReplicaSets(w: DescribeWriter, object: Fields, tools: DescribeTools): Promise<void> {
  const { old, current } = await replicaSetsOf(object, tools);
  const show = (sets: readonly Fields[]) =>
    sets.length === 0
      ? '<none>'
      : sets
          .map(
            (set) =>
              `${textAt(set, 'metadata', 'name')} (${count(set, 'status', 'replicas')}/${count(set, 'spec', 'replicas')} replicas created)`,
          )
          .join(', ');
  w.write(0, `OldReplicaSets:\t${show(old)}`);
  w.write(0, `NewReplicaSet:\t${show(current ? [current] : [])}`);
}

/** The replica set of the current template, and the others. */
async function replicaSetsOf(object: Fields, tools: DescribeTools): Promise<{ old: Fields[]; current?: Fields }> {
  const uid = textAt(object, 'metadata', 'uid');
  const path = `/apis/apps/v1/namespaces/${textAt(object, 'metadata', 'namespace')}/replicasets`;
  const sets = (await askForItems(tools, withQuery(path, { labelSelector: selectorText(object) }))).filter((set) =>
    recordsAt(set, 'metadata', 'ownerReferences').some((one) => one['uid'] === uid),
  );
  const template = withoutHash(recordAt(object, 'spec', 'template'));
  const current = sets.find((set) => withoutHash(recordAt(set, 'spec', 'template')) === template);
  return { old: sets.filter((set) => set !== current), ...(current && { current }) };
}

/** Templates differ by more than the hash that the controller adds. */
function withoutHash(template: Fields): string {
  const { 'pod-template-hash': _, ...labels } = stringMapAt(template, 'metadata', 'labels');
  const metadata = { ...recordAt(template, 'metadata'), labels: formatMap(labels) };
  return writeJson(sortKeys({ ...template, metadata }));
}

export const describeReplicaSet: Describer = async (object, w, tools) => {
  const isController = object['kind'] === 'ReplicationController';
  const selector = isController ? formatMap(stringMapAt(object, 'spec', 'selector')) : selectorText(object);
  writeNameLines(w, object);
  w.write(0, `Selector:\t${selector}`);
  writeMeta(w, object);
  writeController(w, recordAt(object, 'metadata'));
  w.write(
    0,
    `Replicas:\t${count(object, 'status', 'replicas')} current / ${count(object, 'spec', 'replicas')} desired`,
  );
  w.write(0, `Pods Status:\t${await ownPods(object, selector, tools)}`);
  writePodTemplate(w, recordAt(object, 'spec', 'template'));
  writeConditionTable(w, recordsAt(object, 'status', 'conditions'));
  await writeEvents(w, object, tools);
};

function writeConditionTable(w: DescribeWriter, conditions: readonly Fields[]): void {
  if (conditions.length === 0) return;
  w.write(0, 'Conditions:');
  w.write(1, 'Type\tStatus\tReason');
  w.write(1, '----\t------\t------');
  for (const one of conditions)
    w.write(1, `${textAt(one, 'type')} \t${textAt(one, 'status')}\t${textAt(one, 'reason')}`);
}

export const describeStatefulSet: Describer = async (object, w, tools) => {
  writeNameLines(w, object);
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(object, 'metadata', 'creationTimestamp'))}`);
  w.write(0, `Selector:\t${selectorText(object)}`);
  writeMeta(w, object);
  w.write(0, `Replicas:\t${count(object, 'spec', 'replicas')} desired | ${count(object, 'status', 'replicas')} total`);
  w.write(0, `Update Strategy:\t${textAt(object, 'spec', 'updateStrategy', 'type')}`);
  const partition = numberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
  if (partition !== undefined) w.write(1, `Partition:\t${partition}`);
  w.write(0, `Pods Status:\t${await ownPods(object, selectorText(object), tools)}`);
  writePodTemplate(w, recordAt(object, 'spec', 'template'));
  writeClaims(w, recordsAt(object, 'spec', 'volumeClaimTemplates'));
  await writeEvents(w, object, tools);
};

function writeClaims(w: DescribeWriter, claims: readonly Fields[]): void {
  if (claims.length === 0) {
    w.write(0, 'Volume Claims:\t<none>');
    return;
  }
  w.write(0, 'Volume Claims:');
  for (const claim of claims) {
    w.write(1, `Name:\t${textAt(claim, 'metadata', 'name')}`);
    w.write(1, `StorageClass:\t${textAt(claim, 'spec', 'storageClassName')}`);
    writeLabels(w, 'Labels', stringMapAt(claim, 'metadata', 'labels'), { indent: '  ' });
    writeAnnotations(w, 'Annotations', stringMapAt(claim, 'metadata', 'annotations'), { indent: '  ' });
    const storage = textAt(claim, 'spec', 'resources', 'requests', 'storage');
    w.write(1, `Capacity:\t${storage || '<default>'}`);
    w.write(1, `Access Modes:\t[${textsAt(claim, 'spec', 'accessModes').join(' ')}]`);
  }
}

export const describeDaemonSet: Describer = async (object, w, tools) => {
  const status = recordAt(object, 'status');
  writeNameLines(w, object);
  w.write(0, `Selector:\t${selectorText(object)}`);
  w.write(
    0,
    `Node-Selector:\t${formatMap(stringMapAt(object, 'spec', 'template', 'spec', 'nodeSelector')) || '<none>'}`,
  );
  writeMeta(w, object);
  w.write(0, `Desired Number of Nodes Scheduled: ${count(status, 'desiredNumberScheduled')}`);
  w.write(0, `Current Number of Nodes Scheduled: ${count(status, 'currentNumberScheduled')}`);
  w.write(0, `Number of Nodes Scheduled with Up-to-date Pods: ${count(status, 'updatedNumberScheduled')}`);
  w.write(0, `Number of Nodes Scheduled with Available Pods: ${count(status, 'numberAvailable')}`);
  w.write(0, `Number of Nodes Misscheduled: ${count(status, 'numberMisscheduled')}`);
  w.write(0, `Pods Status:\t${await ownPods(object, selectorText(object), tools)}`);
  writePodTemplate(w, recordAt(object, 'spec', 'template'));
  await writeEvents(w, object, tools);
};

export const describeJob: Describer = async (object, w, tools) => {
  const [spec, status] = [recordAt(object, 'spec'), recordAt(object, 'status')];
  writeNameLines(w, object);
  if (spec['selector']) w.write(0, `Selector:\t${selectorText(object)}`);
  writeMeta(w, object);
  writeController(w, recordAt(object, 'metadata'));
  if (spec['parallelism'] !== undefined) w.write(0, `Parallelism:\t${textAt(spec, 'parallelism')}`);
  w.write(0, `Completions:\t${textAt(spec, 'completions') || '<unset>'}`);
  w.optional(0, 'Completion Mode', textAt(spec, 'completionMode'));
  if (spec['suspend'] !== undefined) w.write(0, `Suspend:\t${textAt(spec, 'suspend')}`);
  w.optional(0, 'Backoff Limit', textAt(spec, 'backoffLimit'));
  w.optional(0, 'TTL Seconds After Finished', textAt(spec, 'ttlSecondsAfterFinished'));
  w.optional(0, 'Start Time', formatTimestamp(textAt(status, 'startTime')));
  w.optional(0, 'Completed At', formatTimestamp(textAt(status, 'completionTime')));
  const [started, completed] = [Date.parse(textAt(status, 'startTime')), Date.parse(textAt(status, 'completionTime'))];
  if (!Number.isNaN(started) && !Number.isNaN(completed)) {
    const { formatHumanDuration } = await import('@coracle/apimachinery');
    w.write(0, `Duration:\t${formatHumanDuration(completed - started)}`);
  }
  const deadline = textAt(spec, 'activeDeadlineSeconds');
  if (deadline !== '') w.write(0, `Active Deadline Seconds:\t${deadline}s`);
  const ready = status['ready'] === undefined ? '' : ` (${count(status, 'ready')} Ready)`;
  w.write(
    0,
    `Pods Statuses:\t${count(status, 'active')} Active${ready} / ${count(status, 'succeeded')} Succeeded / ${count(status, 'failed')} Failed`,
  );
  if (textAt(spec, 'completionMode') === 'Indexed')
    w.write(0, `Completed Indexes:\t${textAt(status, 'completedIndexes') || '<none>'}`);
  writePodTemplate(w, recordAt(spec, 'template'));
  await writeEvents(w, object, tools);
};

export const describeCronJob: Describer = async (object, w, tools) => {
  const spec = recordAt(object, 'spec');
  const job = recordAt(spec, 'jobTemplate', 'spec');
  writeNameLines(w, object);
  writeMeta(w, object);
  w.write(0, `Schedule:\t${textAt(spec, 'schedule')}`);
  w.write(0, `Concurrency Policy:\t${textAt(spec, 'concurrencyPolicy')}`);
  w.write(0, `Suspend:\t${spec['suspend'] === true ? 'True' : spec['suspend'] === false ? 'False' : '<unset>'}`);
  w.write(0, `Time Zone:\t${textAt(spec, 'timeZone') || '<unset>'}`);
  w.write(0, `Successful Job History Limit:\t${textAt(spec, 'successfulJobsHistoryLimit') || '<unset>'}`);
  w.write(0, `Failed Job History Limit:\t${textAt(spec, 'failedJobsHistoryLimit') || '<unset>'}`);
  const deadline = textAt(spec, 'startingDeadlineSeconds');
  w.write(0, `Starting Deadline Seconds:\t${deadline === '' ? '<unset>' : `${deadline}s`}`);
  w.write(0, `Selector:\t${job['selector'] ? formatSelector(recordAt(job, 'selector')) : '<unset>'}`);
  w.write(0, `Parallelism:\t${textAt(job, 'parallelism') || '<unset>'}`);
  w.write(0, `Completions:\t${textAt(job, 'completions') || '<unset>'}`);
  const active = textAt(job, 'activeDeadlineSeconds');
  if (active !== '') w.write(0, `Active Deadline Seconds:\t${active}s`);
  writePodTemplate(w, recordAt(job, 'template'));
  w.write(0, `Last Schedule Time:\t${formatTimestamp(textAt(object, 'status', 'lastScheduleTime')) || '<unset>'}`);
  const jobs = recordsAt(object, 'status', 'active').map((one) => textAt(one, 'name'));
  w.write(0, `Active Jobs:\t${jobs.length === 0 ? '<none>' : jobs.join(', ')}`);
  await writeEvents(w, object, tools);
};
