import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import type { KindSchema } from '../data/field-help.js';
import { indentAfter, type Suggestion, suggestionsAt, yamlPositionAt } from '../model/yaml-completion.js';
import { useWords } from '../words/use-words.js';
import { CodeBox } from './code-box.js';

interface YamlEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Called with the line of the caret. */
  readonly onLine: (line: number) => void;
  /** The schema that a place in the text has: there may be several objects in it. */
  readonly schemaAt: (caret: number) => KindSchema | undefined;
}

/** What is offered, and the place for which it is. */
interface Offer {
  readonly suggestions: readonly Suggestion[];
  readonly from: number;
  readonly chosen: number;
}

/** A text field for YAML that offers the fields and values of the schema: by typing, or by Ctrl+Space. */
export function YamlEditor({ text, onChange, onLine, schemaAt }: YamlEditorProps) {
  const w = useWords();
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [offer, setOffer] = useState<Offer | undefined>();
  const offerAt = (value: string, caret: number, isRequested: boolean) => {
    const position = yamlPositionAt(value, caret);
    const schema = schemaAt(caret);
    const mayOffer = position && schema && (isRequested || position.prefix !== '');
    const suggestions = mayOffer ? suggestionsAt(position, schema.at(position.path)) : [];
    setOffer(suggestions.length > 0 && position ? { suggestions, from: position.from, chosen: 0 } : undefined);
  };
  const accept = (suggestion: Suggestion, from: number) => {
    const element = box.current;
    if (!element) return;
    write(element, suggestion.insert, from);
    setOffer(undefined);
    // After a name its values are next, or the fields inside it.
    offerAt(element.value, element.selectionStart, true);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { currentTarget: element } = event;
    const isSpace = event.key === ' ' && (event.ctrlKey || event.metaKey);
    if (isSpace) offerAt(element.value, element.selectionStart, true);
    else if (offer && moveIn(offer, event.key)) setOffer(moveIn(offer, event.key));
    else if (offer && event.key === 'Escape') setOffer(undefined);
    else if (offer && (event.key === 'Enter' || event.key === 'Tab')) {
      const suggestion = offer.suggestions[offer.chosen];
      if (suggestion) accept(suggestion, offer.from);
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing)
      write(element, `\n${indentAfter(element.value, element.selectionStart)}`, element.selectionStart);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <CodeBox
      label="YAML"
      text={text}
      onLine={onLine}
      onChange={(value, caret) => {
        onChange(value);
        offerAt(value, caret, false);
      }}
      box={box}
      onKeyDown={onKeyDown}
      onLeave={() => setOffer(undefined)}
      list={offer && { id, active: `${id}-${offer.chosen}` }}
    >
      <span className="hidden-visually" role="status">
        {offer ? w.suggestionCount(offer.suggestions.length) : ''}
      </span>
      {offer && <Suggestions id={id} offer={offer} text={text} onChoose={(one) => accept(one, offer.from)} />}
    </CodeBox>
  );
}

function moveIn(offer: Offer, key: string): Offer | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
  const step = steps[key];
  if (!step) return undefined;
  const last = offer.suggestions.length - 1;
  return { ...offer, chosen: Math.max(0, Math.min(last, offer.chosen + step)) };
}

/** Replaces the text from `from` to the caret, as an edit of the browser, so that it can be undone. */
function write(element: HTMLTextAreaElement, text: string, from: number): void {
  element.setSelectionRange(from, element.selectionEnd);
  document.execCommand('insertText', false, text);
}

function showChosen(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

interface SuggestionsProps {
  readonly id: string;
  readonly offer: Offer;
  readonly text: string;
  readonly onChoose: (suggestion: Suggestion) => void;
}

function Suggestions({ id, offer, text, onChoose }: SuggestionsProps) {
  const w = useWords();
  const list = useRef<HTMLDivElement>(null);
  // Near the edge of the screen the list would be out of sight.
  useLayoutEffect(() => {
    list.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  const before = text.slice(0, offer.from).split('\n');
  const style = { '--row': before.length, '--column': before.at(-1)?.length ?? 0 } as React.CSSProperties;
  return (
    <div ref={list} className="suggestions listbox" role="listbox" id={id} aria-label={w.suggestions} style={style}>
      {offer.suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field takes the keys.
        <div
          key={suggestion.name}
          id={`${id}-${index}`}
          ref={index === offer.chosen ? showChosen : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={index === offer.chosen}
          // The text field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          <span>
            {suggestion.name}
            {suggestion.isRequired && '*'}
          </span>
          <span className="dim">{suggestion.detail}</span>
        </div>
      ))}
    </div>
  );
}
