/**
 * Circles between folders. Below any folder, each of its subfolders stands for all files below it, and an import
 * between two of them is an edge; files that stand in the folder itself belong to none of them. Each circle is a list
 * of edges, with one import for each as evidence.
 *
 * @param {ReadonlyMap<string, readonly string[]>} imports file → the files that it imports, as paths with slashes
 * @returns {{ from: string, to: string, file: string, imported: string }[][]}
 */
export function folderCycles(imports) {
  /** Folder → subfolder → subfolder → an import. */
  const graphs = new Map();
  for (const [file, targets] of imports) {
    for (const imported of targets) {
      const edge = edgeOf(file, imported);
      if (!edge) continue;
      const graph = entryOf(graphs, edge.parent);
      const targetsOf = entryOf(graph, edge.from);
      if (!targetsOf.has(edge.to)) targetsOf.set(edge.to, { ...edge, file, imported });
    }
  }
  return [...graphs.values()].flatMap((graph) => cyclesOf(graph));
}

/** Undefined if both are in the same subfolder, or one of them is in none. */
function edgeOf(file, imported) {
  const from = file.split('/');
  const to = imported.split('/');
  let depth = 0;
  while (from[depth] === to[depth] && depth < from.length) depth++;
  if (depth >= from.length - 1 || depth >= to.length - 1) return undefined;
  const folder = (path) => path.slice(0, depth + 1).join('/');
  return { parent: from.slice(0, depth).join('/'), from: folder(from), to: folder(to) };
}

function entryOf(map, key) {
  if (!map.has(key)) map.set(key, new Map());
  return map.get(key);
}

/** One circle for each edge that closes one in a walk over the graph. */
function cyclesOf(graph) {
  const found = [];
  const done = new Set();
  const visit = (folder, trail) => {
    const start = trail.findIndex(({ from }) => from === folder);
    if (start >= 0) {
      found.push(trail.slice(start));
      return;
    }
    if (done.has(folder)) return;
    for (const edge of graph.get(folder)?.values() ?? []) visit(edge.to, [...trail, edge]);
    done.add(folder);
  };
  for (const folder of graph.keys()) visit(folder, []);
  return found.map((cycle) => cycle.map(({ from, to, file, imported }) => ({ from, to, file, imported })));
}
