/** Form for the admin secret. Checks the secret before it is stored. */
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createClient, type ServiceSettings } from '../../api/client.ts';
import { toFailure } from '../../api/failure.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';

interface SignInFormProps {
  readonly settings: ServiceSettings;
  readonly onSignIn: (secret: string) => void;
}

export function SignInForm({ settings, onSignIn }: SignInFormProps) {
  const form = useDraftForm({ initial: { secret: '' } });
  const trial = useMutation({
    mutationFn: async (given: string) => {
      const client = createClient({ settings, secret: given, onDenied: () => undefined });
      await client.command('get_inconsistent_metadata', {});
    },
    onSuccess: (_result, given) => onSignIn(given),
  });
  const failure = trial.error === null ? undefined : toFailure(trial.error);
  const wrong = failure?.status === 401;
  const submit = form.onSubmit(({ secret }) => {
    if (secret !== '') trial.mutate(secret);
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <PasswordInput
          label="Admin secret"
          description="JOINERY_ADMIN_SECRET of the service. It is kept for this tab alone."
          autoComplete="current-password"
          autoFocus
          required
          withAsterisk={false}
          {...form.getInputProps('secret')}
          error={wrong ? 'This is not the admin secret of the service.' : undefined}
        />
        {failure !== undefined && !wrong && <FailureNotice title="Signing in did not work" failure={failure} />}
        <Button type="submit" loading={trial.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
