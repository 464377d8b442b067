/** The request of a relationship as GraphQL. Variables are keys of the owner. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { Editor } from '../../ui/editor/editor.tsx';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { sameDraft } from '../../ui/form/same-draft.ts';
import { graphqlText, type PathStep, readGraphql } from '../remote-fields/remote-path.ts';
import type { DefinitionDraft } from './definition-draft.ts';

interface GraphqlEditorProps {
  readonly draft: DefinitionDraft;
  readonly onChange: (part: Partial<DefinitionDraft>) => void;
}

export function GraphqlEditor({ draft, onChange }: GraphqlEditorProps) {
  const steps = stepsOf(draft);
  const [typed, setTyped] = useState(() => (steps.length === 0 ? '' : graphqlText(steps)));
  const read = typed.trim() === '' ? [] : readGraphql(typed);
  // The typed text stays while it has an error, and while it is the same value in another format.
  const text = read instanceof Unreadable || sameDraft(read, steps) ? typed : graphqlText(steps);
  const write = (changed: string): void => {
    setTyped(changed);
    const wanted = changed.trim() === '' ? [] : readGraphql(changed);
    if (!(wanted instanceof Unreadable)) onChange(partOf(draft, wanted));
  };
  return (
    <div>
      <Editor label="Request" height="auto" language={language} text={text} onChange={write} />
      <Text size="sm" mt={4} c={read instanceof Unreadable ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {read instanceof Unreadable
          ? `${read.reason} The form and the JSON have the last text without an error.`
          : 'Variables are keys of the owner. Clients select the fields of the result.'}
      </Text>
    </div>
  );
}

const language = { schema: undefined };

function stepsOf({ kind, path, action, arguments: given }: DefinitionDraft): readonly PathStep[] {
  if (kind === 'remote schema') return path;
  return action === '' ? [] : [{ field: action, arguments: given }];
}

/** An action has one field; deeper ones are left to clients. */
function partOf({ kind }: DefinitionDraft, steps: readonly PathStep[]): Partial<DefinitionDraft> {
  if (kind === 'remote schema') return { path: steps };
  const [call] = steps;
  return { action: call?.field ?? '', arguments: call?.arguments ?? {} };
}
