import { recordAt, recordsAt, textAt, textsAt } from '../values.js';
import { type Describer, writeEvents } from './tools.js';
import { formatTimestamp, writeHead } from './writer.js';

export const describeServiceCidr: Describer = async (object, w, tools) => {
  writeHead(w, object, { namespaced: false });
  w.write(0, `CIDRs:\t${textsAt(object, 'spec', 'cidrs').join(', ')}`);
  const conditions = recordsAt(object, 'status', 'conditions');
  if (conditions.length > 0) {
    w.write(0, 'Status:');
    w.write(0, 'Conditions:');
    w.write(1, 'Type\tStatus\tLastTransitionTime\tReason\tMessage');
    w.write(1, '----\t------\t------------------\t------\t-------');
    for (const one of conditions) {
      const since = formatTimestamp(textAt(one, 'lastTransitionTime'));
      w.write(
        1,
        `${textAt(one, 'type')}\t${textAt(one, 'status')}\t${since}\t${textAt(one, 'reason')}\t${textAt(one, 'message')}`,
      );
    }
  }
  await writeEvents(w, object, tools);
};

export const describeIpAddress: Describer = async (object, w, tools) => {
  writeHead(w, object, { namespaced: false });
  const parent = recordAt(object, 'spec', 'parentRef');
  if (Object.keys(parent).length > 0) {
    w.write(0, 'Parent Reference:');
    w.write(1, `Group:\t${textAt(parent, 'group')}`);
    w.write(1, `Resource:\t${textAt(parent, 'resource')}`);
    w.write(1, `Namespace:\t${textAt(parent, 'namespace')}`);
    w.write(1, `Name:\t${textAt(parent, 'name')}`);
  }
  await writeEvents(w, object, tools);
};
