/** A GraphQL response: its errors, and its body as JSON that is folded and searched, or as tables. */
import { openSearchPanel } from '@codemirror/search';
import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core';
import type { EditorView } from '@uiw/react-codemirror';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { printPretty } from '../../../api/exact-json.ts';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { SearchIcon } from '../../../ui/page/icons.tsx';
import { errorsIn, type ShownError } from '../run/runs.ts';
import { JsonEditor } from './json-editor.tsx';
import classes from './response.module.css';
import { ResponseTable } from './response-table.tsx';
import { tablesIn } from './table-data.ts';

interface BodyViewProps {
  /** Name of the region. */
  readonly what: string;
  readonly body: unknown;
  /** Status and figures. */
  readonly bar: ReactNode;
  /** Undefined for a result of a subscription. */
  readonly headers?: ReactNode;
}

export function BodyView({ what, body, bar, headers }: BodyViewProps) {
  const [chosen, setView] = useState<string>('JSON');
  const editor = useRef<EditorView | undefined>(undefined);
  const text = useMemo(() => (body === undefined ? '' : printPretty(body)), [body]);
  const tables = useMemo(() => tablesIn(body), [body]);
  const views = ['JSON', ...(tables.length === 0 ? [] : ['Table']), ...(headers === undefined ? [] : ['Headers'])];
  const view = views.includes(chosen) ? chosen : 'JSON';
  const errors = errorsIn(body);
  return (
    <div className={classes.pane}>
      <div className={classes.bar}>
        {bar}
        <SegmentedControl
          size="xs"
          ms="auto"
          aria-label="View of the response"
          data={views}
          value={view}
          onChange={setView}
        />
        {view === 'JSON' && (
          <Tooltip label="Search the response (Ctrl+F)">
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label="Search the response"
              onClick={() => editor.current && openSearchPanel(editor.current)}
            >
              <SearchIcon size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        <CopyButton text={text} what={what} />
      </div>
      {errors.length > 0 && <Errors errors={errors} />}
      <div className={classes.body}>
        {view === 'JSON' && <JsonEditor what={what} text={text} view={editor} />}
        {view === 'Table' && <ResponseTable tables={tables} />}
        {view === 'Headers' && headers}
      </div>
    </div>
  );
}

function Errors({ errors }: { readonly errors: readonly ShownError[] }) {
  return (
    <ul className={classes.errors} aria-label="Errors">
      {errors.map(({ message, code, path, hint }) => (
        <li key={`${message} ${path}`}>
          <div>{message}</div>
          {hint !== undefined && <div className={classes.hint}>{hint}</div>}
          <div className={classes.hint}>{[code, path].filter((part) => part !== undefined).join(' at ')}</div>
        </li>
      ))}
    </ul>
  );
}
