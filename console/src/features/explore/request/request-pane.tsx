/** Variables, headers and session variables of a request, each in an editor that marks errors in place. */
import { Checkbox, Tabs } from '@mantine/core';
import type { Extension } from '@uiw/react-codemirror';
import { useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import type { Language, Mark } from '../../../ui/editor/editor-props.ts';
import { sentence } from '../../../ui/format.ts';
import classes from './request.module.css';

export interface RequestPart {
  readonly text: string;
  /** Must be stable while nothing changes. */
  readonly marks: readonly Mark[];
  readonly extensions?: Extension;
}

interface RequestPaneProps {
  readonly variables: RequestPart;
  readonly headers: RequestPart;
  readonly session: RequestPart;
  readonly sendsSecret: boolean;
  readonly onChange: (changes: {
    readonly variables?: string;
    readonly headers?: string;
    readonly session?: string;
    readonly sendsSecret?: boolean;
  }) => void;
  readonly onRun: () => void;
}

type Name = 'variables' | 'headers' | 'session';

const labels: Readonly<Record<Name, string>> = {
  variables: 'Variables',
  headers: 'Headers',
  session: 'Session variables',
};

const abouts: Readonly<Record<Name, string>> = {
  variables: 'A JSON object.',
  headers: 'One on each line, such as `Authorization: Bearer <token>`. They are sent as written.',
  session: 'One on each line, such as `user-id: 1`.',
};

export function RequestPane({ sendsSecret, onChange, onRun, ...parts }: RequestPaneProps) {
  const { headerPrefix, secretRequired, user } = useClient();
  const [shown, setShown] = useState<Name>('variables');
  const { text, marks, extensions } = parts[shown];
  const language: Language = shown === 'variables' ? 'json' : 'text';
  const own = useMemo(() => extensions, [extensions]);
  return (
    <Tabs
      className={classes.pane ?? ''}
      value={shown}
      onChange={(value) => setShown(value === 'headers' || value === 'session' ? value : 'variables')}
    >
      <div className={classes.bar}>
        <Tabs.List className={classes.list ?? ''} aria-label="Parts of the request">
          {(['variables', 'headers', 'session'] as const).map((name) => (
            <Tabs.Tab key={name} value={name} className={classes.tab ?? ''}>
              {labels[name]}
              <TabState part={parts[name]} />
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {secretRequired && (
          <Checkbox
            size="xs"
            label={user === undefined ? 'Send the admin secret' : 'Send the session of the console'}
            checked={sendsSecret}
            onChange={(event) => onChange({ sendsSecret: event.currentTarget.checked })}
          />
        )}
      </div>
      <Tabs.Panel value={shown} className={classes.panel ?? ''}>
        <Editor
          key={shown}
          fill
          label={labels[shown]}
          height="100%"
          language={language}
          text={text}
          marks={marks}
          {...(own !== undefined && { extensions: own })}
          onChange={(changed) => onChange({ [shown]: changed })}
          onRun={onRun}
        />
      </Tabs.Panel>
      <PartStatus
        marks={marks}
        about={shown === 'session' ? `${abouts.session} Sent as \`${headerPrefix}user-id\`.` : abouts[shown]}
      />
    </Tabs>
  );
}

function TabState({ part: { text, marks } }: { readonly part: RequestPart }) {
  if (marks.some(({ severity }) => severity === 'error')) {
    return <span className={classes.wrong} role="img" aria-label="has errors" />;
  }
  return text.trim() === '' ? null : <span className={classes.filled} role="img" aria-label="is not empty" />;
}

/** Shows the first errors and warnings, which screen readers announce. */
function PartStatus({ marks, about }: { readonly marks: readonly Mark[]; readonly about: string }) {
  const [first] = [...marks].sort((one, other) => severityOrder(one) - severityOrder(other));
  return (
    <div className={classes.status} role="status" data-severity={first?.severity}>
      {first === undefined ? about : sentence(first.message)}
      {marks.length > 1 && ` And ${marks.length - 1} more.`}
    </div>
  );
}

function severityOrder({ severity }: Mark): number {
  return severity === 'error' ? 0 : 1;
}
