/** A thing with things below it. */
export interface GraphNode {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly href?: string | undefined;
  readonly isSelf: boolean;
  readonly children: readonly GraphNode[];
}

export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly { readonly from: PlacedNode; readonly to: PlacedNode }[];
  readonly width: number;
  readonly height: number;
}

export const box = { width: 190, height: 42, gapX: 46, gapY: 10 };

/** From left to right by depth; each one in the middle of what it owns. */
export function layoutOf(root: GraphNode): Layout {
  const nodes: PlacedNode[] = [];
  const edges: { from: PlacedNode; to: PlacedNode }[] = [];
  let nextRow = 0;
  let deepest = 0;
  const place = (node: GraphNode, depth: number): PlacedNode => {
    deepest = Math.max(deepest, depth);
    const children = node.children.map((child) => place(child, depth + 1));
    const first = children[0];
    const last = children.at(-1);
    const y = first && last ? (first.y + last.y) / 2 : nextRow++ * (box.height + box.gapY);
    const placed = { node, x: depth * (box.width + box.gapX), y };
    nodes.push(placed);
    for (const to of children) edges.push({ from: placed, to });
    return placed;
  };
  place(root, 0);
  return {
    nodes,
    edges,
    width: (deepest + 1) * (box.width + box.gapX) - box.gapX,
    height: Math.max(1, nextRow) * (box.height + box.gapY) - box.gapY,
  };
}
