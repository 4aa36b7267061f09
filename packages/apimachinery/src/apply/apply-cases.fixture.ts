import { expect, it } from 'vitest';
import type { StatusError } from '../status-error.js';
import { Story } from './story.fixture.js';
import { thingSchema } from './thing.fixture.js';

export type Step =
  | { readonly apply: object; readonly by: string; readonly force?: boolean }
  | { readonly update: object; readonly by: string };

export interface Case {
  readonly does: string;
  readonly steps: Step[];
  readonly gives?: object;
  readonly owners?: Record<string, object>;
  /** The fields of the conflict that the last step ends in. */
  readonly conflict?: string;
}

export const item = (name: string, rest: object = {}) => ({ name, ...rest });
export const owned = (name: string, fields: object = {}) => ({
  [`k:{"name":"${name}"}`]: { '.': {}, 'f:name': {}, ...fields },
});

/** Runs every case on an empty cluster and checks its result. */
export function runCases(cases: readonly Case[]): void {
  it.each(cases)('$does', ({ steps, gives, owners, conflict }) => {
    const story = new Story(thingSchema);
    const failure = play(story, steps);
    expect(failure?.message).toBe(conflict);
    if (gives) expect(story.content()).toEqual(gives);
    if (owners) expect(story.owners()).toEqual(owners);
  });
}

/** The error in which the steps end. */
export function play(story: Story, steps: readonly Step[]): StatusError | undefined {
  try {
    for (const step of steps) {
      if ('apply' in step) story.apply(step.by, step.apply, { force: step.force ?? false });
      else story.update(step.by, step.update);
    }
  } catch (error) {
    return error as StatusError;
  }
  return undefined;
}
