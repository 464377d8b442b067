/** A text editor for GraphQL and JSON, whose style elements carry the nonce of the page. */
import { json } from '@codemirror/lang-json';
import { Text, useComputedColorScheme } from '@mantine/core';
import CodeMirror, { EditorView, type Extension, keymap, Prec } from '@uiw/react-codemirror';
import { graphql } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { type CSSProperties, useMemo, useRef } from 'react';
import { styleNonce } from '../shell/style-nonce.ts';
import classes from './explore.module.css';

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Ctrl or Cmd and Enter. */
  readonly onRun: () => void;
  /** CSS length. */
  readonly height: string;
  /** GraphQL is completed and checked with it once it is known; JSON has none. */
  readonly schema: GraphQLSchema | undefined | 'json';
}

/** The dark colours need a darker ground than they come with to be told from it. */
const ground: Extension = Prec.highest(
  EditorView.theme({
    '&': { backgroundColor: 'var(--editor-ground)', fontSize: '0.8125rem' },
    '&.cm-focused': { outline: 'none' },
    '.cm-gutters': { backgroundColor: 'var(--editor-ground)' },
  }),
);

export function Editor({ label, text, onChange, onRun, height, schema }: EditorProps) {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const latest = useRef(onRun);
  latest.current = onRun;
  const extensions = useMemo(
    () => [
      EditorView.cspNonce.of(styleNonce(document)),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.lineWrapping,
      ground,
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => runs(latest.current) }])),
      ...(schema === 'json' ? [json()] : graphql(schema, { showErrorOnInvalidSchema: false })),
    ],
    [label, schema],
  );
  const style = { '--editor-ground': scheme === 'dark' ? 'var(--joinery-code)' : 'var(--joinery-surface)' };
  return (
    <div>
      <Text size="sm" fw="var(--mantine-font-weight-medium)" mb={4} aria-hidden="true">
        {label}
      </Text>
      <div className={classes.editor} style={style as CSSProperties}>
        <CodeMirror
          value={text}
          height={height}
          theme={scheme}
          // Tab goes on to the next field: nobody is held in here.
          indentWithTab={false}
          basicSetup={{ highlightActiveLine: false, highlightActiveLineGutter: false, foldGutter: false }}
          extensions={extensions}
          onChange={onChange}
        />
      </div>
    </div>
  );
}

/** The key is taken: nothing else is done for it. */
function runs(perform: () => void): true {
  perform();
  return true;
}
