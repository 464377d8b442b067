/** Request and response of one invocation. */
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { prettyText, printPretty } from '../../api/exact-json.ts';
import { sentence } from '../../ui/format.ts';
import { JsonView } from '../../ui/page/json-view.tsx';
import { HeaderTable } from '../headers/header-table.tsx';
import { type LoggedCall, readResponse, type SentRequest } from './response.ts';

export function InvocationDetails({ invocation }: { readonly invocation: LoggedCall }) {
  const { request } = invocation;
  return (
    <Stack gap="md">
      <Side title="Request">
        {request.sent === null ? (
          <Text size="sm">Nothing was sent.</Text>
        ) : request.sent === undefined ? (
          <>
            <HeaderTable headers={request.headers} />
            <JsonView what="request body" text={printPretty(request.payload)} />
          </>
        ) : (
          <Sent request={request.sent} />
        )}
      </Side>
      <Side title="Response">
        <Response invocation={invocation} />
      </Side>
    </Stack>
  );
}

/** The request as it was sent: method, URL, all headers and the body. */
function Sent({ request: { method, url, headers, body, truncated = false } }: { readonly request: SentRequest }) {
  return (
    <>
      <JsonView plain what="request line" text={`${method} ${url}`} />
      <HeaderTable headers={headers} />
      {body === null || body === '' ? (
        <Text size="sm" c="dimmed">
          The body is empty.
        </Text>
      ) : (
        <JsonView what="request body" text={prettyText(body)} />
      )}
      {truncated && <Truncated />}
    </>
  );
}

function Side({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap="xs" component="section">
      <Title order={4} size="h6">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Response({ invocation }: { readonly invocation: LoggedCall }) {
  const { summary, error, headers, body, truncated } = readResponse(invocation);
  if (error !== undefined) {
    return <Text size="sm">{summary === 'No response' ? `No response: ${sentence(error)}` : sentence(error)}</Text>;
  }
  return (
    <>
      {invocation.rejection !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {sentence(invocation.rejection)}
        </Text>
      )}
      {headers.length > 0 && <HeaderTable headers={headers} />}
      {body === undefined || body === '' ? (
        <Text size="sm" c="dimmed">
          The body is empty.
        </Text>
      ) : (
        <JsonView what="response body" text={prettyText(body)} />
      )}
      {truncated && <Truncated />}
    </>
  );
}

function Truncated() {
  return (
    <Text size="sm" c="dimmed">
      The body is truncated in the log.
    </Text>
  );
}
