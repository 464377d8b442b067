/** The operation editor below its toolbar. */

import { Autocomplete, Button, Checkbox, NativeSelect, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { EditorView } from '@uiw/react-codemirror';
import type { GraphQLSchema } from 'graphql';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { toFailure } from '../../../api/failure.ts';
import type { NamedOperation } from '../../../shared/graphql/operation-draft.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { PlayIcon } from '../../../ui/page/icons.tsx';
import type { DocPlace } from '../docs/search-index.ts';
import { useRoles } from '../request/use-role-schema.ts';
import type { Tab, TabContent } from '../tabs/tabs.ts';
import { caretExtension } from './caret.ts';
import classes from './editor.module.css';
import { hoverDocs } from './hover-docs.ts';

interface OperationPaneProps {
  readonly tab: Tab;
  readonly schema: GraphQLSchema | undefined;
  readonly operations: readonly NamedOperation[];
  /** The operation under the caret. */
  readonly operation: NamedOperation | undefined;
  readonly view: RefObject<EditorView | undefined>;
  readonly isRunning: boolean;
  /** Why the operation cannot be run. */
  readonly problem: string | undefined;
  readonly measure: boolean;
  readonly onMeasure: (measure: boolean) => void;
  /** Must be stable. */
  readonly onCaret: (offset: number) => void;
  readonly onChoose: (operation: NamedOperation) => void;
  readonly onChange: (changes: Partial<TabContent>) => void;
  readonly onRun: () => void;
  readonly onPrettify: () => void;
  readonly onCode: () => void;
  /** Must be stable. */
  readonly onDocs: (place: DocPlace) => void;
  /** Returns the address of the explorer with the operation. Throws Failure. */
  readonly link: () => Promise<string>;
}

export function OperationPane(props: OperationPaneProps) {
  const { tab, schema, operations, operation, view, onCaret, onDocs, onChange, onRun } = props;
  const language = useMemo(() => ({ schema }), [schema]);
  const variables = useRef(tab.variables);
  useEffect(() => {
    variables.current = tab.variables;
  }, [tab.variables]);
  const extensions = useMemo(
    () => [
      caretExtension(view, onCaret),
      ...(schema === undefined ? [] : [hoverDocs({ schema, classes, variables: () => variables.current, onDocs })]),
    ],
    [view, onCaret, schema, onDocs],
  );
  return (
    <div className={classes.pane}>
      <div className={classes.toolbar}>
        <RunButton {...props} />
        {operations.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Operation to run"
            data={operations.map(({ name, kind }, index) => ({
              value: String(index),
              label: name ?? `${kind} ${index + 1}`,
            }))}
            value={String(operation === undefined ? 0 : operations.indexOf(operation))}
            onChange={(event) => {
              const chosen = operations[Number(event.currentTarget.value)];
              if (chosen !== undefined) props.onChoose(chosen);
            }}
          />
        )}
        <RoleField role={tab.role} onChange={(role) => onChange({ role })} />
        <Button size="xs" variant="default" onClick={props.onPrettify}>
          Prettify
        </Button>
        <Button size="xs" variant="default" onClick={props.onCode}>
          Code
        </Button>
        <CopyLinkButton link={props.link} />
        <Checkbox
          size="xs"
          label="Measure queries"
          checked={props.measure}
          onChange={(event) => props.onMeasure(event.currentTarget.checked)}
        />
      </div>
      <div className={classes.content}>
        <Editor
          fill
          label="Operation"
          height="100%"
          language={language}
          extensions={extensions}
          text={tab.query}
          onChange={(query) => onChange({ query })}
          onRun={onRun}
        />
      </div>
    </div>
  );
}

function RunButton({ isRunning, problem, operations, operation, onRun }: OperationPaneProps) {
  const name = operations.length > 1 ? operation?.name : undefined;
  return (
    <ReasonButton
      size="xs"
      leftSection={<PlayIcon size={14} />}
      loading={isRunning && operation?.kind !== 'subscription'}
      reason={problem}
      title="Ctrl+Enter"
      onClick={onRun}
    >
      {name === undefined ? 'Run' : `Run ${name}`}
    </ReasonButton>
  );
}

function RoleField({ role, onChange }: { readonly role: string; readonly onChange: (role: string) => void }) {
  const roles = useRoles();
  return (
    <Autocomplete
      size="xs"
      w="9rem"
      aria-label="Role"
      placeholder="Role: admin"
      autoComplete="off"
      // Suggestions that arrive after the text would not be shown.
      disabled={roles === undefined}
      data={roles ?? []}
      value={role}
      onChange={onChange}
    />
  );
}

const COPIED_MS = 1_500;

function CopyLinkButton({ link }: Pick<OperationPaneProps, 'link'>) {
  const clipboard = useClipboard({ timeout: COPIED_MS });
  const copy = async (): Promise<void> => {
    try {
      clipboard.copy(await link());
    } catch (error) {
      notify({ title: 'The link was not copied', text: toFailure(error).message });
    }
  };
  return (
    <Tooltip label="With variables, role and session variables, without headers">
      <Button size="xs" variant="default" onClick={() => void copy()}>
        {clipboard.copied ? 'Copied' : 'Copy link'}
      </Button>
    </Tooltip>
  );
}
