import { useMemo } from 'react';

interface CodeBoxProps {
  readonly label: string;
  readonly text: string;
  /** Called with the line of the caret. */
  readonly onLine?: (line: number) => void;
  readonly onChange?: (text: string) => void;
}

/** Text with numbered lines. It is a text field in any case, so that keys and screen readers find their way. */
export function CodeBox({ label, text, onLine, onChange }: CodeBoxProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 40), [lines]);
  const tell = (element: HTMLTextAreaElement) =>
    onLine?.(element.value.slice(0, element.selectionStart).split('\n').length - 1);
  return (
    <div className="code">
      <pre className="gutter" aria-hidden="true">
        {lines.map((_, index) => index + 1).join('\n')}
      </pre>
      <textarea
        aria-label={label}
        value={text}
        readOnly={!onChange}
        spellCheck={false}
        autoCapitalize="off"
        rows={lines.length + 1}
        cols={widest + 2}
        onChange={(event) => onChange?.(event.target.value)}
        onSelect={(event) => tell(event.currentTarget)}
      />
    </div>
  );
}
