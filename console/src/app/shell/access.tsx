/** Reads the settings of the service and requires sign-in where it has an admin secret. */
import { Center, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { storedSecret, storeSecret } from '../../api/admin-secret.ts';
import { createClient, readSettings, type ServiceSettings } from '../../api/client.ts';
import { ClientContext } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInPage } from './sign-in-page.tsx';

export interface AccessState {
  readonly settings: ServiceSettings;
  /** Undefined when no secret is in use. */
  readonly onSignOut: (() => void) | undefined;
}

interface AccessProps {
  readonly children: (access: AccessState) => ReactNode;
}

export function Access({ children }: AccessProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => readSettings(signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: (query) => (query.state.data === undefined ? 4_000 : false),
  });
  if (data !== undefined) return <Gate settings={data}>{children}</Gate>;
  if (error === null) return <Loading />;
  return (
    <Center mih="100vh" p="md">
      <FailureNotice title="The console cannot start" failure={toFailure(error)} onRetry={refetch} />
    </Center>
  );
}

/** When the secret is rejected later, the sign-in form opens above the page, so that no input is lost. */
function Gate({ settings, children }: AccessProps & { readonly settings: ServiceSettings }) {
  const queries = useQueryClient();
  const [secret, setSecret] = useState(() => storedSecret(window.sessionStorage));
  const [denied, setDenied] = useState<{ readonly secret: string | undefined }>();
  // Responses to requests with a previous secret do not deny the current one.
  const isDenied = denied !== undefined && denied.secret === secret;
  const client = useMemo(
    () => createClient({ settings, secret, onDenied: () => setDenied({ secret }) }),
    [settings, secret],
  );
  const first = useRef(client);
  useEffect(() => {
    if (client !== first.current) void queries.invalidateQueries();
    first.current = client;
  }, [client, queries]);

  const signIn = (given: string): void => {
    storeSecret(window.sessionStorage, given);
    setSecret(given);
    setDenied(undefined);
  };
  const signOut = (): void => {
    storeSecret(window.sessionStorage, undefined);
    setSecret(undefined);
    setDenied(undefined);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'settings' });
  };

  if (settings.secretRequired && secret === undefined) return <SignInPage settings={settings} onSignIn={signIn} />;
  return (
    <ClientContext value={client}>
      {children({ settings, onSignOut: secret === undefined ? undefined : signOut })}
      <Modal opened={isDenied} onClose={signOut} title="The service wants the admin secret again" centered>
        <SignInForm settings={settings} onSignIn={signIn} />
      </Modal>
    </ClientContext>
  );
}
