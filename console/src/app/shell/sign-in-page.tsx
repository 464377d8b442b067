/** The first page when the service has an admin secret. */
import { Center, Group, Paper, Stack, Title } from '@mantine/core';
import { useEffect } from 'react';
import type { ServiceSettings } from '../../api/client.ts';
import mark from './mark.svg';
import { SignInForm } from './sign-in-form.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

interface SignInPageProps {
  readonly settings: ServiceSettings;
  readonly onSignIn: (secret: string, isRemembered: boolean) => void;
  /** Why the last attempt to sign in with the provider failed. */
  readonly error?: string | undefined;
}

export function SignInPage(props: SignInPageProps) {
  useEffect(() => {
    document.title = 'Sign in · Joinery';
  }, []);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400} bg="var(--joinery-surface)">
        <Stack gap="lg">
          <Group justify="space-between">
            <Group gap="xs">
              <img src={mark} alt="" width={28} height={28} />
              <Title order={1} size="h2">
                Sign in to Joinery
              </Title>
            </Group>
            <ThemeSwitch />
          </Group>
          <SignInForm {...props} />
        </Stack>
      </Paper>
    </Center>
  );
}
