export interface Trace {
  readonly subject: string;
  /** First the steps of the objects that created it, then its own. */
  readonly chapters: readonly Chapter[];
}

interface Chapter {
  readonly subject: string;
  readonly steps: readonly TraceStep[];
}

interface TraceStep {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly details?: Readonly<Record<string, string | number>>;
}

/** A line for each step: the milliseconds since the first one, its name, and its attributes. */
export function formatTrace({ subject, chapters }: Trace): string {
  const first = chapters[0]?.steps[0];
  if (!first) return `${subject}: no steps are known; the pod may be older than this server, or have never been\n`;
  const texts = chapters.map((chapter) => formatChapter(chapter, first.at));
  return `${subject}, from ${new Date(first.at).toISOString()}\n${texts.join('')}`;
}

function formatChapter({ subject, steps }: Chapter, since: number): string {
  return `${subject}\n${steps.map((step) => formatStep(step, since)).join('')}`;
}

function formatStep({ name, at, details = {} }: TraceStep, since: number): string {
  const parts = Object.entries(details).map(([key, value]) => `${key}=${value}`);
  return `${String(at - since).padStart(8)} ms  ${[name.padEnd(24), ...parts].join(' ').trimEnd()}\n`;
}
