/** The code editor, loaded on demand. Its style elements carry the nonce of the page. */

import type { CompletionSource } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { keywordCompletionSource, PostgreSQL } from '@codemirror/lang-sql';
import { useComputedColorScheme } from '@mantine/core';
import CodeMirror, { EditorView, type Extension, keymap, Prec } from '@uiw/react-codemirror';
import { graphql } from 'cm6-graphql';
import { type CSSProperties, useMemo, useRef } from 'react';
import { editorColors } from './colors.ts';
import classes from './editor.module.css';
import type { EditorProps, Language } from './editor-props.ts';
import { markExtensions } from './marks.ts';
import { replaceSelection } from './replace-selection.ts';
import { sdlExtensions } from './sdl-extensions.ts';
import { styleNonce } from './style-nonce.ts';

/** The dark theme needs a darker background than its default for contrast. */
const ground: Extension = Prec.highest(
  EditorView.theme({
    '&': { backgroundColor: 'var(--editor-ground)', fontSize: '0.8125rem' },
    '&.cm-focused': { outline: 'none' },
    '.cm-gutters': { backgroundColor: 'var(--editor-ground)' },
  }),
);

export function CodeEditor(props: EditorProps) {
  const { label, text, onChange, onRun, height, fill = false, language, extensions: others, marks } = props;
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const latest = useRef(onRun);
  latest.current = onRun;
  const extensions = useMemo(
    () => [
      EditorView.cspNonce.of(styleNonce(document)),
      // Also marks the scrollable region as reachable by keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.lineWrapping,
      editorColors(scheme === 'dark'),
      ground,
      replaceSelection,
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => runs(latest.current) }])),
      ...extensionsOf(language),
      ...(marks === undefined ? [] : markExtensions(() => marks, 0)),
      ...(others === undefined ? [] : [others]),
    ],
    [label, language, marks, others, scheme],
  );
  const style = { '--editor-ground': scheme === 'dark' ? 'var(--joinery-code)' : 'var(--joinery-surface)' };
  return (
    <div className={fill ? classes.fill : classes.editor} style={style as CSSProperties}>
      <CodeMirror
        value={text}
        height={height}
        theme="none"
        // Tab moves to the next field, so that keyboard users can leave the editor.
        indentWithTab={false}
        basicSetup={{ highlightActiveLine: false, highlightActiveLineGutter: false, foldGutter: false }}
        extensions={extensions}
        onChange={onChange}
      />
    </div>
  );
}

const keywords = keywordCompletionSource(PostgreSQL);

/** Completes keywords, except after a dot, where a column or table follows. */
const completeKeyword: CompletionSource = (context) =>
  context.matchBefore(/\.\s*"?[\w$\u0080-\uffff]*$/) === null ? keywords(context) : null;

function extensionsOf(language: Language): Extension[] {
  if (language === 'json') return [json()];
  if (language === 'sql') return [PostgreSQL.language, PostgreSQL.language.data.of({ autocomplete: completeKeyword })];
  if (language === 'text') return [];
  if ('sdl' in language) return sdlExtensions(language.sdl);
  return graphql(language.schema, { showErrorOnInvalidSchema: false });
}

/** The key is consumed only when a handler exists. */
function runs(perform: (() => void) | undefined): boolean {
  perform?.();
  return perform !== undefined;
}
