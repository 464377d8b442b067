/** Generates the SDL of an action from a GraphQL operation. */
import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { useAdminSchema } from '../../../shared/graphql/use-admin-schema.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { sentence } from '../../../ui/format.ts';
import { type Derived, deriveAction } from './derive.ts';

interface DeriveFromOperationProps {
  readonly onDerived: (derived: Derived) => void;
}

export function DeriveFromOperation({ onDerived }: DeriveFromOperationProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const { schema, language } = useAdminSchema();
  const derive = (): void => {
    if (schema.data === undefined) return;
    const derived = deriveAction(text, schema.data);
    setProblem('problem' in derived ? derived.problem : undefined);
    if (!('problem' in derived)) onDerived(derived);
  };
  return (
    <Stack gap="sm">
      {schema.error !== null && (
        <FailureNotice
          title="The schema could not be read"
          failure={toFailure(schema.error)}
          onRetry={schema.refetch}
        />
      )}
      <Editor label="Operation" height="9rem" language={language} text={text} onChange={setText} onRun={derive} />
      <Text size="sm" c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
        {problem === undefined
          ? 'A query or mutation of this service with one field: its variables become arguments, its selection the output.'
          : sentence(problem)}
      </Text>
      <Group>
        <ReasonButton
          variant="default"
          reason={
            text.trim() === ''
              ? 'Enter an operation.'
              : schema.data === undefined
                ? 'The schema is being read.'
                : undefined
          }
          onClick={derive}
        >
          Write the action
        </ReasonButton>
      </Group>
    </Stack>
  );
}
