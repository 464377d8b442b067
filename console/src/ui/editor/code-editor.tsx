/** The code editor, loaded on demand. Its style elements carry the nonce of the page. */
import { json } from '@codemirror/lang-json';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { useComputedColorScheme } from '@mantine/core';
import CodeMirror, { EditorView, type Extension, keymap, Prec } from '@uiw/react-codemirror';
import { graphql } from 'cm6-graphql';
import { type CSSProperties, useMemo, useRef } from 'react';
import classes from './editor.module.css';
import type { EditorProps, Language } from './editor-props.ts';
import { markExtensions } from './marks.ts';
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

export function CodeEditor({ label, text, onChange, onRun, height, language, marks }: EditorProps) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const latest = useRef(onRun);
  latest.current = onRun;
  const extensions = useMemo(
    () => [
      EditorView.cspNonce.of(styleNonce(document)),
      // Also marks the scrollable region as reachable by keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.lineWrapping,
      ground,
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => runs(latest.current) }])),
      ...extensionsOf(language),
      ...(marks === undefined ? [] : markExtensions(() => marks, 0)),
    ],
    [label, language, marks],
  );
  const style = { '--editor-ground': scheme === 'dark' ? 'var(--joinery-code)' : 'var(--joinery-surface)' };
  return (
    <div className={classes.editor} style={style as CSSProperties}>
      <CodeMirror
        value={text}
        height={height}
        theme={scheme}
        // Tab moves to the next field, so that keyboard users can leave the editor.
        indentWithTab={false}
        basicSetup={{ highlightActiveLine: false, highlightActiveLineGutter: false, foldGutter: false }}
        extensions={extensions}
        onChange={onChange}
      />
    </div>
  );
}

function extensionsOf(language: Language): Extension[] {
  if (language === 'json') return [json()];
  if (language === 'sql') return [sql({ dialect: PostgreSQL })];
  if (language === 'text') return [];
  if ('sdl' in language) return sdlExtensions(language.sdl);
  return graphql(language.schema, { showErrorOnInvalidSchema: false });
}

/** The key is consumed only when a handler exists. */
function runs(perform: (() => void) | undefined): boolean {
  perform?.();
  return perform !== undefined;
}
