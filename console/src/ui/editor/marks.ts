/** Editor extensions that underline errors. */
import { linter } from '@codemirror/lint';
import { EditorView, type Extension } from '@uiw/react-codemirror';
import type { Mark } from './editor-props.ts';

/** `marksOf` is called `delay` milliseconds after a change of the text. */
export function markExtensions(marksOf: (text: string) => readonly Mark[], delay: number): Extension[] {
  return [
    linter(({ state }) => marksOf(state.doc.toString()).map((mark) => within(mark, state.doc.length)), { delay }),
    underlines,
  ];
}

/** The text can be shorter than when it was checked. */
function within(mark: Mark, length: number): Mark {
  const from = Math.min(mark.from, length);
  return { ...mark, from, to: Math.max(from, Math.min(mark.to, length)) };
}

/** The default underline is an image that is hard to see in the dark theme. */
const underlines = EditorView.theme({
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--mantine-color-error)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--joinery-string)',
    textUnderlineOffset: '3px',
  },
});
