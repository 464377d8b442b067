/** Sign-in with the provider of the service, or by the admin secret, which is checked before it is stored. */
import { Alert, Button, Checkbox, Divider, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createClient, type ServiceSettings } from '../../api/client.ts';
import { signInAddress } from '../../api/credentials/console-session.ts';
import { toFailure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { sentence } from '../../ui/format.ts';
import { AlertIcon } from '../../ui/page/icons.tsx';

interface SignInFormProps {
  readonly settings: ServiceSettings;
  /** `isRemembered`: whether the device stores the secret. */
  readonly onSignIn: (secret: string, isRemembered: boolean) => void;
  /** Why the last attempt to sign in with the provider failed. */
  readonly error?: string | undefined;
  /** Whether the provider opens in a tab of its own, so that the page below keeps its input. */
  readonly isAbovePage?: boolean;
}

export function SignInForm({ settings, onSignIn, error, isAbovePage = false }: SignInFormProps) {
  const form = useDraftForm({ initial: { secret: '', remember: false }, isTransient: true });
  const trial = useMutation({
    mutationFn: async (given: string) => {
      const client = createClient({ settings, secret: given, onDenied: () => undefined });
      await client.command('get_inconsistent_metadata', {});
    },
    onSuccess: (_result, given) => onSignIn(given, form.getValues().remember),
  });
  const failure = trial.error === null ? undefined : toFailure(trial.error);
  const wrong = failure?.status === 401;
  const submit = form.onSubmit(({ secret }) => {
    if (secret !== '') trial.mutate(secret);
  });
  const { oidc } = settings;
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {error !== undefined && (
          <Alert role="alert" color="red" variant="outline" icon={<AlertIcon />} title="You are not signed in">
            {sentence(error)}
          </Alert>
        )}
        {oidc !== undefined && (
          <>
            <Button
              component="a"
              href={signInAddress(currentPath())}
              {...(isAbovePage && { target: '_blank', rel: 'noopener' })}
              data-autofocus
            >
              Sign in with {oidc.name}
            </Button>
            {isAbovePage && (
              <Text size="sm" c="dimmed">
                The provider opens in a new tab. Return to this one afterwards: your input is still here.
              </Text>
            )}
            <Divider label="or" />
          </>
        )}
        <PasswordInput
          label="Admin secret"
          description="JOINERY_ADMIN_SECRET of the service. It is stored until you close this tab."
          autoComplete="current-password"
          autoFocus={oidc === undefined}
          required
          withAsterisk={false}
          {...form.getInputProps('secret')}
          error={wrong ? 'This is not the admin secret of the service.' : undefined}
        />
        <Checkbox
          label="Remember on this device"
          description="Stores the secret in this browser until you sign out. Everyone who uses this browser, and scripts of other pages of this address, can then act as admin."
          {...form.getInputProps('remember', { type: 'checkbox' })}
        />
        {oidc !== undefined && (
          <Text size="sm" c="dimmed">
            Changes that you make with the admin secret have no personal author in the audit log.
          </Text>
        )}
        {failure !== undefined && !wrong && <FailureNotice title="Sign-in failed" failure={failure} />}
        <Button type="submit" variant={oidc === undefined ? 'filled' : 'default'} loading={trial.isPending}>
          {oidc === undefined ? 'Sign in' : 'Sign in with the admin secret'}
        </Button>
      </Stack>
    </form>
  );
}

function currentPath(): string {
  const { pathname, search } = window.location;
  return pathname + search;
}
