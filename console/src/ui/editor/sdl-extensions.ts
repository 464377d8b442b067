/** Editor extensions for SDL: syntax colors, underlined errors, completion of type names. */
import { EditorState, type Extension } from '@uiw/react-codemirror';
import { graphqlLanguageSupport } from 'cm6-graphql';
import type { SdlLanguage } from './editor-props.ts';
import { markExtensions } from './marks.ts';

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
    ...markExtensions(check, TYPING_MS),
  ];
}

const keywords = ['type', 'input', 'enum', 'scalar', 'interface', 'union', 'implements', '@deprecated'];
