/** Editor extensions for SDL: syntax colors, underlined errors, completion of type names. */
import { linter } from '@codemirror/lint';
import { EditorState, EditorView, type Extension } from '@uiw/react-codemirror';
import { graphqlLanguageSupport } from 'cm6-graphql';
import type { SdlLanguage } from './editor-props.ts';

const TYPING_MS = 300;

/** The part of the completion context that is used. */
interface Completing {
  readonly explicit: boolean;
  matchBefore(pattern: RegExp): { readonly from: number; readonly text: string } | null;
}

export function sdlExtensions({ check, names }: SdlLanguage): Extension[] {
  const options = [
    ...names.map(({ name, kind }) => ({ label: name, type: 'type', detail: kind })),
    ...keywords.map((label) => ({ label, type: 'keyword' })),
  ];
  const complete = (context: Completing) => {
    const word = context.matchBefore(/[@_A-Za-z][_0-9A-Za-z]*/);
    if (word === null && !context.explicit) return null;
    const before = context.matchBefore(/[:=|&[]\s*[_A-Za-z]*/);
    if (word === null && before === null) return null;
    const from = word?.from ?? (before === null ? 0 : before.from + before.text.length);
    return { from, options, validFor: /^[@_A-Za-z][_0-9A-Za-z]*$/ };
  };
  return [
    graphqlLanguageSupport(),
    EditorState.languageData.of(() => [{ autocomplete: complete }]),
    linter((view) => check(view.state.doc.toString()).map((mark) => within(mark, view.state.doc.length)), {
      delay: TYPING_MS,
    }),
    underlines,
  ];
}

const keywords = ['type', 'input', 'enum', 'scalar', 'interface', 'union', 'implements', '@deprecated'];

/** The text can be shorter than when it was checked. */
function within<Marked extends { readonly from: number; readonly to: number }>(mark: Marked, length: number): Marked {
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
