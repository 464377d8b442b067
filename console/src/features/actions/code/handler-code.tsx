/** Generated handler code and a request to test it. */
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { curlOf } from '../sample.ts';

const choices = {
  node: 'TypeScript, node:http',
  express: 'TypeScript, Express',
  types: 'TypeScript, types only',
  curl: 'curl',
} as const;
type Choice = keyof typeof choices;

interface HandlerCodeProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
}

export function HandlerCode({ action, metadata }: HandlerCodeProps) {
  const client = useClient();
  const [choice, setChoice] = useState<Choice>('node');
  const { headerPrefix } = client;
  const { data, error } = useQuery({
    queryKey: ['metadata', 'handler-code', action, choice],
    queryFn: async () => {
      if (choice === 'curl') return curlOf(action, metadata.types, headerPrefix);
      return codeFor(metadata.exported, action.name, choice, headerPrefix);
    },
  });
  return (
    <Section title="Code for the handler">
      <Stack gap="sm">
        <NativeSelect
          aria-label="Language of the code"
          maw={260}
          value={choice}
          data={Object.entries(choices).map(([value, label]) => ({ value, label }))}
          onChange={(event) => setChoice(event.currentTarget.value as Choice)}
        />
        {error !== null && <FailureNotice title="No code was generated" failure={toFailure(error)} />}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && <JsonView plain what="code" text={data} />}
        <Text size="sm" c="dimmed">
          {choice === 'curl'
            ? 'The request to the handler with sample values. Transforms are not applied.'
            : 'The same code as joinery actions codegen generates for the files of a project.'}
        </Text>
      </Stack>
    </Section>
  );
}

/** Loads the generator on demand. Throws CodegenError. */
async function codeFor(
  exported: unknown,
  action: string,
  choice: 'node' | 'express' | 'types',
  prefix: string,
): Promise<string> {
  const [{ generate, inOneModule }, { Metadata }] = await Promise.all([
    import('@joinery/metadata/codegen/generate'),
    import('@joinery/metadata/metadata'),
  ]);
  const framework = choice === 'express' ? 'express' : 'node';
  return inOneModule(
    generate(Metadata.parse(exported), { action: [action], framework, typesOnly: choice === 'types' }, prefix),
  );
}
