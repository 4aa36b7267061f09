import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { useMemo, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import type { TableSpec } from '../data/messages.js';
import { refs } from '../data/refs.js';
import { may } from '../model/access-rules.js';
import { chosenColumns, columnsOf } from '../model/columns.js';
import { podSelectorOf } from '../model/pod-containers.js';
import { sortOf } from '../model/sort.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';
import { kindPath, Link, objectPath } from './link.js';
import { useTable } from './use-table.js';
import { VirtualTable } from './virtual-table.js';

interface PodTableProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** Kinds whose `spec.selector` is one of pods. */
const selecting = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
  'Service',
  'PodDisruptionBudget',
]);

type Selection = Pick<TableSpec, 'namespace' | 'labelSelector' | 'fieldSelector'>;

/** Which pods belong to an object: those on a node, or those that it selects. */
function selectionOf({ kind, group }: ResourceInfo, object: KubeObject): Selection | undefined {
  const { name, namespace } = object.metadata;
  if (kind === 'Node' && group === '') return { fieldSelector: `spec.nodeName=${name}` };
  const labelSelector = selecting.has(kind) ? podSelectorOf(object) : undefined;
  return labelSelector ? { namespace, labelSelector } : undefined;
}

/** The pods of an object, as a live table. */
export function PodTable({ info, object }: PodTableProps) {
  const { access } = useCluster();
  const selection = selectionOf(info, object);
  return selection && may(access, 'list', refs.pods) ? <SelectedPods selection={selection} /> : null;
}

function SelectedPods({ selection }: { readonly selection: Selection }) {
  const w = useWords();
  const at = useRoute().query.get('at') ?? undefined;
  const [sort, setSort] = useState('');
  const [selected, setSelected] = useState<string | undefined>();
  const { namespace, labelSelector, fieldSelector } = selection;
  const spec = useMemo(
    () => ({ ref: refs.pods, namespace, labelSelector, fieldSelector, at }),
    [namespace, labelSelector, fieldSelector, at],
  );
  const { update, look } = useTable(spec, { search: '', sort: sortOf(sort) });
  const columns = useMemo(() => {
    const usual = ['Ready', 'Status', 'Restarts', 'Age', 'IP', ...(namespace ? ['Node'] : ['Namespace'])];
    return chosenColumns(columnsOf(update.columns, !namespace), update.columns, usual);
  }, [update.columns, namespace]);
  const list = kindPath('pods', { ns: namespace, label: labelSelector, field: fieldSelector });
  return (
    <section className="panel whole" aria-labelledby="pods">
      <h2 id="pods">
        <Link href={list}>
          {w.pods} ({update.total})
        </Link>
      </h2>
      {update.total === 0 && update.state.at !== 'loading' ? (
        <p className="dim">{w.noPodsSelected}</p>
      ) : (
        <div className="inner-table" style={{ height: (Math.min(update.total, 10) + 1) * 32 + 4 }}>
          <VirtualTable
            label={w.pods}
            columns={columns}
            update={update}
            sort={sortOf(sort)}
            onSort={setSort}
            onWindow={look}
            selected={selected}
            onSelect={setSelected}
            hrefOf={(row) => objectPath('pods', row.namespace, row.name)}
            kind="pods"
          />
        </div>
      )}
    </section>
  );
}
