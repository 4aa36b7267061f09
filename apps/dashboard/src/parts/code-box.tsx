import { type KeyboardEventHandler, type ReactNode, type RefObject, useMemo } from 'react';

interface CodeBoxProps {
  readonly label: string;
  readonly text: string;
  /** Called with the line of the caret. */
  readonly onLine?: (line: number) => void;
  /** Called with the text and the place of the caret in it. */
  readonly onChange?: (text: string, caret: number) => void;
  readonly box?: RefObject<HTMLTextAreaElement | null>;
  readonly onKeyDown?: KeyboardEventHandler<HTMLTextAreaElement>;
  readonly onLeave?: () => void;
  /** A list of what may be written at the caret, by its id and that of the active one. */
  readonly list?: { readonly id: string; readonly active: string } | undefined;
  /** An overlay on the text. */
  readonly children?: ReactNode;
}

/** Text with numbered lines. It is a text field in any case, so that keys and screen readers find their way. */
export function CodeBox(props: CodeBoxProps) {
  const { label, text, onLine, onChange, box, onKeyDown, onLeave, list, children } = props;
  const lines = useMemo(() => text.split('\n'), [text]);
  const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 40), [lines]);
  const tell = (element: HTMLTextAreaElement) =>
    onLine?.(element.value.slice(0, element.selectionStart).split('\n').length - 1);
  return (
    <div className="code">
      <pre className="gutter" aria-hidden="true">
        {lines.map((_, index) => index + 1).join('\n')}
      </pre>
      <div className="code-text">
        <textarea
          ref={box}
          aria-label={label}
          aria-autocomplete={onKeyDown ? 'list' : undefined}
          aria-controls={list?.id}
          aria-activedescendant={list?.active}
          value={text}
          readOnly={!onChange}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          rows={lines.length + 1}
          cols={widest + 2}
          onChange={({ target }) => onChange?.(target.value, target.selectionStart)}
          onSelect={(event) => tell(event.currentTarget)}
          onKeyDown={onKeyDown}
          onBlur={onLeave}
        />
        {children}
      </div>
    </div>
  );
}
