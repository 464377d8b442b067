/** The texts of a request with their errors and completions. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@uiw/react-codemirror';
import type { GraphQLSchema } from 'graphql';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { metadataOf, useMetadata } from '../../../api/metadata.ts';
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';
import { knownNames } from '../../../shared/roles/known-names.ts';
import type { Tab } from '../tabs/tabs.ts';
import type { RequestPart } from './request-pane.tsx';
import type { SentHeaders } from './sent-headers.ts';
import { expectedVariables, variableMarks } from './variable-check.ts';
import { completeVariables } from './variable-completion.ts';

interface RequestParts {
  readonly panes: Readonly<Record<'variables' | 'headers' | 'session', RequestPart>>;
  /** Whether the variables cannot be sent. */
  readonly hasErrors: boolean;
}

export function useRequestParts(
  { query, variables, headers, session }: Tab,
  sent: SentHeaders,
  operation: NamedOperation | undefined,
  schema: GraphQLSchema | undefined,
): RequestParts {
  const from = operation?.from;
  const expected = useMemo(
    () => (operation?.from === from ? expectedVariables(query, operation, schema) : undefined),
    [query, operation, from, schema],
  );
  const marks = useMemo(() => variableMarks(variables, expected), [variables, expected]);
  const completion = useMemo(
    () =>
      completes(({ state, pos }) => {
        const found = completeVariables(state.doc.toString(), pos, expected ?? []);
        if (found === undefined) return null;
        const options = found.options.map(({ label, detail, insert }) => ({
          label,
          detail,
          apply: replaceWord(insert),
        }));
        return { from: found.from, options, filter: false };
      }),
    [expected],
  );
  const names = useHeaderNames();
  const hasErrors = marks.some(({ severity }) => severity === 'error');
  return {
    hasErrors,
    panes: {
      variables: { text: variables, marks, extensions: completion },
      headers: { text: headers, marks: sent.headerMarks, extensions: names.headers },
      session: { text: session, marks: sent.sessionMarks, extensions: names.session },
    },
  };
}

function completes(complete: (context: CompletionContext) => CompletionResult | null): Extension {
  return EditorState.languageData.of(() => [{ autocomplete: complete }]);
}

/** Also replaces the quote that the editor closed. */
function replaceWord(insert: string) {
  return (
    view: Parameters<Exclude<CompletionResult['options'][number]['apply'], string | undefined>>[0],
    _: unknown,
    from: number,
    to: number,
  ): void => {
    const quote = view.state.sliceDoc(from, from + 1) === '"' && view.state.sliceDoc(to, to + 1) === '"' ? 1 : 0;
    view.dispatch({ changes: { from, to: to + quote, insert }, selection: { anchor: from + insert.length } });
  };
}

const usualHeaders = ['Authorization', 'traceparent', 'Accept-Language'];

/** Completion of the names at the start of a line. */
function useHeaderNames() {
  const { headerPrefix } = useClient();
  const { data } = useMetadata(metadataOf);
  return useMemo(() => {
    const { variables } = knownNames(data, headerPrefix);
    const short = variables
      .map((name) => name.slice(headerPrefix.length).toLowerCase())
      .filter((name) => name !== 'role');
    return {
      headers: completes((context) => namesAt(context, [...usualHeaders, ...variables])),
      session: completes((context) => namesAt(context, short)),
    };
  }, [data, headerPrefix]);
}

function namesAt(context: CompletionContext, names: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/[\w-]*/);
  if (word === null || context.state.doc.lineAt(context.pos).from !== word.from) return null;
  if (word.text === '' && !context.explicit) return null;
  return { from: word.from, options: names.map((label) => ({ label, apply: `${label}: `, type: 'property' })) };
}
