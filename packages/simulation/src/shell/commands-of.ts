import { type Command, literalOf, type Script, type Word } from './script.js';

/** The simple commands of a script, in no order; a word that depends on variables is `undefined`. */
export function commandsOf(script: Script): (string | undefined)[][] {
  return script.flatMap(({ stages }) =>
    stages.flatMap((stage) => [...within(stage), ...stage.redirections.flatMap(({ target }) => substituted([target]))]),
  );
}

/** The functions that a script defines. */
export function functionsOf(script: Script): string[] {
  return script.flatMap(({ stages }) => stages.flatMap((stage) => (stage.kind === 'function' ? [stage.name] : [])));
}

function within(command: Command): (string | undefined)[][] {
  switch (command.kind) {
    case 'simple': {
      const values = command.assignments.map(({ value }) => value);
      const words = command.words.map(literalOf);
      return [...(words.length > 0 ? [words] : []), ...substituted([...values, ...command.words])];
    }
    case 'if':
      return [
        ...command.branches.flatMap(({ condition, body }) => [...commandsOf(condition), ...commandsOf(body)]),
        ...commandsOf(command.otherwise),
      ];
    case 'loop':
      return [...commandsOf(command.condition), ...commandsOf(command.body)];
    case 'for':
      return [...substituted(command.items ?? []), ...commandsOf(command.body)];
    case 'case':
      return [...substituted([command.subject]), ...command.branches.flatMap(({ body }) => commandsOf(body))];
    case 'group':
      return commandsOf(command.body);
    case 'function':
      return within(command.body);
    default:
      return command satisfies never;
  }
}

/** The commands in the `$(…)` of words. */
function substituted(words: readonly Word[]): (string | undefined)[][] {
  return words.flatMap((word) =>
    word.flatMap((part) => {
      if (part.kind === 'substitution') return commandsOf(part.script);
      if (part.kind === 'arithmetic') return substituted([part.expression]);
      return part.kind === 'parameter' && part.change ? substituted([part.change.word]) : [];
    }),
  );
}
