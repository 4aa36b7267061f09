import { Component, type ReactNode } from 'react';
import { useWords } from '../words/use-words.js';
import { ErrorNote } from './error-note.js';

interface PageBoundaryProps {
  readonly children: ReactNode;
}

/**
 * Contains errors of one page. A part of the page that cannot be loaded usually belongs to an older build: the server
 * was updated, and a reload loads the new one.
 */
export class PageBoundary extends Component<PageBoundaryProps, { readonly failure: string | undefined }> {
  override state = { failure: undefined };

  static getDerivedStateFromError(error: unknown): { readonly failure: string } {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    return this.state.failure === undefined ? this.props.children : <Failed message={this.state.failure} />;
  }
}

function Failed({ message }: { readonly message: string }) {
  const w = useWords();
  return (
    <div className="page">
      <ErrorNote message={message} advice={w.reloadAdvice} />
      <div>
        <button type="button" className="button" onClick={() => location.reload()}>
          {w.reload}
        </button>
      </div>
    </div>
  );
}
