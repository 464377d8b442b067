/** The drawer of a function: its use in GraphQL, its definition, and forms that change and drop it. */
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { toFailure } from '../../../api/failure.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { DropFunctionForm, ReplaceFunctionForm } from '../structure/forms/function-forms.tsx';
import type { PresentFunction } from '../structure/sql/function-sql.ts';
import classes from '../structure/structure.module.css';
import type { ListedFunction } from './function-list.ts';
import { useDefinition } from './functions-api.ts';
import { Tracking } from './tracking.tsx';

export type FunctionView = 'details' | 'edit' | 'drop';

interface FunctionDetailsProps {
  readonly source: string;
  readonly found: ListedFunction;
  readonly roles: readonly string[];
  readonly view: FunctionView;
  readonly onView: (view: FunctionView) => void;
  readonly onClose: () => void;
}

export function FunctionDetails({ source, found, roles, view, onView, onClose }: FunctionDetailsProps) {
  const { called } = found;
  const { data: definition, error, refetch } = useDefinition(source, called);
  if (error !== null) {
    return <FailureNotice title="The definition could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (definition === undefined) return <Loading />;
  if (definition === null) return <Text size="sm">The function no longer exists.</Text>;
  const present: PresentFunction = { ...called, definition };
  const back = (): void => onView('details');
  if (view === 'edit') return <ReplaceFunctionForm source={source} called={present} onDone={onClose} onClose={back} />;
  if (view === 'drop') return <DropFunctionForm source={source} called={present} onDone={onClose} onClose={back} />;
  return (
    <Stack gap="lg">
      <DescriptionList
        facts={[
          ['Arguments', called.arguments === '' ? 'none' : called.arguments],
          ['Result', called.result ?? 'none: a procedure'],
          ['Language', called.language],
          ['Volatility', called.volatility ?? undefined],
          ['Comment', called.comment ?? undefined],
        ]}
      />
      <Section title="In GraphQL">
        <Tracking source={source} found={found} roles={roles} />
      </Section>
      <Section title="Definition">
        <Stack gap="sm">
          <Code block className={classes.code ?? ''}>
            {definition}
          </Code>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => onView('edit')}>
              Edit the definition or comment
            </Button>
            <Button size="xs" variant="default" onClick={() => onView('drop')}>
              Drop
            </Button>
          </Group>
        </Stack>
      </Section>
    </Stack>
  );
}
