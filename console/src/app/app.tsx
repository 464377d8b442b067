/** The application: theme, query cache, authentication and shell around the current page. */
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../api/failure.ts';
import { shareStructure } from '../api/structural-sharing.ts';
import { Notifications } from '../ui/feedback/notifications.tsx';
import { DiscardDialog } from '../ui/form/discard-dialog.tsx';
import { CurrentPage } from './pages.tsx';
import { Access } from './shell/access.tsx';
import { Shell } from './shell/shell.tsx';
import { theme, variables } from './theme.ts';

export function App({ nonce }: { readonly nonce: string }) {
  const [queries] = useState(createQueries);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications />
        <DiscardDialog />
        <Access>
          {(access) => (
            <Shell {...access}>
              <CurrentPage />
            </Shell>
          )}
        </Access>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** An error response is final: only requests without a response are retried. */
function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        structuralSharing: shareStructure,
        retry: (failures, error) => failures < 1 && !(error instanceof Failure && error.status !== undefined),
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
