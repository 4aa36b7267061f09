import { describe, expect, test } from 'vitest';
import { DependencyGraph } from './dependency-graph.js';
import { drawGraph } from './draw-graph.js';

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' };
const pods = { apiVersion: 'v1', kind: 'Pod' };

function graphOf(): DependencyGraph {
  const quiet = { attemptToDelete() {}, attemptToOrphan() {}, invalidNamespace() {} };
  const graph = new DependencyGraph(quiet);
  graph.observe(deployments, { metadata: { name: 'web', namespace: 'n', uid: 'd' } });
  const owner = { ...deployments, name: 'web', uid: 'd' };
  graph.observe(pods, {
    metadata: { name: 'p', namespace: 'n', uid: 'p', ownerReferences: [owner], deletionTimestamp: 'now' },
  });
  const gone = { ...deployments, name: 'gone', uid: 'g' };
  graph.observe(pods, { metadata: { name: 'q', namespace: 'n', uid: 'q', ownerReferences: [gone] } });
  graph.observe(pods, { metadata: { name: 'alone', namespace: 'n', uid: 'a' } });
  return graph;
}

describe('GC-8 the graph as a drawing', () => {
  test('has what owns or is owned, with its state', () => {
    const { contentType, text } = drawGraph(graphOf(), []);
    expect(contentType).toBe('text/vnd.graphviz');
    expect(text.split('\n')[0]).toBe('strict digraph full {');
    const drawn = [...text.matchAll(/ name="(\w+)"/g)].map(([, name]) => name);
    expect(drawn).toEqual(['web', 'p', 'q', 'gone']);
    expect(
      [...text.matchAll(/(\d+) -> (\d+);/g)].map(([, from, to]) => [drawn[Number(from)], drawn[Number(to)]]),
    ).toEqual([
      ['p', 'web'],
      ['q', 'gone'],
    ]);
    expect(text).toContain('label="uid=p\nnamespace=n\nPod.v1/p\nbeingDeleted\n"');
    expect(text).toContain('label="uid=g\nnamespace=n\nDeployment.v1.apps/gone\nvirtual\n"');
  });

  test('can be of one object and the objects related to it', () => {
    const { text } = drawGraph(graphOf(), ['p', 'nowhere']);
    expect([...text.matchAll(/ uid="(\w+)"/g)].map(([, uid]) => uid).sort()).toEqual(['d', 'p']);
  });
});
