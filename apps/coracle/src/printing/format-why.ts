/** The server's explanation of a pod; see `why-pod.ts` of the scheduler. */
export interface PodExplanation {
  readonly pod: string;
  readonly node?: string;
  readonly gates: readonly string[];
  readonly attempts: readonly { readonly at: string; readonly outcome: string; readonly text: string }[];
  readonly nodes: readonly {
    readonly node: string;
    readonly refusals: readonly { readonly plugin: string; readonly reasons: readonly string[] }[];
    readonly scores: Readonly<Record<string, number>>;
    readonly total: number;
  }[];
  readonly suggestions: readonly { readonly node: string; readonly changes: readonly string[] }[];
}

/** In a large cluster the best nodes say enough. */
const mostNodes = 20;

/** With the lines of `formatPodTrouble`, for a pod that has a node. */
export function formatWhy(explanation: PodExplanation, trouble: readonly string[] = []): string {
  const { pod, node, gates, attempts, nodes, suggestions } = explanation;
  const lines = [node ? `${pod} is on ${node}` : `${pod} is not scheduled`, ...trouble];
  if (gates.length > 0) lines.push(`  it is gated: ${gates.join(', ')}`);
  if (attempts.length > 0) lines.push('', 'Attempts:');
  for (const { at, outcome, text } of attempts) lines.push(`  ${at}  ${outcome}  ${text}`);
  lines.push('', 'Nodes:');
  for (const one of nodes.slice(0, mostNodes)) {
    if (one.refusals.length === 0)
      lines.push(`  ${one.node}  fits, ${Math.round(one.total)} points${pointsOf(one.scores)}`);
    for (const { plugin, reasons } of one.refusals) lines.push(`  ${one.node}  ${plugin}: ${reasons.join(', ')}`);
  }
  if (nodes.length > mostNodes) lines.push(`  … and ${nodes.length - mostNodes} more`);
  if (suggestions.length === 0 && !node) lines.push('', 'No simple change was found that would let it run.');
  if (suggestions.length > 0) lines.push('', 'It would run, as a simulation shows, if you:');
  for (const { node: where, changes } of suggestions) lines.push(`  - ${changes.join(' and ')} (then on ${where})`);
  return `${lines.join('\n')}\n`;
}

/** An event about an object that could not create its pods. */
export interface FailedCreation {
  readonly involvedObject: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
}

/** Why there is no pod of this name, or of the workload of this name; `undefined` if no event has a reason. */
export function formatMissing(pod: string, events: readonly FailedCreation[]): string | undefined {
  const [, name = ''] = pod.split('/');
  const isAbout = (owner = '') => owner === name || owner.startsWith(`${name}-`) || name.startsWith(`${owner}-`);
  // Every attempt has an event of its own, with another name of a pod in it: one says enough.
  const byOwner = new Map(
    events
      .filter(({ reason, involvedObject }) => reason === 'FailedCreate' && isAbout(involvedObject.name))
      .map(({ involvedObject, message }) => [`${involvedObject.kind} ${involvedObject.name}`, withoutPrefix(message)]),
  );
  if (byOwner.size === 0) return undefined;
  const lines = [...byOwner].map(([owner, message]) => `  ${owner}: ${message}`);
  return `${[`${pod} does not exist: its controller could not create it`, ...lines].join('\n')}\n`;
}

/** Without what the recorder of events puts before the message of one that stands for many. */
function withoutPrefix(message = ''): string {
  return message.replace(/^\(combined from similar events\): /, '');
}

function pointsOf(scores: Readonly<Record<string, number>>): string {
  const parts = Object.entries(scores).map(([plugin, points]) => `${plugin} ${Math.round(points)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
