/** Preview of the webhook request while the form is edited. */
import { Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { useNow } from '../../ui/time/use-now.ts';
import type { Draft } from '../event-form/event-draft.ts';
import { type Verifier, verificationCode, verifiers } from '../event-form/verification-code.ts';
import { previewOf } from './preview.ts';

interface RequestPreviewProps {
  readonly draft: Draft;
  /** The name of the cron trigger. Undefined for a one-off event. */
  readonly trigger?: string;
}

export function RequestPreview({ draft, trigger }: RequestPreviewProps) {
  const now = useNow();
  const { head, body } = previewOf(draft, now, trigger);
  return (
    <Paper withBorder p={{ base: 'md', xs: 'lg' }} bg="var(--joinery-surface)">
      <Stack gap="xs">
        <Title order={2} size="h5">
          Webhook request
        </Title>
        <JsonView plain what="request line and headers" text={head} />
        <JsonView what="body" text={body} />
        {draft.delivery.transform.trim() !== '' && (
          <Text size="sm" c="dimmed">
            Before it is sent, the request transform makes another request of it.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          Receivers recognize repeated requests by the ID. Any status from 200 to 299 counts as delivered.
        </Text>
        <Verification draft={draft} />
      </Stack>
    </Paper>
  );
}

function Verification({ draft }: { readonly draft: Draft }) {
  const [verifier, setVerifier] = useState<Verifier>('standardwebhooks');
  const text = verificationCode(draft.delivery, verifier);
  if (text === undefined) return null;
  return (
    <Disclosure title="How the receiver verifies it">
      <Stack gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="Library"
          data={[...verifiers]}
          value={verifier}
          onChange={(chosen) => setVerifier(chosen as Verifier)}
        />
        <JsonView plain what="verification" text={text} />
        <Text size="sm" c="dimmed">
          {draft.delivery.signing === 'own'
            ? 'Calls are signed with the keys in the variable.'
            : 'Calls are signed where the service was started with JOINERY_WEBHOOK_SIGNING_KEYS.'}
        </Text>
      </Stack>
    </Disclosure>
  );
}
