import { type Fields, numberAt, recordAt, recordsAt, textAt } from '../values.js';
import { type Describer, writeEvents } from './tools.js';
import { type DescribeWriter, formatTimestamp, writeHead } from './writer.js';

export const describeAutoscaler: Describer = async (object, w, tools) => {
  const [spec, status] = [recordAt(object, 'spec'), recordAt(object, 'status')];
  const kind = textAt(spec, 'scaleTargetRef', 'kind');
  writeHead(w, object);
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(object, 'metadata', 'creationTimestamp'))}`);
  w.write(0, `Reference:\t${kind}/${textAt(spec, 'scaleTargetRef', 'name')}`);
  w.write(0, 'Metrics:\t( current / target )');
  const current = recordsAt(status, 'currentMetrics');
  recordsAt(spec, 'metrics').forEach((metric, i) => {
    w.write(1, metricLine(metric, current[i]));
  });
  w.write(0, `Min replicas:\t${textAt(spec, 'minReplicas') || '<unset>'}`);
  w.write(0, `Max replicas:\t${textAt(spec, 'maxReplicas')}`);
  if (spec['behavior']) {
    w.write(0, 'Behavior:');
    writeScalingRules(w, 'Scale Up', recordAt(spec, 'behavior', 'scaleUp'));
    writeScalingRules(w, 'Scale Down', recordAt(spec, 'behavior', 'scaleDown'));
  }
  const replicas = (field: string) => numberAt(status, field) ?? 0;
  w.write(0, `${kind} pods:\t${replicas('currentReplicas')} current / ${replicas('desiredReplicas')} desired`);
  writeConditions(w, recordsAt(status, 'conditions'));
  await writeEvents(w, object, tools);
};

function metricLine(metric: Fields, current: Fields | undefined): string {
  const type = textAt(metric, 'type');
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const [source, currentValues] = [recordAt(metric, field), recordAt(current, field, 'current')];
  const target = recordAt(source, 'target');
  const against = (value: string) => `${textAt(currentValues, value) || '<unknown>'} / ${textAt(target, value)}`;
  const name = JSON.stringify(textAt(source, 'metric', 'name'));
  const average = 'averageValue' in target;
  switch (type) {
    case 'Resource':
      return resourceLine(`resource ${textAt(source, 'name')} on pods`, target, currentValues);
    case 'ContainerResource':
      return resourceLine(
        `resource ${textAt(source, 'name')} of container "${textAt(source, 'container')}" on pods`,
        target,
        currentValues,
      );
    case 'Pods':
      return `${name} on pods:\t${against('averageValue')}`;
    case 'Object': {
      const on = `${textAt(source, 'describedObject', 'kind')}/${textAt(source, 'describedObject', 'name')}`;
      return `${name} on ${on} ${average ? averageText : valueText}:\t${against(average ? 'averageValue' : 'value')}`;
    }
    case 'External':
      return `${name} ${average ? averageText : valueText}:\t${against(average ? 'averageValue' : 'value')}`;
    default:
      return `<unknown metric type ${JSON.stringify(type)}>`;
  }
}

const averageText = '(target average value)';
const valueText = '(target value)';

function resourceLine(what: string, target: Fields, currentValues: Fields): string {
  const value = textAt(currentValues, 'averageValue');
  if ('averageValue' in target) return `${what}:\t${value || '<unknown>'} / ${textAt(target, 'averageValue')}`;
  const [now, utilization] = [textAt(currentValues, 'averageUtilization'), textAt(target, 'averageUtilization')];
  const shown = now === '' ? '<unknown>' : `${now}% (${value})`;
  return `${what}  (as a percentage of request):\t${shown} / ${utilization === '' ? '<auto>' : `${utilization}%`}`;
}

function writeScalingRules(w: DescribeWriter, direction: string, rules: Fields): void {
  if (Object.keys(rules).length === 0) return;
  w.write(1, `${direction}:`);
  const seconds = textAt(rules, 'stabilizationWindowSeconds');
  if (seconds !== '') w.write(2, `Stabilization Window: ${seconds} seconds`);
  const policies = recordsAt(rules, 'policies');
  if (policies.length === 0) return;
  w.write(2, `Select Policy: ${textAt(rules, 'selectPolicy') || 'Max'}`);
  w.write(2, 'Policies:');
  for (const policy of policies)
    w.write(
      3,
      `- Type: ${textAt(policy, 'type')}\tValue: ${textAt(policy, 'value')}\tPeriod: ${textAt(policy, 'periodSeconds')} seconds`,
    );
}

function writeConditions(w: DescribeWriter, conditions: readonly Fields[]): void {
  if (conditions.length === 0) return;
  w.write(0, 'Conditions:');
  w.write(1, 'Type\tStatus\tReason\tMessage');
  w.write(1, '----\t------\t------\t-------');
  for (const one of conditions)
    w.write(1, ['type', 'status', 'reason', 'message'].map((field) => textAt(one, field)).join('\t'));
}
