/**
 * Reads the settings of the service and requires sign-in where it has an admin secret: by the secret, or by the session of a
 * user who signed in with the provider of the service.
 */
import { Center, Modal } from '@mantine/core';
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { createClient, readSettings, type ServiceSettings } from '../../api/client.ts';
import { ClientContext } from '../../api/context.ts';
import { forgetSecret, type SecretStores, storedSecret, storeSecret } from '../../api/credentials/admin-secret.ts';
import { type ConsoleSession, endConsoleSession, readConsoleSession } from '../../api/credentials/console-session.ts';
import { toFailure } from '../../api/failure.ts';
import { createReviewDesk } from '../../api/project-review.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { sentence } from '../../ui/format.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInPage } from './sign-in-page.tsx';

export interface AccessState {
  readonly settings: ServiceSettings;
  /** The user who signed in with the provider. */
  readonly user: string | undefined;
  /** Undefined when neither a secret nor a session is in use. */
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
  return <CannotStart error={error} onRetry={refetch} />;
}

function CannotStart({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <Center mih="100vh" p="md">
      <FailureNotice title="The console cannot start" failure={toFailure(error)} onRetry={onRetry} />
    </Center>
  );
}

function secretStores(): SecretStores {
  return { tab: window.sessionStorage, device: window.localStorage };
}

/** When the secret or the session is rejected later, the sign-in form opens above the page, so that no input is lost. */
function Gate({ settings, children }: AccessProps & { readonly settings: ServiceSettings }) {
  const queries = useQueryClient();
  const [secret, setSecret] = useState(() => storedSecret(secretStores()));
  // Kept when the session has ended, so that the page stays.
  const [user, setUser] = useState<string>();
  const [denied, setDenied] = useState<{ readonly secret: string | undefined }>();
  // Responses to requests with a previous secret do not deny the current one.
  const isDenied = denied !== undefined && denied.secret === secret;
  const session = useConsoleSession(settings, secret === undefined && user === undefined, isDenied);
  useEffect(() => {
    if (typeof session.data?.user !== 'string') return;
    setUser(session.data.user);
    setSecret(undefined);
    setDenied(undefined);
  }, [session.data]);
  const [reviewDesk] = useState(() =>
    settings.project === undefined ? undefined : createReviewDesk(window.localStorage),
  );
  const client = useMemo(
    () => createClient({ settings, secret, user, onDenied: () => setDenied({ secret }), reviewDesk }),
    [settings, secret, user, reviewDesk],
  );
  const first = useRef(client);
  useEffect(() => {
    if (client !== first.current) void queries.invalidateQueries({ predicate: isOfService });
    first.current = client;
  }, [client, queries]);

  const signIn = (given: string, isRemembered: boolean): void => {
    storeSecret(secretStores(), given, isRemembered);
    setSecret(given);
    setUser(undefined);
    setDenied(undefined);
  };
  const forget = (): void => {
    forgetSecret(secretStores());
    setSecret(undefined);
    setUser(undefined);
    setDenied(undefined);
    queries.setQueryData<ConsoleSession>(sessionKey, { user: null });
    queries.removeQueries({ predicate: isOfService });
  };
  const signOut = (): void => {
    if (user === undefined || isDenied) forget();
    else {
      endConsoleSession().then(forget, (error: unknown) =>
        notify({ title: 'You are still signed in', text: sentence(toFailure(error).message) }),
      );
    }
  };

  const forms = { settings, onSignIn: signIn, error: session.data?.error };
  if (settings.secretRequired && secret === undefined && user === undefined) {
    if (settings.oidc === undefined || session.data?.user === null) return <SignInPage {...forms} />;
    return session.error === null ? <Loading /> : <CannotStart error={session.error} onRetry={session.refetch} />;
  }
  const isSignedIn = secret !== undefined || user !== undefined;
  return (
    <ClientContext value={client}>
      {children({ settings, user, onSignOut: isSignedIn ? signOut : undefined })}
      <Modal
        opened={isDenied}
        onClose={signOut}
        title={user === undefined ? 'The service requires the admin secret again' : 'Your session has ended'}
        centered
      >
        <SignInForm {...forms} isAbovePage />
      </Modal>
    </ClientContext>
  );
}

const sessionKey = ['settings', 'session'];

/** Whether the data of a query comes from the service, and depends on the user. */
function isOfService({ queryKey }: Pick<Query, 'queryKey'>): boolean {
  return queryKey[0] !== 'settings';
}

/** While the session is denied, it is read until the user has signed in, such as in another tab. */
function useConsoleSession({ oidc }: ServiceSettings, isWanted: boolean, isDenied: boolean) {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readConsoleSession(signal),
    enabled: oidc !== undefined && (isWanted || isDenied),
    staleTime: Number.POSITIVE_INFINITY,
    // A session that is still valid after a denial is news.
    structuralSharing: false,
    refetchInterval: isDenied ? SESSION_POLL_MS : false,
  });
}

const SESSION_POLL_MS = 2_000;
