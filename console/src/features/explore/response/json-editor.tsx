/** JSON to read: folded, searched with Ctrl+F, and rendered by lines, for responses of many megabytes. */
import { foldGutter } from '@codemirror/language';
import { search } from '@codemirror/search';
import { EditorState, EditorView, type Extension } from '@uiw/react-codemirror';
import { type RefObject, useMemo } from 'react';
import { Editor } from '../../../ui/editor/editor.tsx';
import { viewExtension } from '../editor/caret.ts';
import classes from './response.module.css';

const reading: Extension = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
  foldGutter(),
  search({ top: true }),
  EditorView.theme({
    '.cm-panels': { backgroundColor: 'var(--joinery-code)', color: 'inherit' },
    '.cm-panels-top': { borderBottom: '1px solid var(--joinery-line)' },
    '.cm-panel.cm-search': { fontSize: '0.875rem' },
    '.cm-textfield, .cm-button': {
      backgroundImage: 'none',
      backgroundColor: 'var(--joinery-surface)',
      border: '1px solid var(--joinery-line)',
      borderRadius: 'var(--mantine-radius-sm)',
      color: 'inherit',
    },
  }),
];

interface JsonEditorProps {
  /** Formatted text. */
  readonly text: string;
  /** Name of the region. */
  readonly what: string;
  /** Set while the editor is shown. */
  readonly view: RefObject<EditorView | undefined>;
}

export function JsonEditor({ text, what, view }: JsonEditorProps) {
  const extensions = useMemo(() => [reading, viewExtension(view)], [view]);
  return (
    <section className={classes.json} aria-label={what}>
      <Editor
        fill
        label={`${what} as JSON`}
        height="100%"
        language="json"
        text={text}
        extensions={extensions}
        onChange={ignored}
      />
    </section>
  );
}

function ignored(): void {
  // The text is read only.
}
